/* The part of CMSIS that Arm's core driver uses, on a host, where ethosu_semaphore_take (waits.c) does the waiting. */
#ifndef MACAW_CMSIS_COMPILER_H
#define MACAW_CMSIS_COMPILER_H

#define __WFE() ((void)0)
#define __SEV() ((void)0)

#endif
