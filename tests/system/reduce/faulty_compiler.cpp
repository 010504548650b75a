// faulty_compiler FAULT NETWORK OUTPUT.npz: 'macaw compile' for Ethos-U55-128 with a planted fault, so that what it
// compiles is wrong wherever the network has what the fault is about. Without arguments it prints the faults.
#include <macaw/npu/accelerator.hpp>
#include <macaw/tflite/to_tosa.hpp>
#include <macaw/tosa/graph.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compiler/compile.hpp"

using namespace macaw;
using tosa::Attr;
using tosa::Op;

namespace {

/// Changes an operator of a block where the fault applies to it.
using Plant = std::function<void(tosa::Block&, std::size_t op)>;

struct Fault {
  const char* name;
  Plant plant;
};

/// A constant operand gets other contents for this operator.
void change(tosa::Block& block, std::size_t op, std::size_t operand, const std::function<void(Tensor&)>& how) {
  auto& id = block.operators[op].inputs[operand];
  if (!block.values[id].data) return;
  Tensor tensor = *block.values[id].data;
  how(tensor);
  auto value = block.values[id];
  value.name += "_changed_" + std::to_string(op) + "_" + std::to_string(operand);
  value.data = std::make_shared<const Tensor>(std::move(tensor));
  id = static_cast<tosa::ValueId>(block.values.size());
  block.values.push_back(std::move(value));
}

void flip(Tensor& tensor, std::size_t byte, int bit) {
  auto& b = tensor.bytes()[std::min(byte, tensor.bytes().size() - 1)];
  b ^= std::byte(1U << bit);
}

/// The only operator that reads what an operator writes; the number of operators if it is not the only one.
std::size_t reader(const tosa::Block& block, std::size_t op) {
  const auto value = block.operators[op].outputs[0];
  std::size_t found = block.operators.size(), count = 0;
  for (std::size_t i = 0; i < block.operators.size(); ++i)
    if (std::ranges::find(block.operators[i].inputs, value) != block.operators[i].inputs.end()) found = i, ++count;
  return count == 1 ? found : block.operators.size();
}

/// Applies to operators of a kind.
Plant at(Op kind, Plant plant) {
  return [kind, plant = std::move(plant)](tosa::Block& block, std::size_t op) {
    if (block.operators[op].op == kind) plant(block, op);
  };
}

// Long because it is a table.
const std::vector<Fault>& faults() {
  static const std::vector<Fault> all = {
      {"depthwise-of-stride-2",
       at(Op::kDEPTHWISE_CONV2D,
          [](tosa::Block& block, std::size_t op) {
            if (block.operators[op].get_ints(Attr::k_stride) == std::vector<std::int64_t>{2, 2})
              change(block, op, 1, [](Tensor& weights) { flip(weights, 0, 6); });
          })},
      {"clamp", at(Op::kCLAMP,
                   [](tosa::Block& block, std::size_t op) {
                     const auto max = block.operators[op].get_bytes(Attr::k_max_val);
                     std::vector<std::byte> lower(max.begin(), max.end());
                     if (!lower.empty()) lower[0] = std::byte(std::to_integer<int>(lower[0]) - 9);
                     block.operators[op].set(Attr::k_max_val, std::move(lower));
                   })},
      {"convolution-with-rescale-and-clamp",
       at(Op::kCONV2D,
          [](tosa::Block& block, std::size_t op) {
            const auto scaled = reader(block, op);
            if (scaled == block.operators.size() || block.operators[scaled].op != Op::kRESCALE) return;
            const auto clamped = reader(block, scaled);
            if (clamped == block.operators.size() || block.operators[clamped].op != Op::kCLAMP) return;
            change(block, op, 2, [](Tensor& bias) { flip(bias, 1, 5); });
          })},
      {"sum-of-two-tensors", at(Op::kADD,
                                [](tosa::Block& block, std::size_t op) {
                                  const auto& inputs = block.operators[op].inputs;
                                  if (!block.values[inputs[0]].data && !block.values[inputs[1]].data)
                                    block.operators[op].op = Op::kSUB;
                                })},
      {"last-channel-of-convolutions", at(Op::kCONV2D,
                                          [](tosa::Block& block, std::size_t op) {
                                            change(block, op, 1, [](Tensor& weights) { flip(weights, SIZE_MAX, 5); });
                                          })},
      {"average-pool", at(Op::kAVG_POOL2D,
                          [](tosa::Block& block, std::size_t op) {
                            change(block, op, 2, [](Tensor& zero_point) { flip(zero_point, 0, 1); });
                          })},
      {"table", at(Op::kTABLE,
                   [](tosa::Block& block, std::size_t op) {
                     change(block, op, 1, [](Tensor& entries) {
                       for (std::size_t i = 64; i < 128; ++i) flip(entries, i, 4);
                     });
                   })},
      {"start-of-slices", at(Op::kSLICE,
                             [](tosa::Block& block, std::size_t op) {
                               const auto& from = *block.values[block.operators[op].inputs[0]].shape;
                               const auto& to = *block.values[block.operators[op].outputs[0]].shape;
                               change(block, op, 1, [&](Tensor& start) {
                                 auto at = start.data<std::int64_t>();
                                 for (std::size_t axis = 0; axis < from.size(); ++axis)
                                   if (at[axis] + to[axis] < from[axis]) ++at[axis];
                               });
                             })},
      {"product", at(Op::kMUL,
                     [](tosa::Block& block, std::size_t op) {
                       auto& mul = block.operators[op];
                       if (block.values[mul.inputs[0]].dtype != DType::kINT32 || block.values[mul.inputs[0]].data ||
                           block.values[mul.inputs[1]].data)
                         return;
                       mul.op = Op::kADD;
                       mul.inputs.resize(2);
                     })},
      {"greatest-value",
       at(Op::kREDUCE_MAX, [](tosa::Block& block, std::size_t op) { block.operators[op].op = Op::kREDUCE_MIN; })},
      {"scale-of-one-channel", at(Op::kRESCALE,
                                  [](tosa::Block& block, std::size_t op) {
                                    if (block.values[block.operators[op].inputs[1]].data &&
                                        block.values[block.operators[op].inputs[1]].data->size() > 2)
                                      change(block, op, 2, [](Tensor& shift) { flip(shift, 2, 0); });
                                  })},
  };
  return all;
}

Result<void> run(const std::string& name, const std::string& network, const std::string& output) {
  const auto fault = std::ranges::find_if(faults(), [&](const Fault& f) { return f.name == name; });
  if (fault == faults().end()) return fail(ErrorCode::kUsage, "unknown fault '" + name + "'");
  tosa::Graph graph;
  if (std::filesystem::path(network).extension() == ".tflite") {
    MACAW_ASSIGN(const auto loaded, tflite::load_network(network));
    MACAW_ASSIGN(graph, tflite::to_tosa(loaded));
  } else {
    MACAW_ASSIGN(graph, tosa::load_graph(network));
  }
  auto& block = graph.blocks.front();
  for (std::size_t i = 0, count = block.operators.size(); i < count; ++i) fault->plant(block, i);
  // Constants that were added have no operator yet.
  std::vector<tosa::Operator> constants;
  for (tosa::ValueId id = 0; id < block.values.size(); ++id) {
    const bool made = std::ranges::any_of(
        block.operators, [&](const auto& op) { return std::ranges::find(op.outputs, id) != op.outputs.end(); });
    if (!block.values[id].data || made) continue;
    auto& make = constants.emplace_back();
    make.op = block.values[id].dtype == DType::kSHAPE ? Op::kCONST_SHAPE : Op::kCONST;
    make.outputs = {id};
  }
  block.operators.insert(block.operators.begin(), constants.begin(), constants.end());
  MACAW_ASSIGN(const auto compiled, npu::compile(graph, *npu::find_accelerator("ethos-u55-128")));
  return npu::write_compiled(output, compiled);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    for (const auto& fault : faults()) std::puts(fault.name);
    return 0;
  }
  if (argc != 4) return 2;
  const auto done = run(argv[1], argv[2], argv[3]);
  if (done) return 0;
  std::fprintf(stderr, "faulty_compiler: %s\n", done.error().message.c_str());
  return 3;  // no fault of the network's
}
