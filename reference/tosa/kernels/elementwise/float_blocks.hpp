#pragma once
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/kernels/float_operand.hpp"

// Element-wise operators in floating point compute a block at a time: operands of another type are converted into a
// buffer and the result back while they are in the first-level cache, so that no tensor is ever held wide.

namespace macaw::tosa {

/// Elements of a block.
inline constexpr std::size_t kFloatBlock = 1024;

/// Copies `count` times the element of `size` bytes at `element`.
inline void repeat_element(const std::byte* element, std::size_t size, std::size_t count, std::byte* to) {
  const auto fill = [&]<class E>(E value) {
    std::memcpy(&value, element, sizeof value);
    std::fill_n(reinterpret_cast<E*>(to), count, value);
  };
  switch (size) {
    case 1: return fill(std::uint8_t{});
    case 2: return fill(std::uint16_t{});
    case 4: return fill(std::uint32_t{});
    default: return fill(std::uint64_t{});
  }
}

/// Elements of `dtype` as T: float or double, or the unsigned integer that holds the encoding.
template <class T>
void read_elements(DType dtype, const std::byte* bytes, std::span<T> out) {
  if constexpr (std::is_floating_point_v<T>) decode_floats<T>(dtype, bytes, out);
  else std::memcpy(out.data(), bytes, out.size_bytes());
}

/// Whether elements of a type are read and written as they lie.
template <class T>
[[nodiscard]] bool is_held_as(DType dtype) {
  return !std::is_floating_point_v<T> || dtype == kFloatType<T>;
}

/// Reads an input, broadcast to the call's output, as read_elements() does.
template <class T>
class BlockInput {
 public:
  BlockInput(const Call& call, const BroadcastWalk& walk, std::size_t k)
      : walk_(walk),
        k_(k),
        dtype_(call.in(k).dtype()),
        size_(size_of(dtype_)),
        broadcasts_(call.in(k).size() != call.out(0).size()),
        bytes_(call.in(k).bytes().data()) {
    const auto period = static_cast<std::size_t>(call.in(k).size());
    if (!broadcasts_ || period > kFloatBlock || !repeats(call.in(k).shape(), call.out(0).shape())) return;
    period_ = period;
    read_elements<T>(dtype_, bytes_, {converted_.data(), period});
    for (std::size_t i = period; i < period + kFloatBlock; ++i) converted_[i] = converted_[i - period];
  }

  /// Operands for `count` elements of the output, at most a block, from `first` on; until the next call.
  [[nodiscard]] const T* read(std::size_t first, std::size_t count) {
    if (period_ != 0) return converted_.data() + first % period_;
    const auto* from = broadcasts_ ? gather(first, count) : bytes_ + first * size_;
    if (is_held_as<T>(dtype_)) return reinterpret_cast<const T*>(from);
    read_elements<T>(dtype_, from, {converted_.data(), count});
    return converted_.data();
  }

 private:
  /// Whether a broadcast is the same elements over and over.
  static bool repeats(const Shape& in, const Shape& out) {
    auto axis = in.size();
    while (axis > 0 && in[axis - 1] == out[axis - 1]) --axis;
    return std::all_of(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(axis),
                       [](auto extent) { return extent == 1; });
  }

  const std::byte* gather(std::size_t first, std::size_t count) {
    const std::byte* from = gathered_.data();
    auto* to = gathered_.data();
    walk_.for_each_run(first, first + count, [&](const BroadcastWalk::Run& run) {
      const auto* element = bytes_ + static_cast<std::size_t>(run.in[k_]) * size_;
      const auto length = static_cast<std::size_t>(run.length);
      if (!walk_.advances(k_)) repeat_element(element, size_, length, to);
      else if (length == count) from = element;  // all of it, as it is
      else std::memcpy(to, element, length * size_);
      to += length * size_;
    });
    return from;
  }

