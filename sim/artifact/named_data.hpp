#pragma once
#include <macaw/error.hpp>
#include <macaw/npu/external_data.hpp>
#include <macaw/tensor.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace macaw::npu {

/// Bytes that a key names, and the tensor that they are, where the file says so.
struct NamedBytes {
  std::span<const std::byte> bytes;
  struct Layout {
    int scalar_type = 0;  ///< ScalarType of ExecuTorch's schema
    Shape shape;          ///< in the order of memory
  };
  std::optional<Layout> layout = {};
};

/// Data that a program refers to by key: from the program itself and from .ptd files. A key that several have counts as
/// the first one says, in the order in which they were added.
class NamedData {
 public:
  /// False if the key is there already.
  bool add(std::string key, NamedBytes bytes) { return entries_.try_emplace(std::move(key), std::move(bytes)).second; }

  /// Reads a .ptd (flatbuffer FT01, header FH01): pytorch/executorch extension/flat_tensor/flat_tensor_data_map.cpp.
  /// kInvalidFile for what is malformed.
  [[nodiscard]] Result<void> add_file(const ExternalData& file);

  /// Null if no file has the key.
  [[nodiscard]] const NamedBytes* find(std::string_view key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, NamedBytes, std::less<>> entries_;
};

}  // namespace macaw::npu
