#include "compiler/compile.hpp"

#include <macaw/tosa/interpreter.hpp>

#include "compiler/lowering.hpp"
#include "compiler/passes.hpp"

namespace macaw::npu {

Result<Compiled> compile(const tosa::Graph& graph, const Accelerator& accelerator, const CompileOptions& options) {
  tosa::Options validation;
  validation.level = tosa::kLevelNone;
  MACAW_ASSIGN(const auto verdict, tosa::validate(graph, validation));
  if (verdict.status() != tosa::Status::kValid)
    return fail(ErrorCode::kInvalidGraph, verdict.first()->text, {.op = verdict.first()->place});
  Compiled compiled;
  MACAW_ASSIGN(compiled.network, lower(graph, accelerator));
  MACAW_CHECK(place_tensors(compiled.network, options.fast_memory));
  describe_feature_maps(compiled.network);
  MACAW_CHECK(choose_blocks(compiled.network));
  MACAW_CHECK(encode_constants(compiled.network));
  MACAW_ASSIGN(auto commands, emit(compiled.network));
  compiled.words = std::move(commands.words);
  compiled.operations = std::move(commands.operations);
  // The length field of the payload has 24 bits.
  if (compiled.words.size() >= (std::size_t{1} << 24))
    return fail(ErrorCode::kUnsupported, "the command stream has more than 2^24 words");
  return compiled;
}

}  // namespace macaw::npu
