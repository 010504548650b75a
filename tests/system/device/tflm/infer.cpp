// An application for TensorFlow Lite for Microcontrollers: one inference, whose ethos-u operators run on the NPU.
//   infer NETWORK INPUT OUTPUT [without-fast-memory]
#include <ethosu_driver.h>
#include <tensorflow/lite/micro/micro_interpreter.h>
#include <tensorflow/lite/micro/micro_mutable_op_resolver.h>
#include <tensorflow/lite/schema/schema_generated.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

alignas(32) std::uint8_t arena[8 << 20], fast_memory[2 << 20], network[2 << 20];

std::vector<char> load(const char* file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int fail(const char* what) {
  std::fprintf(stderr, "infer: %s\n", what);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) return 2;
  const auto bytes = load(argv[1]), input = load(argv[2]);
  if (bytes.empty() || bytes.size() > sizeof network) return fail("no network, or too large a one");
  std::memcpy(network, bytes.data(), bytes.size());  // the driver wants weights and command streams aligned

  ethosu_driver npu = {};
  void* const base_address = reinterpret_cast<void*>(0x48102000);
  if (ethosu_init(&npu, base_address, argc == 5 ? nullptr : fast_memory, sizeof fast_memory, 1, 1) != 0)
    return fail("no NPU");

  tflite::MicroMutableOpResolver<6> operators;
  operators.AddEthosU();
  operators.AddAveragePool2D();
  operators.AddConv2D();
  operators.AddDepthwiseConv2D();
  operators.AddReshape();
  operators.AddSoftmax();
  tflite::MicroInterpreter interpreter(tflite::GetModel(network), operators, arena, sizeof arena);
  if (interpreter.AllocateTensors() != kTfLiteOk) return fail("no memory for the tensors");
  if (interpreter.input(0)->bytes != input.size()) return fail("an input of another size");
  std::memcpy(interpreter.input(0)->data.raw, input.data(), input.size());
  if (interpreter.Invoke() != kTfLiteOk) return fail("the inference failed");
  std::ofstream(argv[3], std::ios::binary)
      .write(interpreter.output(0)->data.raw, static_cast<long>(interpreter.output(0)->bytes));
  ethosu_deinit(&npu);
  return 0;
}
