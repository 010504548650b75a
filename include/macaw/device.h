/* An Ethos-U as an emulator, a virtual platform or firmware on the host sees it: registers, an interrupt line, memory that
   the emulator owns, and time. C only. Worked example: examples/device. Devices are independent of each other; any number
   of them may live in a process. Calls of different threads take turns; one device is used by one thread at a time. */
#ifndef MACAW_DEVICE_H
#define MACAW_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface; macaw_device_abi() returns that of the library. */
#define MACAW_DEVICE_ABI 2u

/** Bytes of the register space: offsets of registers are multiples of 4 below it. */
#define MACAW_DEVICE_SPACE 0x2000u

typedef struct macaw_device macaw_device;

/** The result of a call. Every value but MACAW_DEVICE_OK leaves a message (macaw_device_message). */
typedef enum macaw_device_status {
  MACAW_DEVICE_OK = 0,
  MACAW_DEVICE_USAGE = 1,       /**< the call is wrong: a null pointer, an accelerator, system or register that is not known,
                                     a call from within a callback, or from an SC_THREAD of a SystemC simulation (from
                                     an SC_METHOD or sc_main it is allowed) */
  MACAW_DEVICE_FILE = 2,        /**< a file cannot be read or written, or is malformed */
  MACAW_DEVICE_MISMATCH = 3,    /**< the system is made for other accelerators */
  MACAW_DEVICE_UNSUPPORTED = 4, /**< Macaw does not do it; the message says what */
  MACAW_DEVICE_INTERNAL = 5     /**< out of memory, or an error of Macaw */
} macaw_device_status;

/** The environment of a device. Callbacks run in the thread of the call that lets them happen, and make no call
    of this interface. */
typedef struct macaw_device_host {
  size_t struct_size; /**< sizeof(macaw_device_host), as the program was compiled */
  void* user;         /**< handed to the callbacks */
  /** Returns the place in this process of the byte at a bus address, and in `size` the bytes from there on, itself included;
      null if there is no memory. The bytes stay there until the device is destroyed; the NPU may read and write them in
      every call that lets time pass. */
  void* (*memory)(void* user, uint64_t address, uint64_t* size);
  /** The interrupt line changed to `level`, 0 or 1. May be null: macaw_device_interrupt() returns the level. */
  void (*interrupt)(void* user, int level);
  /** The NPU is about to read or write these bytes of what `memory` gave: their contents have to be there now. May be
      null: contents are always there. */
  void (*before_access)(void* user, uint64_t address, uint64_t size);
  /** The NPU has changed these bytes, for an emulator that keeps track of dirty memory. May be null. */
  void (*after_write)(void* user, uint64_t address, uint64_t size);
} macaw_device_host;

/** MACAW_DEVICE_ABI and the release, "0.1.0", of the library that the program runs with. */
uint32_t macaw_device_abi(void);
const char* macaw_device_version(void);

/** A device at time 0, in its reset. `accelerator` is Vela's name, "ethos-u55-128"; `system` what `macaw list systems` shows
    or the path of a .toml file, null for the default of the accelerator. `host` is copied. `*device` is null after an
    error. */
macaw_device_status macaw_device_create(const char* accelerator, const char* system, const macaw_device_host* host,
                                        macaw_device** device);

/** Null is allowed. A job that runs is given up. From within a callback of the device, or an SC_THREAD, nothing happens, but for a message
    (macaw_device_message). */
void macaw_device_destroy(macaw_device* device);

/** The byte offset of a register by the name in Arm's headers, "QBASE"; words of wider registers and elements of arrays
    follow each other. */
macaw_device_status macaw_device_register(const macaw_device* device, const char* name, uint32_t* offset);

/** Reads or writes the 32 bits at a byte offset. The access takes a cycle of the device's time. */
macaw_device_status macaw_device_read(macaw_device* device, uint32_t offset, uint32_t* value);
macaw_device_status macaw_device_write(macaw_device* device, uint32_t offset, uint32_t value);

/** Pulls the reset line: a job is given up, registers are as in a new device, and the interrupt line falls. It takes a cycle of the
    device's time, as a restore does. */
macaw_device_status macaw_device_reset(macaw_device* device);

/** Writes what the device is to `state`, for an emulator's snapshot: registers, counters, the memory inside the NPU; not the
    host's memory, and not the time. `*size` is the size of `state`, and the size that is needed afterwards; with `state` null
    only that is asked for. MACAW_DEVICE_USAGE while a job runs or a reset is under way: let time pass first. */
macaw_device_status macaw_device_save(macaw_device* device, void* state, size_t* size);

/** Makes the device what it was in macaw_device_save(), in this process or another one of the same release. MACAW_DEVICE_USAGE
    while a job runs, MACAW_DEVICE_MISMATCH: the state of another accelerator or release. */
macaw_device_status macaw_device_restore(macaw_device* device, const void* state, size_t size);

/** Lets time pass up to `cycle`, counted from the creation, or until the interrupt line rises in this call. A time that has
    passed already is no error. */
macaw_device_status macaw_device_advance(macaw_device* device, uint64_t cycle);

/** Cycles of the NPU's clock since the creation. 0 for a null pointer, as for the next one. */
uint64_t macaw_device_time(const macaw_device* device);

/** The level of the interrupt line. */
int macaw_device_interrupt(const macaw_device* device);

/** Why the last job ended early, in a sentence; null if it did not. Valid until the next call with this device. */
const char* macaw_device_fault(const macaw_device* device);

/** A warning about the last job that got to its end, in a sentence: regions that share bytes which are written.
    Null if there is none. Valid until the next call with this device. */
const char* macaw_device_warning(const macaw_device* device);

/** Writes what the last job that got to its end, or to a fault, spent to a folder, which is made where there is none:
    report.json, as `macaw sim` leaves it, and report.html. Nothing but the job's registers is known of its network. */
macaw_device_status macaw_device_report(const macaw_device* device, const char* folder);

/** The message of the last call in this thread that did not return MACAW_DEVICE_OK; never null. Valid until the next
    such call. */
const char* macaw_device_message(void);

#ifdef __cplusplus
}
#endif

#endif
