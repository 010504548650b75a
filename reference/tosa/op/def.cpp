#include "reference/tosa/op/def.hpp"

#include <algorithm>

namespace macaw::tosa {
namespace {

template <class T>
std::vector<std::int64_t> widened(const Tensor& tensor) {
  const auto data = tensor.data<T>();
  return {data.begin(), data.end()};
}

}  // namespace

std::vector<std::int64_t> Operand::ints() const {
  const Tensor& t = *value;
  switch (t.dtype()) {
    case DType::kBOOL: return widened<std::uint8_t>(t);
    case DType::kINT4:
    case DType::kINT8: return widened<std::int8_t>(t);
    case DType::kUINT8: return widened<std::uint8_t>(t);
    case DType::kINT16: return widened<std::int16_t>(t);
    case DType::kUINT16: return widened<std::uint16_t>(t);
    case DType::kINT32: return widened<std::int32_t>(t);
    case DType::kUINT32: return widened<std::uint32_t>(t);
    case DType::kINT48:
    case DType::kINT64:
    case DType::kSHAPE: return widened<std::int64_t>(t);
    default: return {};
  }
}

std::int64_t Operand::integer() const {
  const auto all = ints();
  return all.empty() ? 0 : all.front();
}

bool Operand::is_zero() const {
  const Tensor& t = *value;
  const auto size = size_of(t.dtype());
  const auto bytes = t.bytes();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    auto byte = std::to_integer<unsigned>(bytes[at]);
    const unsigned sign_bit = info(t.dtype()).bits == 6 ? 0x20u : info(t.dtype()).bits == 4 ? 0x08u : 0x80u;
    if (is_float(t.dtype()) && at % size == size - 1) byte &= ~sign_bit;  // -0 is zero; little-endian
    if (byte != 0) return false;
  }
  return true;
}

std::size_t Definition::index_of(Category category, std::string_view name) const {
  std::size_t index = 0;
  for (const auto& argument : arguments) {
    if (argument.category != category) continue;
    if (argument.name == name) break;
    ++index;
  }
  return index;
}

bool Call::require(bool holds, std::string_view argument, std::string_view text) {
  if (holds) return true;
  const bool known =
      std::ranges::any_of(findings, [&](const BrokenRule& f) { return f.argument == argument && f.text == text; });
  if (known) return false;
  // The rule's place in the table; a kernel that several operators share may report one that its operator lacks.
  const auto* definition = find_definition(op.op);
  std::string rule = "require";
  for (std::size_t i = 0; definition && i < definition->checks.size(); ++i)
    if (definition->checks[i].argument == argument && definition->checks[i].text == text) rule = std::to_string(i + 1);
  findings.push_back({Status::kUnpredictable, "", std::string(argument), std::string(to_string(op.op)) + "." + rule,
                      std::string(text)});
  return false;
}

Result<void> set_outputs(Call& call, std::vector<Tensor> results) {
  if (results.size() != call.outputs.size())
    return fail(ErrorCode::kInvalidGraph, "the graph has another number of outputs than the operator");
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].dtype() != call.out(i).dtype() || results[i].shape() != call.out(i).shape())
      return fail(ErrorCode::kInvalidGraph, "an output of the graph has another type or shape than the operator's");
    call.out(i) = std::move(results[i]);
  }
  return {};
}

}  // namespace macaw::tosa
