#include "reference/tosa/import/mlir/type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace macaw::tosa::mlir {
namespace {

struct ElementRow {
  DType dtype;
  std::string_view name;
};
/// Types among LLVM's builtin types; shapes are tensors of indices where they are constants.
constexpr ElementRow kElements[] = {
    {DType::kBOOL, "i1"},          {DType::kINT4, "i4"},
    {DType::kINT8, "i8"},          {DType::kUINT8, "ui8"},
    {DType::kINT16, "i16"},        {DType::kUINT16, "ui16"},
    {DType::kINT32, "i32"},        {DType::kUINT32, "ui32"},
    {DType::kINT48, "i48"},        {DType::kINT64, "i64"},
    {DType::kFP32, "f32"},         {DType::kFP16, "f16"},
    {DType::kBF16, "bf16"},        {DType::kFP8E4M3, "f8E4M3FN"},
    {DType::kFP8E5M2, "f8E5M2"},   {DType::kFP8UE8M0, "f8E8M0FNU"},
    {DType::kFP6E2M3, "f6E2M3FN"}, {DType::kFP6E3M2, "f6E3M2FN"},
    {DType::kFP4E2M1, "f4E2M1FN"}, {DType::kMXINT8, "!tosa.mxint8"},
    {DType::kSHAPE, "index"},
};
constexpr std::string_view kBlockShape = "BLOCK_SHAPE_32";  // kInnermostBlockSize
constexpr std::size_t kMostExtents = 64;

Result<DType> read_plain_element(Cursor& in) {
  if (in.take("!quant.uniform<") || in.take("!quant.any<")) {
    // The storage type is the type of the elements; in TOSA scale and zero point are operands of operators.
    const auto storage = in.identifier();
    MACAW_CHECK(in.until_closed('<', '>'));
    if (storage == "u8") return DType::kUINT8;
    for (const auto& row : kElements)
      if (row.name == storage) return row.dtype;
    return in.error(ErrorCode::kUnsupported, fmt::format("a quantized type stored as {}", storage));
  }
  const bool dialect = in.take("!");
  const auto name = fmt::format("{}{}", dialect ? "!" : "", in.identifier());
  for (const auto& row : kElements)
    if (row.name == name) return row.dtype;
  return in.error(ErrorCode::kUnsupported, fmt::format("the element type \"{}\" is none of TOSA's", name));
}

/// "<BLOCK_SHAPE_32:f8E8M0FNU:f4E2M1FN>" behind "!tosa.block_scaled", in a constant with the scales of its blocks at
/// the end, ", {1.0, 2.0}" (llvm/llvm-project, pull requests 203583 and 205506).
Result<DType> read_block_scaled(Cursor& in, std::vector<std::string>& scales) {
  MACAW_CHECK(in.expect("<"));
  const bool is_attribute = in.take("#tosa.block_shape<");
  if (const auto shape = in.identifier(); shape != kBlockShape)
    return in.error(ErrorCode::kUnsupported, fmt::format("the block shape \"{}\"; TOSA has {}", shape, kBlockShape));
  if (is_attribute) MACAW_CHECK(in.expect(">"));
  MACAW_CHECK(in.expect(":"));
  MACAW_ASSIGN(const auto scale, read_plain_element(in));
  MACAW_CHECK(in.expect(":"));
  MACAW_ASSIGN(const auto value, read_plain_element(in));
  const auto* row = std::ranges::find_if(
      kBlockScales, [&](const BlockScale& known) { return known.scale == scale && known.value == value; });
  if (row == std::end(kBlockScales))
    return in.error(ErrorCode::kUnsupported,
                    fmt::format("blocks of {} with scales of {}", macaw::to_string(value), macaw::to_string(scale)));
  if (in.take(",")) {
    MACAW_CHECK(in.expect("{"));
    do {
      MACAW_ASSIGN(scales.emplace_back(), in.number());
    } while (in.take(","));
    MACAW_CHECK(in.expect("}"));
  }
  MACAW_CHECK(in.expect(">"));
  return row->dtype;
}

Result<DType> read_element(Cursor& in, std::vector<std::string>& scales) {
  return in.take("!tosa.block_scaled") ? read_block_scaled(in, scales) : read_plain_element(in);
}

/// "4x?x" of a tensor; the cursor is left at the element type.
Result<std::optional<Shape>> read_extents(Cursor& in) {
  constexpr std::string_view kUnranked = "*x";
  (void)in.next();
  if (in.text().substr(in.at()).starts_with(kUnranked)) {
    in.go_to(in.at() + kUnranked.size());
    return std::optional<Shape>();
  }
  Shape shape;
  for (;;) {
    (void)in.next();
    const auto rest = in.text().substr(in.at());
    std::int64_t extent = -1;
    std::size_t length = rest.starts_with('?') ? 1 : 0;
    if (length == 0) {
      const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
      if (problem != std::errc()) return std::optional(shape);
      length = static_cast<std::size_t>(end - rest.data());
      if (extent < 0) return in.expected("an extent of at least 0");
    }
    if (!rest.substr(length).starts_with('x')) return in.expected("'x' behind an extent");
    if (shape.size() == kMostExtents) return in.error(ErrorCode::kUnsupported, "more than 64 extents");
    in.go_to(in.at() + length + 1);
    shape.push_back(extent);
  }
}

}  // namespace

