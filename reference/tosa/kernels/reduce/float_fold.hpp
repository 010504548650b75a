#pragma once
#include "reference/tosa/kernels/elementwise/float_blocks.hpp"
#include "reference/tosa/kernels/reduce/axis.hpp"

// Reductions along an axis in floating point: operands narrower than T, float or double, are converted part by part,
// and the call's threads share the outputs. Each output takes its operands in the order of the axis.

namespace macaw::tosa {

/// Elements of a tensor as T, some at a time.
template <class T>
class FloatReader {
 public:
  explicit FloatReader(const Tensor& tensor)
      : dtype_(tensor.dtype()), size_(static_cast<std::size_t>(tensor.size())), bytes_(tensor.bytes().data()) {}

  /// `count` elements from `first` on, at most a block, until the next call. `ahead`: also converts the elements that
  /// follow, which are read next.
  [[nodiscard]] const T* read(std::size_t first, std::size_t count, bool ahead) {
    if (dtype_ == kFloatType<T>) return reinterpret_cast<const T*>(bytes_) + first;
    if (first < first_ || first + count > end_) {
      first_ = first;
      end_ = ahead ? std::min(first + kFloatBlock, size_) : first + count;
      decode_floats<T>(dtype_, bytes_ + first * size_of(dtype_), {values_.data(), end_ - first});
    }
    return values_.data() + (first - first_);
  }

 private:
  DType dtype_;
  std::size_t size_, first_ = 0, end_ = 0;
  const std::byte* bytes_;
  alignas(64) std::array<T, kFloatBlock> values_;
};

/// Walks the reduction that gives outputs [first, end), a block of neighbours at a time: begin(output, count); then for
/// every position i on the axis, in order, step(i, values, count) with a value for each of them, or where the axis is
/// the last one, for each output of the block along(its number, i, values, count) with its values at i and the next
/// positions; then finish(output, count).
template <class T, class Fold>
void walk_fold(const AxisWalk& walk, const Tensor& input, std::size_t first, std::size_t end, Fold& fold) {
  const auto inner = static_cast<std::size_t>(walk.inner), extent = static_cast<std::size_t>(walk.extent);
  // Blocks of a row are of about one size, so that none is all but empty.
  const auto blocks = inner / kFloatBlock + 1;
  const auto block = inner == 1 ? kFloatBlock : (inner + blocks - 1) / blocks;
  FloatReader<T> reader(input);
  for (std::size_t count = 0; first < end; first += count) {
    const auto outer = first / inner, k = first % inner;
    count = std::min(block, inner == 1 ? end - first : std::min(inner - k, end - first));
    fold.begin(first, count);
    if (inner == 1) {
      for (std::size_t o = 0; o < count; ++o)
        for (std::size_t i = 0, length = 0; i < extent; i += length) {
          length = std::min(kFloatBlock, extent - i);
          fold.along(o, i, reader.read((first + o) * extent + i, length, true), length);
        }
    } else {
      for (std::size_t i = 0; i < extent; ++i)
        fold.step(i, reader.read((outer * extent + i) * inner + k, count, count == inner), count);
    }
    fold.finish(first, count);
  }
}

/// Least number of outputs for a thread.
inline std::size_t least_outputs(const AxisWalk& walk) {
  return kLeastElements / static_cast<std::size_t>(std::max<std::int64_t>(walk.extent, 1)) + 1;
}

template <class T, class F>
void fold_block(T* results, const T* values, std::size_t count, F apply) {
  for (std::size_t i = 0; i < count; ++i) results[i] = apply(results[i], values[i]);
}

/// out = apply(out, value) along the axis, from `start` on.
template <class T, class F>
void float_reduce(const Call& call, T start, F apply) {
  struct Fold {
    const BlockOutput<T>& out;
    T start;
    F apply;
    void (*loop)(T*, const T*, std::size_t, F);
    alignas(64) std::array<T, kFloatBlock> results;

    void begin(std::size_t, std::size_t count) { std::fill_n(results.begin(), count, start); }
    void step(std::size_t, const T* values, std::size_t count) { loop(results.data(), values, count, apply); }
    void along(std::size_t o, std::size_t, const T* values, std::size_t count) {
      auto result = results[o];
      for (std::size_t i = 0; i < count; ++i) result = apply(result, values[i]);
      results[o] = result;
    }
    void finish(std::size_t output, std::size_t count) { out.store(output, {results.data(), count}); }
  };
  const AxisWalk walk(call);
  const BlockOutput<T> out(call.out(0));
  const auto loop = best_version<fold_block<T, F>>(call.kernels);
  split(call, static_cast<std::size_t>(walk.outer * walk.inner), least_outputs(walk),
        [&](std::size_t first, std::size_t end) {
          Fold fold{out, start, apply, loop, {}};
          walk_fold<T>(walk, call.in(0), first, end, fold);
        });
}

}  // namespace macaw::tosa
