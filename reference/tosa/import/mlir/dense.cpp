#include "reference/tosa/import/mlir/dense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "reference/tosa/import/constant_data.hpp"

namespace macaw::tosa::mlir {
namespace {

Result<std::vector<std::uint8_t>> hexadecimal(const Cursor& in, std::string_view digits) {
  std::vector<std::uint8_t> bytes(digits.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto [end, problem] = std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, bytes[i], 16);
    if (problem != std::errc() || end != digits.data() + 2 * i + 2) return in.expected("hexadecimal digits");
  }
  if (digits.size() % 2 != 0) return in.expected("an even number of hexadecimal digits");
  return bytes;
}

/// The tensor type of a constant; shapes are tensors of indices there.
Result<Type> read_constant_type(Cursor& in) {
  MACAW_ASSIGN(const auto type, read_type(in));
  if (!type.is_tensor || !type.shape || std::ranges::any_of(*type.shape, [](auto extent) { return extent < 0; }))
    return in.expected("the type of a constant: a tensor of known shape");
  return type;
}

void fill_with(Tensor& tensor, const std::byte* element) {
  const auto size = size_of(tensor.dtype());
  for (std::size_t at = 0; at < tensor.bytes().size(); at += size)
    std::memcpy(tensor.bytes().data() + at, element, size);
}

/// Elements as MLIR holds them: whole bytes of an element, little-endian; booleans eight to a byte, or a byte each in a
/// resource.
Result<Tensor> from_bytes(const Cursor& in, const Type& type, std::span<const std::uint8_t> bytes, bool bits_packed) {
  MACAW_ASSIGN(auto tensor, Tensor::create(type.dtype, *type.shape));
  const auto count = static_cast<std::size_t>(tensor.size());
  const auto stored = type.dtype == DType::kINT48 ? std::size_t{6} : size_of(type.dtype);
  auto* out = reinterpret_cast<std::uint8_t*>(tensor.bytes().data());
  if (type.dtype == DType::kBOOL && bits_packed) {
    const bool one_for_all = bytes.size() == 1 && (bytes[0] == 0 || bytes[0] == 0xff);
    if (!one_for_all && bytes.size() != (count + 7) / 8) return in.expected(fmt::format("{} bytes", (count + 7) / 8));
    for (std::size_t i = 0; i < count; ++i) out[i] = one_for_all ? bytes[0] & 1 : bytes[i / 8] >> i % 8 & 1;
    return tensor;
  }
  if (bytes.size() == stored && count != 1 && bits_packed) {
    auto whole = from_bytes(in, {type.dtype, true, Shape{1}}, bytes, true);
    MACAW_CHECK(whole);
    fill_with(tensor, whole->bytes().data());
    return tensor;
  }
  if (bytes.size() != count * stored) return in.expected(fmt::format("{} bytes", count * stored));
  if (type.dtype == DType::kINT48) return unpack_constant(type.dtype, *type.shape, bytes);
  std::ranges::transform(bytes, out,
                         [&](std::uint8_t b) -> std::uint8_t { return type.dtype == DType::kBOOL ? b != 0 : b; });
  return tensor;
}

/// Nested lists, one for each extent.
class ListReader {
 public:
  ListReader(Cursor& in, Tensor& tensor) : in_(in), tensor_(tensor) {}

  Result<void> read(std::size_t axis) {
    if (axis == tensor_.rank()) return element();
    MACAW_CHECK(in_.expect("["));
    const auto extent = tensor_.shape()[axis];
    for (std::int64_t i = 0; i < extent; ++i) {
      if (i > 0) MACAW_CHECK(in_.expect(","));
      MACAW_CHECK(read(axis + 1));
    }
    return in_.expect("]");
  }

  Result<void> element() {
    auto* out = tensor_.bytes().data() + at_;
    const auto begin = in_.at();
    std::string spelled;
    if (in_.take("true")) spelled = "true";
    else if (in_.take("false")) spelled = "false";
    else if (in_.next() == '"') {
      // Elements of types that are not MLIR's own: !tosa.mxint8, !quant.uniform.
      MACAW_ASSIGN(spelled, in_.quoted());
    } else {
      MACAW_ASSIGN(spelled, in_.number());
    }
    if (in_.take(":")) MACAW_CHECK(read_type(in_));
    if (!element_bytes(spelled, tensor_.dtype(), out)) {
      in_.go_to(begin);
      return in_.expected(fmt::format("a value of {}", macaw::to_string(tensor_.dtype())));
    }
    at_ += size_of(tensor_.dtype());
    return {};
  }

