#include <algorithm>
#include <numeric>

#include "tests/differential/tflite/maker.hpp"

namespace macaw::test {
namespace {

const std::vector<fb::TensorType> kAny = {INT8, INT16, INT32, FLOAT32};

int rank(const Value& value) { return static_cast<int>(value.shape.size()); }

/// An axis, sometimes counted from the end.
int axis(Maker& m, int axis_from_start, int of) { return m.chance(30) ? axis_from_start - of : axis_from_start; }

/// `value` and others of its kind, whose extents along an axis differ if they may.
std::vector<Value> alike(Maker& m, const Value& value, int along) {
  std::vector<Value> values = {value};
  for (int i = m.pick(1, 3); i > 0; --i) {
    Extents shape = value.shape;
    if (along >= 0) shape[static_cast<std::size_t>(along)] = m.pick(1, 5);
    values.push_back(m.other(value.type, shape, value.scale, value.zero));
  }
  return values;
}

std::vector<int> ids(const std::vector<Value>& values) {
  std::vector<int> result;
  for (const auto& value : values) result.push_back(value.id);
  return result;
}

}  // namespace

void make_reshape(Maker& m, int builtin) {
  const Value in = m.operand(kAny);
  const auto size = static_cast<std::int32_t>(elements(in.shape));
  const Extents out = m.chance(50) ? Extents{size} : Extents{1, size, 1};
  m.op(builtin, {in.id, m.ints(out)}, {m.result_like(in, out)});
}

void make_expand_dims(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT16, FLOAT32}, m.pick(1, 3));
  const int at = m.pick(0, rank(in));
  Extents out = in.shape;
  out.insert(out.begin() + at, 1);
  m.op(builtin, {in.id, m.ints({axis(m, at, rank(in) + 1)}, Extents{})}, {m.result_like(in, out)});
}

void make_squeeze(Maker& m, int builtin) {
  auto shape = m.shape(m.pick(2, 4));
  shape[0] = 1;
  const Value in = m.input(m.bytes(), shape);
  Extents out;
  std::ranges::copy_if(shape, std::back_inserter(out), [](int extent) { return extent != 1; });
  m.op(builtin, {in.id}, {m.result_like(in, out)});
}

void make_transpose(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT8, INT16}, m.pick(2, 4));
  std::vector<std::int32_t> perms(in.shape.size());
  std::iota(perms.begin(), perms.end(), 0);
  for (std::size_t i = perms.size(); i > 1; --i)
    std::swap(perms[i - 1], perms[static_cast<std::size_t>(m.pick(0, static_cast<int>(i) - 1))]);
  Extents out;
  for (const auto p : perms) out.push_back(in.shape[static_cast<std::size_t>(p)]);
  m.op(builtin, {in.id, m.ints(perms)}, {m.result_like(in, out)});
}

void make_reverse(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT16, INT32, FLOAT32});
  m.op(builtin, {in.id, m.ints({m.pick(0, rank(in) - 1)})}, {m.result_like(in, in.shape)});
}

void make_tile(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT32});
  std::vector<std::int32_t> times;
  Extents out = in.shape;
  for (auto& extent : out) extent *= times.emplace_back(m.pick(1, 3));
  m.op(builtin, {in.id, m.ints(times)}, {m.result_like(in, out)});
}

void make_broadcast_to(Maker& m, int builtin) {
  auto shape = m.shape(m.pick(1, 4));
  Extents out = shape;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (m.chance(50)) shape[i] = 1;
  const Value in = m.input(INT8, shape);
  m.op(builtin, {in.id, m.ints(out)}, {m.result_like(in, out)});
}

void make_fill(Maker& m, int builtin) {
  const auto shape = m.shape(m.pick(1, 4));
  const Value value = m.input(INT8, {}, m.scale(), 0);
  m.op(builtin, {m.ints(shape), value.id}, {m.result_like(value, shape)});
}

void make_shape(Maker& m, int builtin) {
  const Value in = m.operand({INT8, FLOAT32});
  m.op(builtin, {in.id}, {m.result(INT32, {rank(in)})}, fb::ShapeOptionsT{});
}

