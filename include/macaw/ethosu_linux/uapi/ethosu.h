/* Declarations of uapi/ethosu.h that programs for Arm's Ethos-U kernel driver use in addition to the EthosU classes. */
#ifndef ETHOSU_H
#define ETHOSU_H

#include <linux/ioctl.h>

#define ETHOSU_IOCTL_BASE 0x01
#define ETHOSU_IO(nr) _IO(ETHOSU_IOCTL_BASE, nr)

#define ETHOSU_IOCTL_PING ETHOSU_IO(0x00)
#define ETHOSU_IOCTL_VERSION_REQ ETHOSU_IO(0x01)

/** Maximum number of inputs, and of outputs, of an inference. */
#define ETHOSU_FD_MAX 16
/** Counters of an Ethos-U85; others have four. */
#define ETHOSU_PMU_EVENT_MAX 8

#endif
