#include <macaw/npu/bundled_program.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "bundled_program_generated.h"
#include "sim/artifact/executorch_tensor.hpp"

namespace macaw::npu {
namespace {

constexpr const char* kIdentifier = "BP08";

Result<Tensor> read_tensor(const bpte::Value& value, std::size_t& budget, const std::string& file) {
  const auto invalid = [&](std::string what) { return fail(ErrorCode::kInvalidFile, std::move(what), {.file = file}); };
  const auto* in = value.content_as_Tensor();
  if (!in)
    return fail(ErrorCode::kUnsupported,
                fmt::format("a bundled {} where a tensor is expected", bpte::EnumNameContent(value.content_type())),
                {.file = file});
  const auto dtype = dtype_of(static_cast<pte::ScalarType>(in->scalar_type()));
  if (!dtype)
    return fail(ErrorCode::kUnsupported, fmt::format("a bundled tensor of ScalarType {}", int(in->scalar_type())),
                {.file = file});
  const auto shape = shape_in_memory(*in);
  if (!shape) return invalid("a bundled tensor has no valid shape");
  const auto size = byte_count(*dtype, *shape);
  const std::size_t given = in->data() ? in->data()->size() : 0;
  if (!size || std::size_t(*size) != given)
    return invalid(fmt::format("a bundled tensor of {} bytes for {} {}", given, macaw::to_string(*dtype),
                               macaw::to_string(*shape)));
  if (given > budget) return invalid("the bundled tensors overlap");
  budget -= given;
  MACAW_ASSIGN(auto tensor, Tensor::create(*dtype, *shape));
  if (given > 0) std::memcpy(tensor.bytes().data(), in->data()->data(), given);
  if (*dtype == DType::kBOOL)
    for (auto& byte : tensor.bytes()) byte = std::byte{byte != std::byte{0}};
  return tensor;
}

Result<std::vector<Tensor>> read_tensors(const flatbuffers::Vector<flatbuffers::Offset<bpte::Value>>* values,
                                         std::size_t& budget, const std::string& file) {
  std::vector<Tensor> tensors;
  if (values)
    for (const auto* value : *values) {
      MACAW_ASSIGN(auto tensor, read_tensor(*value, budget, file));
      tensors.push_back(std::move(tensor));
    }
  return tensors;
}

}  // namespace

bool is_bundled_program(std::span<const std::byte> bytes) {
  return bytes.size() >= 8 && std::memcmp(bytes.data() + 4, kIdentifier, 4) == 0;
}

Result<BundledProgram> parse_bundled_program(std::span<const std::byte> bytes, const std::string& name) {
  const std::vector<std::byte> aligned(bytes.begin(), bytes.end());
  const auto* data = reinterpret_cast<const std::uint8_t*>(aligned.data());
  flatbuffers::Verifier verifier(data, aligned.size());
  if (aligned.size() < 8 || !verifier.VerifyBuffer<bpte::BundledProgram>(kIdentifier))
    return fail(ErrorCode::kInvalidFile, "not a valid bundled program of version BP08", {.file = name});
  const auto* bundle = bpte::GetBundledProgram(data);
  BundledProgram read;
  if (const auto* program = bundle->program()) {
    const auto* begin = reinterpret_cast<const std::byte*>(program->data());
    read.program.assign(begin, begin + program->size());
  }
  // The cases of a valid file do not share contents; lists that point at each other's contents are limited.
  std::size_t budget = bytes.size(), cases = bytes.size() / 4;
  if (bundle->suites())
    for (const auto* suite : *bundle->suites()) {
      if (!suite->cases()) continue;
      for (const auto* test : *suite->cases()) {
        if (cases-- == 0) return fail(ErrorCode::kInvalidFile, "the bundled cases overlap", {.file = name});
        BundledCase made;
        if (suite->method()) made.method = suite->method()->str();
        MACAW_ASSIGN(made.inputs, read_tensors(test->inputs(), budget, name));
        MACAW_ASSIGN(made.expected, read_tensors(test->expected(), budget, name));
        read.cases.push_back(std::move(made));
      }
    }
  return read;
}

}  // namespace macaw::npu
