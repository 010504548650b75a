#pragma once
#include <algorithm>

#include "reference/tosa/kernels/window/dense.hpp"

namespace macaw::tosa {

[[nodiscard]] inline bool consecutive(const GatherAxis& axis) {
  for (std::size_t i = 1; i < axis.taps.size(); ++i)
    if (axis.taps[i].offset != axis.taps[i - 1].offset + 1) return false;
  return true;
}

/// Takes elements from memory as they lie.
template <class T>
struct CopyElements {
  const T* from;

  void operator()(std::int64_t first, std::int64_t count, T* out) const { std::copy_n(from + first, count, out); }
};

/// Gathers the input elements that an output position sums, in the order of the weights, with `outside` for those that
/// are not in the input. `load(first, count, out)` writes elements of the input.
template <class T, class Load = CopyElements<T>>
class Gather {
 public:
  Gather(const DenseConvolution& convolution, Load load, T outside = T{0})
      : axes_(convolution.axes),
        channels_(convolution.in_channels),
        load_(load),
        outside_(outside),
        runs_(consecutive(axes_[2])) {}

  /// `position` counts batch, depth, height and width of the output grid.
  void row(std::int64_t position, T* out) const { rows(position, 1, out, 0); }

  /// `count` rows from `position` on, written `stride` elements apart.
  void rows(std::int64_t position, std::size_t count, T* out, std::size_t stride) const {
    const auto& [depth, height, width] = axes_;
    auto x = position % width.out_count;
    position /= width.out_count;
    auto y = position % height.out_count;
    position /= height.out_count;
    auto z = position % depth.out_count;
    auto batch = position / depth.out_count;
    for (auto left = static_cast<std::int64_t>(count); left > 0;) {
      const Positions line{x, std::min(left, width.out_count - x), stride};
      rows_of_line(batch, z * depth.in_step, y * height.in_step, line, out);
      left -= line.count;
      out += static_cast<std::size_t>(line.count) * stride;
      x = 0;
      if (++y < height.out_count) continue;
      y = 0;
      if (++z < depth.out_count) continue;
      z = 0;
      ++batch;
    }
  }

 private:
  /// Positions of one output line, and the distance between their rows.
  struct Positions {
    std::int64_t first, count;
    std::size_t stride;
  };

  void rows_of_line(std::int64_t batch, std::int64_t z, std::int64_t y, const Positions& positions, T* out) const {
    const auto& [depth, height, width] = axes_;
    const auto length = static_cast<std::int64_t>(width.taps.size()) * channels_;
    for (const auto& tap_z : depth.taps)
      for (const auto& tap_y : height.taps) {
        const auto iz = z + tap_z.offset, iy = y + tap_y.offset;
        if (iz < 0 || iz >= depth.in_size || iy < 0 || iy >= height.in_size)
          for_each_row(positions, 0, positions.count, out, [&](auto, T* to) { std::fill_n(to, length, outside_); });
        else
          gather_line(((batch * depth.in_size + iz) * height.in_size + iy) * width.in_size * channels_, positions, out);
        out += length;
      }
  }

  /// The part of each row that one input line gives.
  void gather_line(std::int64_t line, const Positions& positions, T* out) const {
    const auto& width = axes_[2];
    const auto taps = static_cast<std::int64_t>(width.taps.size()), step = width.in_step;
    if (!runs_ || taps == 0)
      return for_each_row(positions, 0, positions.count, out, [&](auto x, T* to) { gather_taps(line, x, to); });
    // All taps of the positions in between are inside the input.
    const auto first = positions.first * step + width.taps.front().offset, last = width.in_size - taps - first;
    const auto begin = std::clamp<std::int64_t>((step - 1 - first) / step, 0, positions.count);
    const auto end = last < 0 ? begin : std::clamp(last / step + 1, begin, positions.count);
    const auto at_edge = [&](std::int64_t x, T* to) { gather_edge(line, x + width.taps.front().offset, to); };
    for_each_row(positions, 0, begin, out, at_edge);
    const auto shift = line + width.taps.front().offset * channels_, count = taps * channels_;
    for_each_row(positions, begin, end, out, [&](auto x, T* to) { load_(shift + x * channels_, count, to); });
    for_each_row(positions, end, positions.count, out, at_edge);
  }

  /// Calls f(input position of the first tap without its offset, where the row is written) for positions [begin, end).
  template <class F>
  void for_each_row(const Positions& positions, std::int64_t begin, std::int64_t end, T* out, F f) const {
    out += static_cast<std::size_t>(begin) * positions.stride;
    for (auto i = begin; i < end; ++i, out += positions.stride) f((positions.first + i) * axes_[2].in_step, out);
  }

  /// Consecutive taps from input position `first` on, some of which are outside the input.
  void gather_edge(std::int64_t line, std::int64_t first, T* out) const {
    const auto& width = axes_[2];
    const auto count = static_cast<std::int64_t>(width.taps.size());
    const auto from = std::clamp<std::int64_t>(-first, 0, count);
    const auto to = std::clamp<std::int64_t>(width.in_size - first, from, count);
    if (from > 0) std::fill_n(out, from * channels_, outside_);
    if (to > from) load_(line + (first + from) * channels_, (to - from) * channels_, out + from * channels_);
    if (to < count) std::fill_n(out + to * channels_, (count - to) * channels_, outside_);
  }