void make_zeros_like(Maker& m, int builtin) {
  const Value in = m.operand({INT32, INT64, FLOAT32});
  m.op(builtin, {in.id}, {m.result(in.type, in.shape)});
}

void make_pad(Maker& m, int builtin) {
  constexpr int kPadV2 = 60;
  const Value in = m.operand({INT8, INT8, INT16, FLOAT32});
  std::vector<std::int32_t> amounts;
  Extents out = in.shape;
  for (auto& extent : out) {
    amounts.push_back(m.pick(0, 3));
    amounts.push_back(m.pick(0, 3));
    extent += amounts.back() + amounts[amounts.size() - 2];
  }
  std::vector<int> inputs = {in.id, m.ints(amounts, Extents{rank(in), 2})};
  if (builtin == kPadV2) inputs.push_back(m.constant(in.type, {1}, in.scale, in.zero).id);
  m.op(builtin, inputs, {m.result_like(in, out)});
}

void make_mirror_pad(Maker& m, int builtin) {
  const Value in = m.operand({INT8, FLOAT32});
  fb::MirrorPadOptionsT options;
  options.mode = m.chance(50) ? fb::MirrorPadMode::REFLECT : fb::MirrorPadMode::SYMMETRIC;
  const int skipped = options.mode == fb::MirrorPadMode::REFLECT ? 1 : 0;
  std::vector<std::int32_t> amounts;
  Extents out = in.shape;
  for (auto& extent : out) {
    const int most = extent - skipped;
    amounts.push_back(m.pick(0, most));
    amounts.push_back(m.pick(0, most));
    extent += amounts.back() + amounts[amounts.size() - 2];
  }
  m.op(builtin, {in.id, m.ints(amounts, Extents{rank(in), 2})}, {m.result_like(in, out)}, options);
}

void make_concatenation(Maker& m, int builtin) {
  const Value in = m.operand(kAny);
  const int along = m.pick(0, rank(in) - 1);
  const auto parts = alike(m, in, along);
  Extents out = in.shape;
  out[static_cast<std::size_t>(along)] = 0;
  for (const auto& part : parts) out[static_cast<std::size_t>(along)] += part.shape[static_cast<std::size_t>(along)];
  fb::ConcatenationOptionsT options;
  options.axis = axis(m, along, rank(in));
  m.op(builtin, ids(parts), {m.result_like(in, out)}, options);
}

void make_pack(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT32, FLOAT32}, m.pick(1, 3));
  const auto parts = alike(m, in, -1);
  fb::PackOptionsT options;
  options.values_count = static_cast<int>(parts.size());
  const int at = m.pick(0, rank(in));
  options.axis = axis(m, at, rank(in) + 1);
  Extents out = in.shape;
  out.insert(out.begin() + at, options.values_count);
  m.op(builtin, ids(parts), {m.result_like(in, out)}, options);
}

void make_unpack(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT32, FLOAT32}, m.pick(2, 4));
  fb::UnpackOptionsT options;
  const int along = m.pick(0, rank(in) - 1);
  options.axis = axis(m, along, rank(in));
  options.num = in.shape[static_cast<std::size_t>(along)];
  Extents out = in.shape;
  out.erase(out.begin() + along);
  std::vector<Value> parts;
  for (int i = 0; i < options.num; ++i) parts.push_back(m.result_like(in, out));
  m.op(builtin, {in.id}, parts, options);
}

void make_slice(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT8, INT16, INT32, FLOAT32});
  std::vector<std::int32_t> begin, size;
  Extents out;
  for (const int extent : in.shape) {
    begin.push_back(m.pick(0, extent - 1));
    out.push_back(m.pick(1, extent - begin.back()));
    size.push_back(out.back() == extent - begin.back() && m.chance(50) ? -1 : out.back());
  }
  m.op(builtin, {in.id, m.ints(begin), m.ints(size)}, {m.result_like(in, out)});
}

