/* Plug-in interface for TOSA's CUSTOM operator: C only, so that a library of any compiler can be loaded.
   A library exports one function, macaw_custom_op_library(). Worked example: docs/examples/custom_op. */
#ifndef MACAW_PLUGIN_CUSTOM_OP_H
#define MACAW_PLUGIN_CUSTOM_OP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface; a library states the one it was compiled with, and any other is refused. */
#define MACAW_CUSTOM_OP_ABI 2u

/** A dense row-major tensor. */
typedef struct macaw_custom_tensor {
  const char* dtype;   /**< the specification's name: "INT8", "FP32", ...; in a precise run "FP64" for every float, and
                            "BS32_FP64_FP64" for every block-scaled type */
  size_t element_size; /**< bytes of a stored element: INT4 takes 1, sign-extended, INT48 takes 8, SHAPE 8 */
  size_t rank;
  const int64_t* shape; /**< rank extents */
  void* data;           /**< null in a check; contents of inputs must not be changed, outputs start as zeros */
  size_t data_size;     /**< bytes of data, 0 in a check; of a block-scaled type ("BS32_...") it is all values, of
                             element_size, and then all scales, as wide */
} macaw_custom_tensor;

typedef struct macaw_custom_call {
  const char* domain_name;
  const char* operator_name;
  const uint8_t* implementation_attrs;
  size_t implementation_attrs_size; /**< in bytes */
  const macaw_custom_tensor* inputs;
  size_t input_count;
  const macaw_custom_tensor* outputs;
  size_t output_count;
  char* error;       /**< for the reason of any status but MACAW_CUSTOM_OK, zero-terminated */
  size_t error_size; /**< bytes of it */
} macaw_custom_call;

typedef enum macaw_custom_status {
  MACAW_CUSTOM_OK = 0,
  MACAW_CUSTOM_ERROR = 1,         /**< the graph breaks a rule of the operator: verdict ERROR */
  MACAW_CUSTOM_UNPREDICTABLE = 2, /**< the contents of an input do: verdict UNPREDICTABLE */
  MACAW_CUSTOM_UNSUPPORTED = 3    /**< the library cannot do it: the run ends with an error */
} macaw_custom_status;

typedef macaw_custom_status (*macaw_custom_function)(const macaw_custom_call* call);

typedef struct macaw_custom_op {
  const char* domain_name; /**< CUSTOM's attributes domain_name and operator_name select the operator */
  const char* operator_name;
  macaw_custom_function check; /**< number, types and shapes of the tensors, without their contents; may be null */
  macaw_custom_function eval;  /**< computes the outputs; its call has passed `check` */
} macaw_custom_op;

typedef struct macaw_custom_library {
  uint32_t abi; /**< MACAW_CUSTOM_OP_ABI */
  size_t op_count;
  const macaw_custom_op* ops; /**< must stay valid for as long as the process runs */
} macaw_custom_library;

#if defined(_WIN32)
#define MACAW_CUSTOM_OP_EXPORT __declspec(dllexport)
#else
#define MACAW_CUSTOM_OP_EXPORT __attribute__((visibility("default")))
#endif

/** The one function that a library exports. */
MACAW_CUSTOM_OP_EXPORT const macaw_custom_library* macaw_custom_op_library(void);

#ifdef __cplusplus
}
#endif

#endif