  void gather_taps(std::int64_t line, std::int64_t x, T* out) const {
    for (const auto& tap : axes_[2].taps) {
      const auto ix = x + tap.offset;
      if (ix < 0 || ix >= axes_[2].in_size) std::fill_n(out, channels_, outside_);
      else load_(line + ix * channels_, channels_, out);
      out += channels_;
    }
  }

  const std::array<GatherAxis, 3>& axes_;
  std::int64_t channels_;
  Load load_;
  T outside_;
  bool runs_;
};

/// Output positions of the grid.
[[nodiscard]] inline std::size_t output_positions(const DenseConvolution& convolution) {
  const auto& [depth, height, width] = convolution.axes;
  return static_cast<std::size_t>(convolution.batches * depth.out_count * height.out_count * width.out_count);
}

/// Input elements [first, second) from the first line that output position `first` sums to the last one of `last`.
[[nodiscard]] inline std::pair<std::int64_t, std::int64_t> input_lines(const DenseConvolution& convolution,
                                                                       std::int64_t first, std::int64_t last) {
  const auto& [depth, height, width] = convolution.axes;
  if (depth.taps.empty() || height.taps.empty()) return {0, 0};
  const auto line = [&](std::int64_t position, auto choose) {
    position /= width.out_count;
    const auto at = [&](const GatherAxis& axis) {
      const auto i = position % axis.out_count;
      position /= axis.out_count;
      const auto offset = choose(axis.taps.front().offset, axis.taps.back().offset);
      return std::clamp<std::int64_t>(i * axis.in_step + offset, 0, axis.in_size - 1);
    };
    const auto y = at(height), z = at(depth);
    return (position * depth.in_size + z) * height.in_size + y;
  };
  const auto size = width.in_size * convolution.in_channels;
  return {line(first, [](auto a, auto b) { return std::min(a, b); }) * size,
          (line(last, [](auto a, auto b) { return std::max(a, b); }) + 1) * size};
}

/// Products that an output sums, with those outside the input.
[[nodiscard]] inline std::size_t rows_of_weights(const DenseConvolution& convolution) {
  const auto& [depth, height, width] = convolution.axes;
  return depth.taps.size() * height.taps.size() * width.taps.size() * static_cast<std::size_t>(convolution.in_channels);
}

/// Calls f(k, output channel, index of the weight) for all weights of the output channels [first, end), k counting as
/// in a gathered row.
template <class F>
void for_each_weight(const DenseConvolution& convolution, std::int64_t first_channel, std::int64_t end, F f) {
  const auto& [depth, height, width] = convolution.axes;
  for (std::int64_t oc = first_channel; oc < end; ++oc) {
    std::size_t k = 0;
    for (const auto& z : depth.taps)
      for (const auto& y : height.taps)
        for (const auto& x : width.taps) {
          const auto position =
              ((oc * depth.weight_size + z.weight) * height.weight_size + y.weight) * width.weight_size + x.weight;
          const auto first = position * convolution.in_channels;
          for (std::int64_t ic = 0; ic < convolution.in_channels; ++ic)
            f(k++, static_cast<std::size_t>(oc), static_cast<std::size_t>(first + ic));
        }
  }
}

/// Whether an output channel's weights are summed in the order in which they lie.
[[nodiscard]] inline bool takes_all_weights(const DenseConvolution& convolution) {
  return std::all_of(convolution.axes.begin(), convolution.axes.end(), [](const GatherAxis& axis) {
    for (std::size_t i = 0; i < axis.taps.size(); ++i)
      if (axis.taps[i].weight != static_cast<std::int64_t>(i)) return false;
    return axis.taps.size() == static_cast<std::size_t>(axis.weight_size);
  });
}

/// Whether output positions lie in the order in which they are counted, without gaps.
[[nodiscard]] inline bool fills_output(const DenseConvolution& convolution) {
  return std::all_of(convolution.axes.begin(), convolution.axes.end(), [](const GatherAxis& axis) {
    return axis.out_first == 0 && axis.out_step == 1 && axis.out_count == axis.out_size;
  });
}

/// Whether input rows are the rows of the product as they lie.
[[nodiscard]] inline bool is_pointwise(const DenseConvolution& convolution) {
  return std::all_of(convolution.axes.begin(), convolution.axes.end(), [](const GatherAxis& axis) {
    return axis.taps.size() == 1 && axis.taps[0].offset == 0 && axis.in_step == 1 && axis.out_count == axis.in_size;
  });
}

/// Offset of the first channel of an output position, in elements.
[[nodiscard]] inline std::int64_t output_offset(const DenseConvolution& convolution, std::int64_t position) {
  const auto& [depth, height, width] = convolution.axes;
  const auto at = [&](const GatherAxis& axis) {
    const auto i = position % axis.out_count;
    position /= axis.out_count;
    return axis.out_first + i * axis.out_step;
  };
  const auto x = at(width), y = at(height), z = at(depth);
  return (((position * depth.out_size + z) * height.out_size + y) * width.out_size + x) * convolution.out_channels;
}

}  // namespace macaw::tosa
