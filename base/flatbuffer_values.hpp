#pragma once
#include <flatbuffers/flatbuffers.h>

#include <cstring>
#include <vector>

namespace macaw::io {

/// Element `i` of a list of numbers, wherever in the file it lies: flatbuffers itself reads in place, and neither the
/// format's verifier nor its writers see to it that elements of 8 bytes are aligned.
template <class T>
[[nodiscard]] T value_at(const flatbuffers::Vector<T>& list, std::size_t i) {
  T value;
  std::memcpy(&value, list.Data() + i * sizeof(T), sizeof(T));
  return flatbuffers::EndianScalar(value);
}

/// All elements of a list of numbers; none if there is no list.
template <class T>
[[nodiscard]] std::vector<T> values_of(const flatbuffers::Vector<T>* list) {
  std::vector<T> values;
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) values.push_back(value_at(*list, i));
  return values;
}

}  // namespace macaw::io
