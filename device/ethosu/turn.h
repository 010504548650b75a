/* Mutual exclusion, in the order of the requests, of the threads that use the NPUs. */
#ifndef MACAW_ETHOSU_TURN_H
#define MACAW_ETHOSU_TURN_H

/** Waits for earlier requests of other threads. The lock is recursive: leave it as often as it was taken. */
void macaw_ethosu_take_turn(void);
void macaw_ethosu_leave_turn(void);

#endif
