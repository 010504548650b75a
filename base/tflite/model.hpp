#pragma once
#include <macaw/dtype.hpp>
#include <macaw/error.hpp>
#include <macaw/quantization.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/tflite/options.hpp"

// Shared by all readers of .tflite files.
namespace macaw::tflite {

// Parts of a flatbuffer may be referred to many times; these bound what a small file can make of itself.
inline constexpr std::size_t kMaxTensors = 65536, kMaxOperands = 65536, kMaxRank = 16, kMaxName = 1024;

template <class T>
[[nodiscard]] std::size_t size_of(const T* list) {
  return list ? list->size() : 0;
}

/// A file that the flatbuffers verifier has accepted. The bytes must outlive it, unless they were not aligned.
class Model {
 public:
  /// kInvalidFile if the verifier finds fault.
  [[nodiscard]] static Result<Model> create(std::span<const std::byte> bytes, std::string file);

  [[nodiscard]] const schema::Model& root() const { return *root_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// An error whose place is this file and `op`.
  [[nodiscard]] tl::unexpected<Error> error(std::string what, std::string op = {},
                                            ErrorCode code = ErrorCode::kInvalidFile) const;

  /// Contents of a buffer; empty if there are none. kUnsupported for data behind the flatbuffer.
  [[nodiscard]] Result<std::span<const std::uint8_t>> buffer(std::uint32_t index, const std::string& place) const;

  /// Builtin or custom name of an operator, and its version. kInvalidFile if the operator code is missing or unknown.
  struct Kind {
    std::string name;
    int version = 1;
    bool is_custom = false;
  };
  [[nodiscard]] Result<Kind> kind_of(const schema::Operator& op, const std::string& place) const;

  /// Null without scales. All tensors together may take no more scales than the file has bytes.
  [[nodiscard]] Result<std::shared_ptr<const Quantization>> quantization(const schema::QuantizationParameters* table,
                                                                         const std::string& place);

 private:
  std::shared_ptr<const std::vector<std::byte>> aligned_;
  const schema::Model* root_ = nullptr;
  std::string file_;
  std::size_t size_ = 0, quantization_budget_ = 0;
};

/// The name of a variable behind a handle: "NAME", or "CONTAINER/NAME".
[[nodiscard]] std::string variable_name(const std::string& container, const std::string& shared_name);

struct ElementType {
  unsigned size;               ///< bytes of an element; 4-bit elements lie two in a byte
  std::optional<DType> dtype;  ///< absent if Macaw has no type for these elements
};
/// Nothing for elements without a fixed size.
[[nodiscard]] std::optional<ElementType> element_type(schema::TensorType type);
/// Whether an operator gives the same bits for operands of UINT64 as for INT64, the type that their elements are kept
/// as.
[[nodiscard]] bool ignores_sign(std::string_view op);
/// The message about a type that a reader does not take.
[[nodiscard]] std::string unsupported_type(schema::TensorType type);

/// Null if there are none that the schema's part lists.
[[nodiscard]] std::shared_ptr<const Options> options_of(const schema::Operator& op);

}  // namespace macaw::tflite
