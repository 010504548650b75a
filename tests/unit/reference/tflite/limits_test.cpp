#include <catch2/catch.hpp>

#include "tests/unit/reference/tflite/support.hpp"

// Networks that are small and would compute for ever.
using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;
using Catch::Matchers::Contains;

namespace {

constexpr int kIf = 118, kWhile = 119;

/// The message that the default limit of work ends a run with.
std::string message(const TfliteFile& file, const std::vector<Tensor>& inputs) {
  const auto done = run_file(file, inputs);
  return done ? "done" : done.error().message;
}

Tensor truth() { return tensor_of<bool>(DType::kBOOL, {1}, {true}); }

}  // namespace

TEST_CASE("a loop whose condition always holds ends at the limit of work") {
  TfliteFile file;
  const int in = file.input(BOOL, {1}), out = file.tensor(BOOL, {1});
  fb::WhileOptionsT options;
  options.cond_subgraph_index = 1;
  options.body_subgraph_index = 2;
  file.op(kWhile, {in}, {out}, options).output(out);
  for (int i = 0; i < 2; ++i) {
    file.begin_subgraph();
    file.output(file.input(BOOL, {1}));
  }
  CHECK_THAT(message(file, {truth()}), Contains("more work than the limit"));
}

TEST_CASE("branches that each run the next subgraph twice end at the limit of work") {
  TfliteFile file;
  constexpr int kDepth = 31;
  for (int i = 0; i < kDepth; ++i) {
    if (i != 0) file.begin_subgraph();
    const int in = file.input(BOOL, {1});
    int last = in;
    for (int twice = 0; twice < 2 && i + 1 < kDepth; ++twice) {
      const int out = file.tensor(BOOL, {1});
      fb::IfOptionsT options;
      options.then_subgraph_index = options.else_subgraph_index = i + 1;
      file.op(kIf, {last, last}, {out}, options);
      last = out;
    }
    file.output(last);
  }
  CHECK_THAT(message(file, {truth()}), Contains("more work than the limit"));
}

TEST_CASE("a subgraph counts its tensors each time it is run") {
  TfliteFile file;
  const int in = file.input(BOOL, {1}), out = file.tensor(BOOL, {1});
  fb::IfOptionsT options;
  options.then_subgraph_index = options.else_subgraph_index = 1;
  file.op(kIf, {in, in}, {out}, options).output(out);
  file.begin_subgraph();
  file.output(file.input(BOOL, {1}));
  tflite::State state;
  const auto few = checked(run_file(file, {truth()}, state)).work;
  for (int i = 0; i < 1000; ++i) file.tensor(BOOL, {1});
  CHECK(checked(run_file(file, {truth()}, state)).work == few + 1000 * 16384);
}