std::optional<std::string_view> element_name(DType dtype) {
  for (const auto& row : kElements)
    if (row.dtype == dtype) return row.name;
  return std::nullopt;
}

std::optional<std::string> element_text(const Type& type) {
  const auto* blocks = block_scale(type.dtype);
  const auto value = element_name(blocks ? blocks->value : type.dtype);
  if (!value) return std::nullopt;
  if (!blocks) return std::string(*value);
  const auto scales = type.scales.empty() ? std::string() : fmt::format(", {{{}}}", fmt::join(type.scales, ", "));
  return fmt::format("!tosa.block_scaled<{}:{}:{}{}>", kBlockShape, *element_name(blocks->scale), *value, scales);
}

Result<std::string> to_text(const Type& type) {
  if (type.dtype == DType::kSHAPE && type.is_tensor && type.shape && type.shape->size() == 1)
    return fmt::format("!tosa.shape<{}>", type.shape->front());
  const auto element = element_text(type);
  if (!element) return fail(ErrorCode::kUnsupported, fmt::format("MLIR has no type {}", macaw::to_string(type.dtype)));
  if (!type.is_tensor) return *element;
  if (!type.shape) return fmt::format("tensor<*x{}>", *element);
  std::string extents;
  for (const auto extent : *type.shape) extents += extent < 0 ? "?x" : fmt::format("{}x", extent);
  return fmt::format("tensor<{}{}>", extents, *element);
}

Result<Type> read_type(Cursor& in) {
  Type type;
  if (in.take("!tosa.shape")) {
    MACAW_CHECK(in.expect("<"));
    MACAW_ASSIGN(const auto rank, in.integer());
    MACAW_CHECK(in.expect(">"));
    if (rank < 0) return in.expected("a rank of at least 0");
    type.dtype = DType::kSHAPE;
    type.shape = Shape{rank};
    return type;
  }
  if (in.take("tensor")) {
    MACAW_CHECK(in.expect("<"));
    MACAW_ASSIGN(type.shape, read_extents(in));
    MACAW_ASSIGN(type.dtype, read_element(in, type.scales));
    if (in.take(",")) MACAW_CHECK(in.until_closed('<', '>'));  // an encoding does not affect values
    else MACAW_CHECK(in.expect(">"));
    if (type.shape) {
      Shape known;
      for (const auto extent : *type.shape)
        if (extent >= 0) known.push_back(extent);
      if (const auto count = element_count(known, 16); !count)
        return in.error(ErrorCode::kInvalidFile, count.error().message);
    }
    return type;
  }
  type.is_tensor = false;
  MACAW_ASSIGN(type.dtype, read_element(in, type.scales));
  return type;
}

Result<std::vector<Type>> read_types(Cursor& in) {
  std::vector<Type> types;
  const bool many = in.take("(");
  if (many && in.take(")")) return types;
  do {
    MACAW_ASSIGN(auto type, read_type(in));
    types.push_back(std::move(type));
  } while (in.take(","));
  if (many) MACAW_CHECK(in.expect(")"));
  return types;
}

Result<FunctionType> read_function_type(Cursor& in) {
  FunctionType type;
  MACAW_ASSIGN(type.inputs, read_types(in));
  MACAW_CHECK(in.expect("->"));
  if (in.next() == '(') {
    MACAW_ASSIGN(type.results, read_types(in));
  } else {
    MACAW_ASSIGN(type.results.emplace_back(), read_type(in));
  }
  return type;
}

}  // namespace macaw::tosa::mlir
