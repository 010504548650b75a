// Runs networks with TensorFlow Lite for Microcontrollers. Standard input is a row of cases, standard output their
// answers. All numbers are 32-bit little endian; a blob is its length and its bytes.
//   case:   blob network, number of runs, for every run a blob for every input
//   answer: number of runs, for every run the number of outputs and a blob for each; 0 runs: the network was refused
// Every case runs in a process of its own, so that one that aborts takes no other with it.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#include "tensorflow/lite/micro/system_setup.h"
#include "tensorflow/lite/schema/schema_generated.h"

namespace {

using Blob = std::vector<char>;

alignas(16) std::uint8_t arena[96 << 20];

bool read_exactly(void* to, std::size_t size) { return std::fread(to, 1, size, stdin) == size; }

std::uint32_t read_number() {
  std::uint32_t value = 0;
  if (!read_exactly(&value, 4)) std::exit(0);
  return value;
}

Blob read_blob() {
  Blob blob(read_number());
  if (!read_exactly(blob.data(), blob.size())) std::exit(0);
  return blob;
}

void put_number(std::string& to, std::size_t value) {
  const auto number = static_cast<std::uint32_t>(value);
  to.append(reinterpret_cast<const char*>(&number), 4);
}

std::string answer(const Blob& network, std::uint32_t runs, const std::vector<Blob>& inputs) {
  static tflite::MicroMutableOpResolver<128> resolver;
#define OP(name) resolver.Add##name();
  OP(Abs) OP(Add) OP(AddN) OP(ArgMax) OP(ArgMin) OP(AssignVariable) OP(AveragePool2D) OP(BatchMatMul)
  OP(BatchToSpaceNd) OP(BroadcastArgs) OP(BroadcastTo) OP(CallOnce) OP(Cast) OP(Ceil) OP(Concatenation) OP(Conv2D)
  OP(Cos) OP(CumSum) OP(DepthToSpace) OP(DepthwiseConv2D) OP(Dequantize) OP(Div) OP(Elu) OP(Equal) OP(Exp)
  OP(ExpandDims) OP(Fill) OP(Floor) OP(FloorDiv) OP(FloorMod) OP(FullyConnected) OP(Gather) OP(GatherNd) OP(Greater)
  OP(GreaterEqual) OP(HardSwish) OP(If) OP(L2Normalization) OP(LeakyRelu) OP(Less) OP(LessEqual) OP(Log)
  OP(LogSoftmax) OP(LogicalAnd) OP(LogicalNot) OP(LogicalOr) OP(Logistic) OP(MaxPool2D) OP(Maximum) OP(Mean)
  OP(Minimum) OP(MirrorPad) OP(Mul) OP(Neg) OP(NotEqual) OP(Pack) OP(Pad) OP(PadV2) OP(Prelu) OP(Quantize)
  OP(ReadVariable) OP(ReduceAll) OP(ReduceMax) OP(ReduceMin) OP(Relu) OP(Relu6) OP(Reshape) OP(ResizeBilinear)
  OP(ResizeNearestNeighbor) OP(ReverseV2) OP(Round) OP(Rsqrt) OP(SelectV2) OP(Shape) OP(Sin) OP(Slice) OP(Softmax)
  OP(SpaceToBatchNd) OP(SpaceToDepth) OP(Split) OP(SplitV) OP(Sqrt) OP(Square) OP(SquaredDifference) OP(Squeeze)
  OP(StridedSlice) OP(Sub) OP(Sum) OP(Svdf) OP(Tanh) OP(Transpose) OP(TransposeConv) OP(UnidirectionalSequenceLSTM)
  OP(Unpack) OP(VarHandle) OP(While) OP(ZerosLike)
#undef OP
  tflite::MicroInterpreter interpreter(tflite::GetModel(network.data()), resolver, arena, sizeof(arena));
  if (interpreter.AllocateTensors() != kTfLiteOk) return std::string(4, '\0');
  std::string out;
  put_number(out, runs);
  for (std::uint32_t run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < interpreter.inputs_size(); ++i) {
      const Blob& from = inputs[run * interpreter.inputs_size() + i];
      if (from.size() != interpreter.input(i)->bytes) return std::string(4, '\0');
      std::memcpy(interpreter.input(i)->data.raw, from.data(), from.size());
    }
    if (interpreter.Invoke() != kTfLiteOk) return std::string(4, '\0');
    put_number(out, interpreter.outputs_size());
    for (std::size_t i = 0; i < interpreter.outputs_size(); ++i) {
      const auto* tensor = interpreter.output(i);
      put_number(out, tensor->bytes);
      out.append(tensor->data.raw, tensor->bytes);
    }
  }
  return out;
}

void write(const std::string& bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

int main() {
  tflite::InitializeTarget();
  for (;;) {
    const Blob network = read_blob();
    const std::uint32_t runs = read_number(), count = read_number();
    std::vector<Blob> inputs;
    for (std::uint32_t i = 0; i < runs * count; ++i) inputs.push_back(read_blob());
    int ends[2];
    if (pipe(ends) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) {
      const std::string bytes = answer(network, runs, inputs);
      for (std::size_t at = 0; at < bytes.size();) {
        const auto n = ::write(ends[1], bytes.data() + at, bytes.size() - at);
        if (n <= 0) _exit(1);
        at += static_cast<std::size_t>(n);
      }
      _exit(0);
    }
    close(ends[1]);
    std::string bytes;
    char buffer[65536];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof(buffer))) > 0;) bytes.append(buffer, static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    write(status == 0 ? bytes : std::string(4, '\0'));
  }
}
