/* An Ethos-U as a device of an emulator, a virtual platform or firmware on the host: registers, an interrupt line, memory
   that the emulator owns, and time. C only. Worked example: examples/device. A process may create any number of devices;
   they are independent of each other. Calls from several threads are serialised; only one thread at a time may use a
   device. */
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

/** Result of a call. After any value but MACAW_DEVICE_OK, macaw_device_message() returns a message. */
typedef enum macaw_device_status {
  MACAW_DEVICE_OK = 0,
  MACAW_DEVICE_USAGE = 1,       /**< the call is invalid: a null pointer, an unknown accelerator, system or register, a
                                     call from a callback, or from an SC_THREAD of a SystemC simulation (calls from an
                                     SC_METHOD or from sc_main are allowed) */
  MACAW_DEVICE_FILE = 2,        /**< a file cannot be read or written, or is malformed */
  MACAW_DEVICE_MISMATCH = 3,    /**< the system is for other accelerators */
  MACAW_DEVICE_UNSUPPORTED = 4, /**< not supported by Macaw; the message names the feature */
  MACAW_DEVICE_INTERNAL = 5     /**< out of memory, or an internal error */
} macaw_device_status;

/** Environment of a device. A callback runs in the thread of the call that causes it, and must not call this
    interface. */
typedef struct macaw_device_host {
  size_t struct_size; /**< sizeof(macaw_device_host) when the program was compiled */
  void* user;         /**< passed to the callbacks */
  /** Returns a pointer to the byte at a bus address, and in `size` the number of bytes that are contiguous from that byte
      on, the byte included; null if the address is outside all memories. The pointer must stay valid until the device is
      destroyed; the NPU may read and write the bytes in every call that advances time. */
  void* (*memory)(void* user, uint64_t address, uint64_t* size);
  /** Called when the interrupt line changes to `level`, 0 or 1. May be null: macaw_device_interrupt() returns the level. */
  void (*interrupt)(void* user, int level);
  /** Called before the NPU reads or writes these bytes of the memory: their contents must be valid when it returns. May be
      null if contents are always valid. */
  void (*before_access)(void* user, uint64_t address, uint64_t size);
  /** Called after the NPU has changed these bytes, for emulators that track dirty memory. May be null. */
  void (*after_write)(void* user, uint64_t address, uint64_t size);
} macaw_device_host;

/** Return MACAW_DEVICE_ABI and the release, as "0.1.0", of the library that is loaded. */
uint32_t macaw_device_abi(void);
const char* macaw_device_version(void);

/** Creates a device at time 0, in its reset state. `accelerator` is a name as in Vela, such as "ethos-u55-128"; `system`
    is a name that `macaw list systems` shows or the path of a .toml file, and null selects the default of the
    accelerator. `host` is copied. `*device` is null after an error. */
macaw_device_status macaw_device_create(const char* accelerator, const char* system, const macaw_device_host* host,
                                        macaw_device** device);

/** Destroys a device and aborts its job. Null is allowed. A call from a callback of the device or from an SC_THREAD has
    no effect but a message (macaw_device_message). */
void macaw_device_destroy(macaw_device* device);

/** Returns the byte offset of a register by its name in Arm's headers, such as "QBASE". The words of wider registers and
    the elements of arrays are consecutive. */
macaw_device_status macaw_device_register(const macaw_device* device, const char* name, uint32_t* offset);

/** Read or write the 32 bits at a byte offset. An access takes one cycle of the device's time. */
macaw_device_status macaw_device_read(macaw_device* device, uint32_t offset, uint32_t* value);
macaw_device_status macaw_device_write(macaw_device* device, uint32_t offset, uint32_t value);

/** Asserts the reset line: a job is aborted, the registers have the values of a new device, and the interrupt line
    falls. Takes one cycle of the device's time. */
macaw_device_status macaw_device_reset(macaw_device* device);

/** Writes the state of the device to `state`, for a snapshot of an emulator: registers, counters and the memory inside the
    NPU, but neither the host's memory nor the time. `*size` is the size of `state` in bytes, and on return the size that
    is needed; where `state` is null only `*size` is set. MACAW_DEVICE_USAGE while a job or a reset is in progress:
    advance time first. */
macaw_device_status macaw_device_save(macaw_device* device, void* state, size_t* size);

/** Restores a state of macaw_device_save() of this process, or of another process of the same release. Takes one cycle of
    the device's time. MACAW_DEVICE_USAGE while a job is in progress; MACAW_DEVICE_MISMATCH for a state of another
    accelerator or release. */
macaw_device_status macaw_device_restore(macaw_device* device, const void* state, size_t size);

/** Advances time to `cycle`, counted from the creation, or until the interrupt line rises during the call. A time in the
    past has no effect and is not an error. */
macaw_device_status macaw_device_advance(macaw_device* device, uint64_t cycle);

/** Returns the cycles of the NPU's clock since the creation; 0 for a null pointer. */
uint64_t macaw_device_time(const macaw_device* device);

/** Returns the level of the interrupt line; 0 for a null pointer. */
int macaw_device_interrupt(const macaw_device* device);

/** Returns the reason why the last job ended early, as a sentence; null if it did not. Valid until the next call with this
    device. */
const char* macaw_device_fault(const macaw_device* device);

/** Returns a warning about the last job that completed, as a sentence: regions that overlap where a job writes. Null if
    there is none. Valid until the next call with this device. */
const char* macaw_device_warning(const macaw_device* device);

/** Writes cycles and counters of the last job that completed or faulted to a folder, which is created if it does not
    exist: report.json, as `macaw sim` writes it, and report.html. Only the registers of the job are known, so the report
    names no network. */
macaw_device_status macaw_device_report(const macaw_device* device, const char* folder);

/** Returns the message of the last call in this thread that did not return MACAW_DEVICE_OK; never null. Valid until the
    next such call. */
const char* macaw_device_message(void);

#ifdef __cplusplus
}
#endif

#endif
