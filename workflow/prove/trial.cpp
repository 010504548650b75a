#include "workflow/prove/trial.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include <macaw/npu/run.hpp>

#include "workflow/compare/comparison.hpp"

namespace macaw::prove {
namespace {

bool is_integer(DType dtype) {
  switch (dtype) {
    case DType::kINT8:
    case DType::kUINT8:
    case DType::kINT16:
    case DType::kUINT16:
    case DType::kINT32: return true;
    default: return false;
  }
}

/// Sets each element of an integer tensor to value(index), of which as many bits count as an element has.
void set(Tensor& tensor, const std::function<std::int64_t(std::int64_t)>& value) {
  const auto width = size_of(tensor.dtype());
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const auto v = value(i);
    std::memcpy(tensor.bytes().data() + static_cast<std::size_t>(i) * width, &v, width);
  }
}

struct Pattern {
  const char* name;
  std::int64_t (*value)(std::int64_t index, int bits, bool is_signed);
};

constexpr Pattern kPatterns[] = {
    {"every element the least value",
     [](std::int64_t, int bits, bool is_signed) { return is_signed ? -(std::int64_t{1} << (bits - 1)) : 0; }},
    {"every element the greatest value",
     [](std::int64_t, int bits, bool is_signed) { return (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1; }},
    {"every element zero", [](std::int64_t, int, bool) { return std::int64_t{0}; }},
    {"values that rise by 1 from element to element", [](std::int64_t index, int, bool) { return index; }},
};

}  // namespace

std::string first_difference(const std::vector<compare::OutputComparison>& outputs) {
  const auto found = std::ranges::find_if(outputs, [](const auto& o) { return o.different > 0; });
  if (found == outputs.end()) return "";
  return fmt::format("output '{}' differs in {} of {} elements, first at [{}]: {} in the graph, {} in the network",
                     found->name, found->different, found->elements, fmt::join(found->index, ", "), found->expected,
                     found->actual);
}

bool Trial::differs() const {
  return std::ranges::any_of(outputs, [](const auto& o) { return o.different > 0; });
}

std::string Trial::difference() const { return first_difference(outputs); }

Result<Trial> run_trial(const compare::Program& program, const npu::Artifact& artifact,
                        const npu::Accelerator& accelerator, std::string name, std::vector<Tensor> inputs) {
  MACAW_ASSIGN(const auto reference, program.reference(inputs));
  MACAW_ASSIGN(const auto named, program.network_inputs(inputs, artifact));
  MACAW_ASSIGN(
      const auto run,
      npu::execute(
          {.artifact = artifact, .accelerator = accelerator, .inputs = named, .mode = npu::RunMode::kFunctional}));
  MACAW_ASSIGN(auto outputs, compare::compare_outputs(reference, run.values.outputs));
  return Trial{std::move(name), std::move(inputs), std::move(outputs)};
}

std::vector<NamedInputs> boundary_inputs(const std::vector<Tensor>& like) {
  std::vector<NamedInputs> all;
  for (const auto& pattern : kPatterns) {
    NamedInputs inputs{pattern.name, like};
    bool changed = false;
    for (auto& tensor : inputs.tensors) {
      const auto dtype = tensor.dtype();
      if (!is_integer(dtype)) continue;
      const bool is_signed = dtype != DType::kUINT8 && dtype != DType::kUINT16;
      set(tensor, [&](std::int64_t i) { return pattern.value(i, static_cast<int>(8 * size_of(dtype)), is_signed); });
      changed = true;
    }
    if (changed) all.push_back(std::move(inputs));
  }
  return all;
}

void fill(Tensor& tensor, std::int64_t value) {
  if (is_integer(tensor.dtype())) set(tensor, [&](std::int64_t) { return value; });
}

}  // namespace macaw::prove
