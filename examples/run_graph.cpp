// run_graph GRAPH.tosa INPUT.npy OUTPUT.npy: runs a TOSA graph of one input and writes its first output.
#include <macaw/npy.hpp>
#include <macaw/tosa/interpreter.hpp>

#include <iostream>

namespace {

macaw::Result<void> run(const char* graph_file, const char* input_file, const char* output_file) {
  MACAW_ASSIGN(const auto graph, macaw::tosa::load_graph(graph_file));
  MACAW_ASSIGN(auto input, macaw::read_tensor(input_file));
  MACAW_ASSIGN(const auto result, macaw::tosa::run(graph, {std::move(input)}));
  if (const auto* finding = result.verdict.first()) std::cerr << "run_graph: " << finding->text << "\n";
  if (result.outputs.empty()) return macaw::fail(macaw::ErrorCode::kInvalidGraph, "the run did not get to its end");
  return macaw::write_tensor(output_file, result.outputs[0]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::cerr << "usage: run_graph GRAPH.tosa INPUT.npy OUTPUT.npy\n", 2;
  if (const auto done = run(argv[1], argv[2], argv[3]); !done)
    return std::cerr << "run_graph: " << done.error().to_string() << "\n", 1;
}