void make_strided_slice(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT8, INT16, INT32, FLOAT32});
  std::vector<std::int32_t> begin, end, strides;
  fb::StridedSliceOptionsT options;
  Extents out;
  for (int i = 0; i < rank(in); ++i) {
    const int extent = in.shape[static_cast<std::size_t>(i)];
    if (m.chance(15)) {
      options.shrink_axis_mask |= 1 << i;
      begin.push_back(m.pick(0, extent - 1));
      end.push_back(begin.back() + 1);
      strides.push_back(1);
      continue;
    }
    const int step = m.pick(1, 3), count = m.pick(1, (extent + step - 1) / step);
    const int low = m.pick(0, extent - 1 - (count - 1) * step), high = low + (count - 1) * step;
    const bool is_backward = m.chance(25);
    strides.push_back(is_backward ? -step : step);
    begin.push_back(is_backward ? high : low);
    if (is_backward) end.push_back(low - 1 >= 0 ? low - 1 : low - 1 - extent);
    else end.push_back(high + 1);
    if (m.chance(20) && !is_backward && high + step >= extent) {
      options.end_mask |= 1 << i;
      end.back() = 0;
    }
    if (m.chance(20) && !is_backward && low == 0) options.begin_mask |= 1 << i;
    out.push_back(count);
  }
  m.op(builtin, {in.id, m.ints(begin), m.ints(end), m.ints(strides)}, {m.result_like(in, out)}, options);
}

void make_split(Maker& m, int builtin) {
  auto shape = m.shape(m.pick(1, 4));
  const int along = m.pick(0, static_cast<int>(shape.size()) - 1), parts = m.pick(1, 3);
  Extents out = shape;
  shape[static_cast<std::size_t>(along)] *= parts;
  const Value in = m.input(m.one_of(std::vector{m.bytes(), INT16, FLOAT32}), shape);
  fb::SplitOptionsT options;
  options.num_splits = parts;
  std::vector<Value> results;
  for (int i = 0; i < parts; ++i) results.push_back(m.result_like(in, out));
  m.op(builtin, {m.ints({axis(m, along, rank(in))}, Extents{}), in.id}, results, options);
}

void make_split_v(Maker& m, int builtin) {
  auto shape = m.shape(m.pick(1, 4));
  const int along = m.pick(0, static_cast<int>(shape.size()) - 1);
  std::vector<std::int32_t> extents;
  for (int i = m.pick(1, 3); i > 0; --i) extents.push_back(m.pick(1, 4));
  shape[static_cast<std::size_t>(along)] = std::accumulate(extents.begin(), extents.end(), 0);
  const Value in = m.input(m.one_of(std::vector{m.bytes(), INT16, FLOAT32}), shape);
  fb::SplitVOptionsT options;
  options.num_splits = static_cast<int>(extents.size());
  std::vector<Value> results;
  for (const int extent : extents) {
    Extents out = shape;
    out[static_cast<std::size_t>(along)] = extent;
    results.push_back(m.result_like(in, out));
  }
  m.op(builtin, {in.id, m.ints(extents), m.ints({along}, Extents{})}, results, options);
}

void make_gather(Maker& m, int builtin) {
  const Value in = m.operand({INT8, INT8, FLOAT32});
  fb::GatherOptionsT options;
  const int along = m.pick(0, rank(in) - 1);
  options.axis = along;
  std::vector<std::int32_t> indices;
  for (int i = m.pick(1, 6); i > 0; --i) indices.push_back(m.pick(0, in.shape[static_cast<std::size_t>(along)] - 1));
  Extents out = in.shape;
  out[static_cast<std::size_t>(along)] = static_cast<int>(indices.size());
  m.op(builtin, {in.id, m.ints(indices)}, {m.result_like(in, out)}, options);
}

void make_gather_nd(Maker& m, int builtin) {
  const Value in = m.operand({INT8, FLOAT32});
  const int depth = m.pick(1, rank(in)), count = m.pick(1, 5);
  std::vector<std::int32_t> indices;
  for (int i = 0; i < count; ++i)
    for (int a = 0; a < depth; ++a) indices.push_back(m.pick(0, in.shape[static_cast<std::size_t>(a)] - 1));
  Extents out = {count};
  out.insert(out.end(), in.shape.begin() + depth, in.shape.end());
  m.op(builtin, {in.id, m.ints(indices, Extents{count, depth})}, {m.result_like(in, out)});
}

