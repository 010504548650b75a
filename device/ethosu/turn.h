/* Threads of the process take turns with the NPUs. */
#ifndef MACAW_ETHOSU_TURN_H
#define MACAW_ETHOSU_TURN_H

/** Waits for those that asked before. Who has the turn may take it again, and leaves as often. */
void macaw_ethosu_take_turn(void);
void macaw_ethosu_leave_turn(void);

#endif
