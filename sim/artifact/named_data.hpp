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

/// Bytes referenced by key, and the tensor that they represent, if the file states it.
struct NamedBytes {
  std::span<const std::byte> bytes;
  struct Layout {
    int scalar_type = 0;  ///< ScalarType of ExecuTorch's schema
    Shape shape;          ///< in memory order
  };
  std::optional<Layout> layout = {};
};

/// Data that a program refers to by key: from the program itself and from .ptd files. The first entry that is added for
/// a key takes precedence.
class NamedData {
 public:
  /// Returns false if the key exists already.
  bool add(std::string key, NamedBytes bytes) { return entries_.try_emplace(std::move(key), std::move(bytes)).second; }

  /// Reads a .ptd (flatbuffer FT01, header FH01): pytorch/executorch extension/flat_tensor/flat_tensor_data_map.cpp.
  /// kInvalidFile for a malformed file.
  [[nodiscard]] Result<void> add_file(const ExternalData& file);

  /// Null if the key does not exist.
  [[nodiscard]] const NamedBytes* find(std::string_view key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, NamedBytes, std::less<>> entries_;
};

}  // namespace macaw::npu