 private:
  Cursor& in_;
  Tensor& tensor_;
  std::size_t at_ = 0;
};

/// A constant of a block-scaled type: `values` with the scales in its type.
Result<Tensor> with_scales(const Cursor& in, const Type& type, const Tensor& values) {
  MACAW_ASSIGN(auto tensor, Tensor::create(type.dtype, *type.shape));
  std::ranges::copy(values.bytes(), tensor.bytes().begin());
  const auto blocks = tensor.bytes().subspan(values.bytes().size());
  if (type.scales.size() != blocks.size())
    return in.error(ErrorCode::kInvalidFile, fmt::format("the type of a constant of {} blocks has {} scales",
                                                         blocks.size(), type.scales.size()));
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (!element_bytes(type.scales[i], block_scale(type.dtype)->scale, &blocks[i]))
      return in.expected(fmt::format("a scale, of {}", macaw::to_string(block_scale(type.dtype)->scale)));
  return tensor;
}

/// The elements of a constant up to the ">" behind them.
Result<Tensor> read_values(Cursor& values, const Type& type) {
  if (values.next() == '"' && values.text().substr(values.at() + 1).starts_with("0x")) {
    MACAW_ASSIGN(const auto text, values.quoted());
    MACAW_ASSIGN(const auto bytes, hexadecimal(values, std::string_view(text).substr(2)));
    return from_bytes(values, type, bytes, true);
  }
  MACAW_ASSIGN(auto tensor, Tensor::create(type.dtype, *type.shape));
  const char first = values.next();
  if (first == '>') {
    if (tensor.size() != 0) return values.expected("the values of the constant");
  } else if (first == '[') {
    MACAW_CHECK(ListReader(values, tensor).read(0));
    MACAW_CHECK(values.expect(">"));
  } else {
    Tensor one(type.dtype, {});
    MACAW_CHECK(ListReader(values, one).element());
    MACAW_CHECK(values.expect(">"));
    fill_with(tensor, one.bytes().data());
  }
  return tensor;
}

}  // namespace

Result<std::shared_ptr<const Tensor>> read_dense(Cursor& in, Resources& resources) {
  MACAW_CHECK(in.expect("<"));
  Cursor values = in;
  MACAW_CHECK(in.until_closed('<', '>'));
  // The type is behind the values, or in front of them for elements that are not MLIR's own.
  const bool type_first = values.peek("tensor");
  if (!type_first) MACAW_CHECK(in.expect(":"));
  MACAW_ASSIGN(const auto type, read_constant_type(type_first ? values : in));
  if (type_first) MACAW_CHECK(values.expect(":"));
  MACAW_ASSIGN(const auto size, byte_count(type.dtype, *type.shape));
  // An element that is spelled out takes at least a digit and a comma; other elements are charged to the budget.
  const auto spelled = in.at() - values.at();
  if (const auto bytes = static_cast<std::size_t>(size); bytes > 8 * spelled) {
    if (bytes > resources.budget)
      return in.error(ErrorCode::kUnsupported, fmt::format("constants of {} bytes that are not spelled out", size));
    resources.budget -= bytes;
  }
  const auto* blocks = block_scale(type.dtype);
  MACAW_ASSIGN(auto tensor, read_values(values, {blocks ? blocks->value : type.dtype, true, type.shape}));
  if (blocks) {
    MACAW_ASSIGN(tensor, with_scales(values, type, tensor));
  }
  return std::make_shared<const Tensor>(std::move(tensor));
}

Result<std::shared_ptr<const Tensor>> read_dense_resource(Cursor& in, Resources& resources) {
  MACAW_CHECK(in.expect("<"));
  (void)in.next();
  MACAW_ASSIGN(const auto name, in.suffix());
  MACAW_CHECK(in.expect(">"));
  MACAW_CHECK(in.expect(":"));
  MACAW_ASSIGN(const auto type, read_constant_type(in));
  if (is_block_scale(type.dtype))
    return in.error(ErrorCode::kUnsupported, "resources of a block-scaled type; a constant spells its values out");
  const auto found = resources.blobs.find(name);
  if (found == resources.blobs.end())
    return in.error(ErrorCode::kInvalidFile, fmt::format("the file has no resource \"{}\"", name));
  // The first four bytes of a resource are its alignment.
  constexpr std::size_t kAlignmentDigits = 8;
  if (found->second.size() < kAlignmentDigits) return in.error(ErrorCode::kInvalidFile, "a resource without contents");
  if (const auto size = byte_count(type.dtype, *type.shape);
      !size || static_cast<std::size_t>(*size) > 8 * found->second.size())
    return in.error(ErrorCode::kInvalidFile, fmt::format("the resource \"{}\" is too short", name));
  if (found->second.size() > resources.budget)
    return in.error(ErrorCode::kUnsupported, "constants that use the same resource too often");
  resources.budget -= found->second.size();
  MACAW_ASSIGN(const auto bytes, hexadecimal(in, found->second.substr(kAlignmentDigits)));
  MACAW_ASSIGN(auto tensor, from_bytes(in, type, bytes, false));
  return std::make_shared<const Tensor>(std::move(tensor));
}

}  // namespace macaw::tosa::mlir