/// Places may come twice.
void make_scatter_nd(Maker& m, int builtin) {
  const Extents shape = m.shape(m.pick(1, 4), 5);
  const int depth = m.pick(1, static_cast<int>(shape.size())), count = m.pick(1, 6);
  std::vector<std::int32_t> indices;
  for (int i = 0; i < count; ++i)
    for (int a = 0; a < depth; ++a) indices.push_back(m.pick(0, shape[static_cast<std::size_t>(a)] - 1));
  Extents updates = {count};
  updates.insert(updates.end(), shape.begin() + depth, shape.end());
  const Value in = m.input(m.one_of(std::vector{m.bytes(), INT32, FLOAT32}), updates);
  m.op(builtin, {m.ints(indices, Extents{count, depth}), in.id, m.ints(shape)}, {m.result_like(in, shape)});
}

void make_space_to_depth(Maker& m, int builtin) {
  auto shape = m.shape(4, 4);
  const int block = m.pick(1, 3);
  const Extents out = {shape[0], shape[1], shape[2], shape[3] * block * block};
  shape[1] *= block;
  shape[2] *= block;
  const Value in = m.input(m.one_of(std::vector{INT8, FLOAT32}), shape);
  fb::SpaceToDepthOptionsT options;
  options.block_size = block;
  m.op(builtin, {in.id}, {m.result_like(in, out)}, options);
}

void make_depth_to_space(Maker& m, int builtin) {
  auto shape = m.shape(4, 4);
  const int block = m.pick(1, 3);
  const Extents out = {shape[0], shape[1] * block, shape[2] * block, shape[3]};
  shape[3] *= block * block;
  const Value in = m.input(m.one_of(std::vector{INT8, FLOAT32}), shape);
  fb::DepthToSpaceOptionsT options;
  options.block_size = block;
  m.op(builtin, {in.id}, {m.result_like(in, out)}, options);
}

/// With the zero point 0: TensorFlow Lite for Microcontrollers surrounds an image with what it finds in its arena,
/// which is 0 at first.
void make_space_to_batch_nd(Maker& m, int builtin) {
  const Extents blocked = m.shape(4, 4);
  const int bh = m.pick(1, 3), bw = m.pick(1, 3);
  const int height = blocked[1] * bh, width = blocked[2] * bw;
  const int top = m.pick(0, std::min(2, height - 1)), bottom = m.pick(0, std::min(1, height - 1 - top)),
            left = m.pick(0, std::min(2, width - 1)), right = m.pick(0, std::min(1, width - 1 - left));
  const bool is_float = m.chance(50);
  const Value in =
      m.input(is_float ? FLOAT32 : INT8, {blocked[0], height - top - bottom, width - left - right, blocked[3]},
              is_float ? 0 : m.scale(), 0);
  m.op(builtin, {in.id, m.ints({bh, bw}), m.ints({top, bottom, left, right}, Extents{2, 2})},
       {m.result_like(in, {blocked[0] * bh * bw, blocked[1], blocked[2], blocked[3]})});
}

void make_batch_to_space_nd(Maker& m, int builtin) {
  const Extents wide = m.shape(4, 4);
  const int bh = m.pick(1, 3), bw = m.pick(1, 3);
  const int top = m.pick(0, std::min(2, wide[1] * bh - 1)), left = m.pick(0, std::min(2, wide[2] * bw - 1));
  const Value in = m.input(m.one_of(std::vector{INT8, FLOAT32}), {wide[0] * bh * bw, wide[1], wide[2], wide[3]});
  m.op(builtin, {in.id, m.ints({bh, bw}), m.ints({top, 0, left, 0}, Extents{2, 2})},
       {m.result_like(in, {wide[0], wide[1] * bh - top, wide[2] * bw - left, wide[3]})});
}

}  // namespace macaw::test
