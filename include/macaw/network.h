/* Runs a compiled network repeatedly, without timing. The network is loaded and checked, and its weights are decoded, only
   once. C only. Worked example: examples/network. Several threads may run a network at the same time. */
#ifndef MACAW_NETWORK_H
#define MACAW_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface; macaw_network_abi() returns that of the library. */
#define MACAW_NETWORK_ABI 2u

typedef struct macaw_network macaw_network;

/** Result of a call. After any value but MACAW_NETWORK_OK, macaw_network_message() returns a message. */
typedef enum macaw_network_status {
  MACAW_NETWORK_OK = 0,
  MACAW_NETWORK_USAGE = 1,    /**< the call is invalid: a null pointer, an index out of range or an unknown accelerator */
  MACAW_NETWORK_FILE = 2,     /**< the file cannot be read, or is malformed */
  MACAW_NETWORK_MISMATCH = 3, /**< the network is for another accelerator, or neither file nor caller names one; the
                                 number or the size of the buffers differs from the network's */
  MACAW_NETWORK_UNSUPPORTED = 4, /**< not supported by Macaw; the message names the feature */
  MACAW_NETWORK_INTERNAL = 5,    /**< out of memory, or an internal error */
  MACAW_NETWORK_FAULT = 6        /**< the NPU would stop with an error; the message names the command */
} macaw_network_status;

/** An input, an output or a variable. The caller sets `struct_size`; the pointers are valid until the network is
    destroyed. */
typedef struct macaw_network_tensor {
  size_t struct_size;   /**< sizeof(macaw_network_tensor) when the program was compiled */
  const char* name;     /**< as in the file, in UTF-8; may be empty */
  const char* type;     /**< of the elements, such as "INT8" or "FP32"; null where the file lacks it (Vela's npz) */
  const int64_t* shape; /**< `rank` extents */
  size_t rank;
  size_t size; /**< in bytes; elements are in row-major order, little-endian */
} macaw_network_tensor;

/** Return MACAW_NETWORK_ABI and the release, as "0.1.0", of the library that is loaded. */
uint32_t macaw_network_abi(void);
const char* macaw_network_version(void);

/** Loads a file of Vela or ExecuTorch: .npz, .tflite or .pte. `accelerator` is a name as in Vela, such as
    "ethos-u55-128", and may be null where the file states it. `*network` is null after an error. */
macaw_network_status macaw_network_load(const char* file, const char* accelerator, macaw_network** network);

/** Loads a file that is in memory, like macaw_network_load(). The bytes are not used after the call. */
macaw_network_status macaw_network_load_bytes(const void* bytes, size_t size, const char* accelerator,
                                              macaw_network** network);

/** Destroys a network. Null is allowed. No thread may be running the network. */
void macaw_network_destroy(macaw_network* network);

/** Return the number of inputs and of outputs; 0 for a null pointer. */
size_t macaw_network_input_count(const macaw_network* network);
size_t macaw_network_output_count(const macaw_network* network);

/** Describe an input or an output by its index in the order of the network. */
macaw_network_status macaw_network_input(const macaw_network* network, size_t index, macaw_network_tensor* tensor);
macaw_network_status macaw_network_output(const macaw_network* network, size_t index, macaw_network_tensor* tensor);

/** Runs the network from its initial state: reads one buffer for each input and writes one for each output, whose sizes
    are those of macaw_network_input() and macaw_network_output(). Operators that the compiler left to the CPU are run
    too. `threads`: number of threads for large operations, at most 256; 0 uses every core of the machine. The results
    do not depend on it. After an error the outputs are unchanged. */
macaw_network_status macaw_network_run(const macaw_network* network, const void* const* inputs, size_t input_count,
                                       void* const* outputs, size_t output_count, int threads);

/** Returns the number of variables, which keep their contents from one run of a session to the next; 0 for a null
    pointer. */
size_t macaw_network_state_count(const macaw_network* network);

/** Describes a variable, like macaw_network_input(). */
macaw_network_status macaw_network_state(const macaw_network* network, size_t index, macaw_network_tensor* tensor);

/** Runs a network step by step and keeps its variables between the steps. Only one thread at a time may use a session;
    sessions of one network are independent of each other. */
typedef struct macaw_network_session macaw_network_session;

/** Creates a session in the initial state. The network must outlive it. `*session` is null after an error. */
macaw_network_status macaw_network_session_create(const macaw_network* network, macaw_network_session** session);

/** Destroys a session. Null is allowed. */
void macaw_network_session_destroy(macaw_network_session* session);

/** Like macaw_network_run(), but from the state after the previous run. After an error, state and outputs are
    unchanged. */
macaw_network_status macaw_network_session_run(macaw_network_session* session, const void* const* inputs,
                                               size_t input_count, void* const* outputs, size_t output_count,
                                               int threads);

/** Restores the initial state. */
macaw_network_status macaw_network_session_reset(macaw_network_session* session);

/** Copy the contents of a variable to or from a buffer of `size` bytes, which must be the size that
    macaw_network_state() returns. To save and to restore a session, get and set all variables. */
macaw_network_status macaw_network_session_get_state(const macaw_network_session* session, size_t index, void* contents,
                                                     size_t size);
macaw_network_status macaw_network_session_set_state(macaw_network_session* session, size_t index, const void* contents,
                                                     size_t size);

/** Returns the message of the last call in this thread that did not return MACAW_NETWORK_OK; never null. Valid until
    the next such call. */
const char* macaw_network_message(void);

#ifdef __cplusplus
}
#endif

#endif
