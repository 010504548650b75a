/* The custom operator of Arm's reference model (reference_model/custom_op_example): ExampleOp of ExampleDomain copies
   its input. Build it as a shared library and name it with `macaw tosa --custom-op-lib`. */
#include <macaw/plugin/custom_op.h>

#include <stdio.h>
#include <string.h>

static macaw_custom_status wrong(const macaw_custom_call* call, const char* reason) {
  snprintf(call->error, call->error_size, "%s", reason);
  return MACAW_CUSTOM_ERROR;
}

static macaw_custom_status check(const macaw_custom_call* call) {
  if (call->input_count != 1 || call->output_count != 1) return wrong(call, "needs one input and one output");
  const macaw_custom_tensor *in = &call->inputs[0], *out = &call->outputs[0];
  if (strcmp(in->dtype, out->dtype) != 0) return wrong(call, "output must have the type of input");
  if (in->rank != out->rank || (in->rank && memcmp(in->shape, out->shape, in->rank * sizeof *in->shape) != 0))
    return wrong(call, "output must have the shape of input");
  return MACAW_CUSTOM_OK;
}

static macaw_custom_status eval(const macaw_custom_call* call) {
  memcpy(call->outputs[0].data, call->inputs[0].data, call->inputs[0].data_size);
  return MACAW_CUSTOM_OK;
}

const macaw_custom_library* macaw_custom_op_library(void) {
  static const macaw_custom_op ops[] = {{"ExampleDomain", "ExampleOp", check, eval}};
  static const macaw_custom_library library = {MACAW_CUSTOM_OP_ABI, 1, ops};
  return &library;
}