  const BroadcastWalk& walk_;
  std::size_t k_;
  DType dtype_;
  std::size_t size_;
  bool broadcasts_;
  std::size_t period_ = 0;  ///< of elements that repeat, all of them in converted_
  const std::byte* bytes_;
  alignas(64) std::array<T, 2 * kFloatBlock> converted_;
  alignas(64) std::array<std::byte, kFloatBlock * sizeof(T)> gathered_;
};

/// The value to store for a result: every NaN is the positive quiet one.
template <class T>
[[nodiscard]] T stored(T value) {
  if constexpr (!std::is_floating_point_v<T>) return value;
  else return value != value ? std::numeric_limits<T>::quiet_NaN() : value;
}

/// Writes an output of type Out, or if Out is T, which is float or double, of any floating-point type.
template <class T, class Out = T>
class BlockOutput {
 public:
  explicit BlockOutput(Tensor& tensor)
      : dtype_(tensor.dtype()),
        in_place_(!std::is_same_v<Out, T> || is_held_as<T>(dtype_)),
        size_(size_of(dtype_)),
        bytes_(tensor.uninitialized_bytes().data()) {}

  /// Returns the destination of elements from `first` on; null if they must be encoded.
  [[nodiscard]] Out* in_place(std::size_t first) const {
    return in_place_ ? reinterpret_cast<Out*>(bytes_ + first * size_) : nullptr;
  }
  void encode(std::size_t first, std::span<const Out> values) const {
    if constexpr (std::is_same_v<Out, T> && std::is_floating_point_v<T>)
      encode_floats<T>(values, dtype_, bytes_ + first * size_);
  }
  /// Writes elements from `first` on.
  void store(std::size_t first, std::span<const Out> values) const {
    if (auto* out = in_place(first)) std::ranges::transform(values, out, stored<Out>);
    else encode(first, values);
  }

  /// Elements [first, end): compute(first of a block, count, where to write them) for one block after the other.
  template <class F>
  void fill(std::size_t first, std::size_t end, F compute) const {
    alignas(64) std::array<Out, kFloatBlock> wide;
    for (std::size_t count = 0; first < end; first += count) {
      count = std::min(kFloatBlock, end - first);
      auto* out = in_place(first);
      compute(first, count, out ? out : wide.data());
      if (!out) encode(first, {wide.data(), count});
    }
  }

 private:
  DType dtype_;
  bool in_place_;
  std::size_t size_;
  std::byte* bytes_;
};

/// loop(inputs..., out, count) for the elements of a block.
template <class T, class Out, std::size_t kInputs>
using BlockLoop = std::conditional_t<kInputs == 1, FunctionRef<void(const T*, Out*, std::size_t)>,
                                     FunctionRef<void(const T*, const T*, Out*, std::size_t)>>;

/// Computes the first output from the first kInputs inputs, broadcast to it, on the call's threads: loop(inputs...,
/// out, count) for the elements of a block. T is as in BlockInput, Out as in BlockOutput.
template <class T, class Out, std::size_t kInputs>
void for_each_block(const Call& call, BlockLoop<T, Out, kInputs> loop) {
  const BroadcastWalk walk(call.out(0).shape(), call.inputs.first(kInputs));
  const BlockOutput<T, Out> output(call.out(0));
  split(call, walk.size(), kLeastElements, [&](std::size_t first, std::size_t end) {
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      std::array<BlockInput<T>, kInputs> inputs{BlockInput<T>(call, walk, K)...};
      output.fill(first, end,
                  [&](std::size_t at, std::size_t count, Out* out) { loop(inputs[K].read(at, count)..., out, count); });
    }(std::make_index_sequence<kInputs>());
  });
}

template <class T, class Out, class F>
void unary_block(const T* in, Out* out, std::size_t count, F f) {
  for (std::size_t i = 0; i < count; ++i) out[i] = stored(f(in[i]));
}
template <class T, class Out, class F>
void pair_block(const T* a, const T* b, Out* out, std::size_t count, F f) {
  for (std::size_t i = 0; i < count; ++i) out[i] = stored(f(a[i], b[i]));
}

/// The operator out[i] = f(in[i]), or f(a[i], b[i]) with broadcasting, for a function of values of T.
template <class T, class F>
void apply_to_blocks(const Call& call, F f) {
  if constexpr (std::is_invocable_v<F, T>) {
    using Out = std::invoke_result_t<F, T>;
    const auto loop = best_version<unary_block<T, Out, F>>(call.kernels);
    for_each_block<T, Out, 1>(call, [=](const T* in, Out* out, std::size_t count) { loop(in, out, count, f); });
  } else {
    using Out = std::invoke_result_t<F, T, T>;
    const auto loop = best_version<pair_block<T, Out, F>>(call.kernels);
    for_each_block<T, Out, 2>(call,
                              [=](const T* a, const T* b, Out* out, std::size_t count) { loop(a, b, out, count, f); });
  }
}

}  // namespace macaw::tosa
