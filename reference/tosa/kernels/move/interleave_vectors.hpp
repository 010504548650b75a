#pragma once
#include <cstddef>
#include <utility>

namespace macaw::tosa {

template <class T>
struct VectorOf {
  using Type [[gnu::vector_size(16)]] = T;
};
/// 16 bytes of elements.
template <class T>
using Vector16 = typename VectorOf<T>::Type;

/// Element i of vector v becomes element i * kCount + v of them all, which with as many vectors as one has elements
/// transposes them. kCount is a power of two.
template <class T, std::size_t kCount>
void interleave_vectors(Vector16<T> (&vectors)[kCount]) {
  // The lower or the upper halves of two vectors, element by element.
  const auto halves = []<std::size_t... I>(auto a, auto b, bool upper, std::index_sequence<I...>) {
    constexpr auto kHalf = sizeof...(I) / 2;
    return upper ? __builtin_shufflevector(a, b, (I / 2 + kHalf + I % 2 * sizeof...(I))...)
                 : __builtin_shufflevector(a, b, (I / 2 + I % 2 * sizeof...(I))...);
  };
  for (std::size_t stage = 1; stage < kCount; stage *= 2) {
    Vector16<T> joined[kCount];
    for (std::size_t i = 0; i < kCount; ++i)
      joined[i] =
          halves(vectors[i / 2], vectors[i / 2 + kCount / 2], i % 2 != 0, std::make_index_sequence<16 / sizeof(T)>());
    for (std::size_t i = 0; i < kCount; ++i) vectors[i] = joined[i];
  }
}

}  // namespace macaw::tosa
