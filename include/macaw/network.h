/* A compiled network that is run again and again, without time: loaded, checked and its weights decoded once. C only.
   Worked example: examples/network. Several threads may run a network at the same time. */
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

/** The result of a call. Every value but MACAW_NETWORK_OK leaves a message (macaw_network_message). */
typedef enum macaw_network_status {
  MACAW_NETWORK_OK = 0,
  MACAW_NETWORK_USAGE = 1,    /**< the call is wrong: a null pointer, an index or accelerator that is not there */
  MACAW_NETWORK_FILE = 2,     /**< the file cannot be read, or is malformed */
  MACAW_NETWORK_MISMATCH = 3, /**< the network is made for another accelerator, or says none and none is given; buffers
                                 of another number or size than the network's */
  MACAW_NETWORK_UNSUPPORTED = 4, /**< Macaw does not do it; the message says what */
  MACAW_NETWORK_INTERNAL = 5,    /**< out of memory, or an error of Macaw */
  MACAW_NETWORK_FAULT = 6        /**< the NPU would stop; the message names the command */
} macaw_network_status;

/** An input or output. The caller sets `struct_size`; the pointers are valid until the network is destroyed. */
typedef struct macaw_network_tensor {
  size_t struct_size;   /**< sizeof(macaw_network_tensor), as the program was compiled */
  const char* name;     /**< in UTF-8 as the file has it; may be empty */
  const char* type;     /**< of the elements, "INT8" or "FP32"; null where the file does not say it (Vela's npz) */
  const int64_t* shape; /**< `rank` extents */
  size_t rank;
  size_t size; /**< bytes: elements in the order of rows, little-endian */
} macaw_network_tensor;

/** MACAW_NETWORK_ABI and the release, "0.1.0", of the library that the program runs with. */
uint32_t macaw_network_abi(void);
const char* macaw_network_version(void);

/** Reads what Vela or ExecuTorch wrote: .npz, .tflite, .pte. `accelerator` is Vela's name, "ethos-u55-128", and may be
   null where the file says it. `*network` is null after an error. */
macaw_network_status macaw_network_load(const char* file, const char* accelerator, macaw_network** network);

/** Reads a network as macaw_network_load() does from a file in memory, which is not needed any longer afterwards. */
macaw_network_status macaw_network_load_bytes(const void* bytes, size_t size, const char* accelerator,
                                              macaw_network** network);

/** Null is allowed. No thread runs it any longer. */
void macaw_network_destroy(macaw_network* network);

/** How many inputs and outputs there are, in the order of the network; 0 for a null pointer. */
size_t macaw_network_input_count(const macaw_network* network);
size_t macaw_network_output_count(const macaw_network* network);

/** One of them. */
macaw_network_status macaw_network_input(const macaw_network* network, size_t index, macaw_network_tensor* tensor);
macaw_network_status macaw_network_output(const macaw_network* network, size_t index, macaw_network_tensor* tensor);

/** Runs the network from its initial state: reads a buffer for each input and fills one for each output, of `size`
   bytes as macaw_network_input() and macaw_network_output() say. Operators that the compiler left to the CPU run as
   well. `threads` share large operations, at most 256; 0: as many as the machine has; results are the same for any
   number. After an error the outputs are as they were. */
macaw_network_status macaw_network_run(const macaw_network* network, const void* const* inputs, size_t input_count,
                                       void* const* outputs, size_t output_count, int threads);

/** How many variables the network has, tensors that keep their contents from one run of a session to the next; 0 for a
   null pointer. */
size_t macaw_network_state_count(const macaw_network* network);

/** One of them, as macaw_network_input() describes an input. */
macaw_network_status macaw_network_state(const macaw_network* network, size_t index, macaw_network_tensor* tensor);

/** A network that runs step after step and keeps its variables in between. One thread may use a session at a time;
   several sessions of a network are independent of each other. */
typedef struct macaw_network_session macaw_network_session;

/** A session in the initial state. The network must outlive it. `*session` is null after an error. */
macaw_network_status macaw_network_session_create(const macaw_network* network, macaw_network_session** session);

/** Null is allowed. */
void macaw_network_session_destroy(macaw_network_session* session);

/** macaw_network_run() from the state that the run before left. After an error, state and outputs are as they were. */
macaw_network_status macaw_network_session_run(macaw_network_session* session, const void* const* inputs,
                                               size_t input_count, void* const* outputs, size_t output_count,
                                               int threads);

/** Back to the initial state. */
macaw_network_status macaw_network_session_reset(macaw_network_session* session);

/** Copies the contents of a variable to or from a buffer of `size` bytes, which must be the size that
   macaw_network_state() says: to save and to restore a session, get and set all of them. */
macaw_network_status macaw_network_session_get_state(const macaw_network_session* session, size_t index, void* contents,
                                                     size_t size);
macaw_network_status macaw_network_session_set_state(macaw_network_session* session, size_t index, const void* contents,
                                                     size_t size);

/** The message of the last call in this thread that did not return MACAW_NETWORK_OK; never null. Valid until the
   next such call. */
const char* macaw_network_message(void);

#ifdef __cplusplus
}
#endif

#endif
