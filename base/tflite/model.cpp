#include "base/tflite/model.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "base/flatbuffer_values.hpp"

namespace macaw::tflite {
namespace {

constexpr int kCustom = 32;  // BuiltinOperator CUSTOM

std::string_view builtin_name(int code) {
  switch (code) {
#define MACAW_TFLITE_BUILTIN(number, name) \
  case number: return #name;
#include "base/tflite/builtins.def"
#undef MACAW_TFLITE_BUILTIN
    default: return {};
  }
}

}  // namespace

Result<Model> Model::create(std::span<const std::byte> bytes, std::string file) {
  Model model;
  model.file_ = std::move(file);
  model.size_ = model.quantization_budget_ = bytes.size();
  // flatbuffers reads 8-byte fields in place.
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::max_align_t)) {
    model.aligned_ = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    bytes = *model.aligned_;
  }
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (!schema::VerifyModelBuffer(verifier)) return model.error("the flatbuffer is malformed");
  model.root_ = schema::GetModel(bytes.data());
  return model;
}

tl::unexpected<Error> Model::error(std::string what, std::string op, ErrorCode code) const {
  return fail(code, std::move(what), {.file = file_, .op = std::move(op)});
}

Result<std::span<const std::uint8_t>> Model::buffer(std::uint32_t index, const std::string& place) const {
  if (index >= size_of(root_->buffers())) return error(fmt::format("there is no buffer {}", index), place);
  const auto* table = root_->buffers()->Get(index);
  if (table->offset() > 1)
    return error(fmt::format("buffer {} lies behind the flatbuffer", index), place, ErrorCode::kUnsupported);
  if (!table->data()) return std::span<const std::uint8_t>();
  return std::span(table->data()->data(), table->data()->size());
}

Result<Model::Kind> Model::kind_of(const schema::Operator& op, const std::string& place) const {
  if (op.opcode_index() >= size_of(root_->operator_codes()))
    return error(fmt::format("there is no operator code {}", op.opcode_index()), place);
  const auto* code = root_->operator_codes()->Get(op.opcode_index());
  // Files older than the 32-bit field have the number in the 8-bit one, newer ones in both or in the first.
  const int builtin = std::max<int>(code->builtin_code(), code->deprecated_builtin_code());
  Kind kind{.name = {}, .version = code->version(), .is_custom = builtin == kCustom};
  if (!kind.is_custom) kind.name = builtin_name(builtin);
  else if (code->custom_code()) kind.name = code->custom_code()->str();
  if (kind.name.empty()) return error(fmt::format("operator code {} has no name", builtin), place);
  if (kind.name.size() > kMaxName) return error("the name is too long", place, ErrorCode::kUnsupported);
  return kind;
}

Result<std::shared_ptr<const Quantization>> Model::quantization(const schema::QuantizationParameters* table,
                                                                const std::string& place) {
  if (!table || size_of(table->scale()) == 0) return nullptr;
  const auto bytes = size_of(table->scale()) * sizeof(float) + size_of(table->zero_point()) * sizeof(std::int64_t);
  if (bytes > quantization_budget_) return error("tensors share lists of scales", place);
  quantization_budget_ -= bytes;
  auto quantization = std::make_shared<Quantization>();
  quantization->scale = io::values_of(table->scale());
  quantization->zero_point = io::values_of(table->zero_point());
  quantization->dimension = table->quantized_dimension();
  return quantization;
}

std::optional<ElementType> element_type(schema::TensorType type) {
  using enum schema::TensorType;
  switch (type) {
    case FLOAT32: return {{4, DType::kFP32}};
    case FLOAT16: return {{2, DType::kFP16}};
    case BFLOAT16: return {{2, DType::kBF16}};
    case FLOAT64: return {{8, DType::kFP64}};
    case INT32: return {{4, DType::kINT32}};
    case UINT32: return {{4, DType::kUINT32}};
    case UINT8: return {{1, DType::kUINT8}};
    case INT8: return {{1, DType::kINT8}};
    case INT16: return {{2, DType::kINT16}};
    case UINT16: return {{2, DType::kUINT16}};
    case INT64: return {{8, DType::kINT64}};
    case BOOL: return {{1, DType::kBOOL}};
    case UINT64: return {{8, DType::kINT64}};    // the same bits; ignores_sign() lists the operators that take them
    case RESOURCE: return {{4, DType::kINT32}};  // the number of a variable
    case COMPLEX64: return {{8, std::nullopt}};
    case COMPLEX128: return {{16, std::nullopt}};
    default: return {};
  }
}

bool ignores_sign(std::string_view op) {
  constexpr std::string_view kOperators[] = {"ASSIGN_VARIABLE",
                                             "BATCH_TO_SPACE_ND",
                                             "BROADCAST_TO",
                                             "CALL_ONCE",
                                             "CONCATENATION",
                                             "DEPTH_TO_SPACE",
                                             "DYNAMIC_UPDATE_SLICE",
                                             "EQUAL",
                                             "EXPAND_DIMS",
                                             "FILL",
                                             "GATHER",
                                             "GATHER_ND",
                                             "IF",
                                             "MIRROR_PAD",
                                             "NOT_EQUAL",
                                             "PACK",
                                             "PAD",
                                             "PADV2",
                                             "READ_VARIABLE",
                                             "RESHAPE",
                                             "REVERSE_V2",
                                             "SCATTER_ND",
                                             "SELECT",
                                             "SELECT_V2",
                                             "SHAPE",
                                             "SLICE",
                                             "SPACE_TO_BATCH_ND",
                                             "SPACE_TO_DEPTH",
                                             "SPLIT",
                                             "SPLIT_V",
                                             "SQUEEZE",
                                             "STRIDED_SLICE",
                                             "TILE",
                                             "TRANSPOSE",
                                             "UNPACK",
                                             "VAR_HANDLE",
                                             "WHILE",
                                             "ZEROS_LIKE"};
  return std::ranges::find(kOperators, op) != std::end(kOperators);
}

std::string variable_name(const std::string& container, const std::string& shared_name) {
  return container.empty() ? shared_name : container + "/" + shared_name;
}

std::string unsupported_type(schema::TensorType type) {
  const std::string_view name = schema::EnumNameTensorType(type);
  return fmt::format("elements of type {} are not supported", name.empty() ? std::to_string(int(type)) : name);
}

std::shared_ptr<const Options> options_of(const schema::Operator& op) {
  if (!op.builtin_options()) return nullptr;
  auto options = std::make_shared<Options>();
  options->value.type = op.builtin_options_type();
  options->value.value = schema::BuiltinOptionsUnion::UnPack(op.builtin_options(), op.builtin_options_type(), nullptr);
  return options->value.value ? options : nullptr;
}

}  // namespace macaw::tflite
