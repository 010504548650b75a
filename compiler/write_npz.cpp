#include "compiler/compile.hpp"

#include <macaw/npu/write_artifact.hpp>

#include <algorithm>
#include <cstring>
#include <span>

namespace macaw::npu {
namespace {

template <class T>
NpyArray array(const char* descr, Shape shape, std::span<const T> values) {
  NpyArray a{descr, std::move(shape), std::vector<std::byte>(values.size_bytes())};
  if (!values.empty()) std::memcpy(a.bytes.data(), values.data(), values.size_bytes());
  return a;
}

NpyArray integers(Shape shape, const std::vector<std::int64_t>& values) {
  return array<std::int64_t>("<i8", std::move(shape), values);
}

NpyArray integer(std::int64_t value) { return integers({}, {value}); }

/// A numpy bytes scalar; never empty.
template <class T>
NpyArray bytes_scalar(std::vector<T> values) {
  if (values.empty()) values.push_back(0);
  return array<T>(("|S" + std::to_string(values.size() * sizeof(T))).c_str(), {}, values);
}

/// The four members that describe one kind of tensors.
void add_tensors(std::map<std::string, NpyArray>& npz, const std::string& kind, const Network& network,
                 const std::vector<int>& tensors) {
  std::vector<std::int64_t> shapes, sizes, regions, offsets;
  std::size_t rank = 1;
  for (const int i : tensors) rank = std::max(rank, network.tensors[i].shape.size());
  for (const int i : tensors) {
    const auto& t = network.tensors[i];
    Shape shape = t.shape;
    shape.insert(shape.begin(), rank - shape.size(), 1);
    shapes.insert(shapes.end(), shape.begin(), shape.end());
    sizes.push_back(static_cast<std::int64_t>(size_of(t.dtype)));
    regions.push_back(kArenaRegion);
    offsets.push_back(static_cast<std::int64_t>(network.storages[t.storage].address));
  }
  const auto n = static_cast<std::int64_t>(tensors.size());
  npz[kind + "_shape"] = integers(n ? Shape{n, static_cast<std::int64_t>(rank)} : Shape{0}, shapes);
  npz[kind + "_elem_size"] = integers({n}, sizes);
  npz[kind + "_region"] = integers({n}, regions);
  npz[kind + "_offset"] = integers({n}, offsets);
}

}  // namespace

std::map<std::string, NpyArray> to_npz(const Compiled& compiled) {
  const auto& network = compiled.network;
  std::map<std::string, NpyArray> npz;
  npz["cmd_data"] = bytes_scalar(driver_payload(std::get<CommandStream>(to_artifact(compiled).steps.front())));
  npz["weight_data"] = bytes_scalar(network.constants);
  npz["weight_region"] = integer(kConstantRegion);
  const auto arena = static_cast<std::int64_t>(network.arena_size);
  npz["scratch_shape"] = integers({1}, {arena});
  npz["scratch_region"] = integer(kArenaRegion);
  npz["scratch_size"] = integer(arena);
  const auto fast = static_cast<std::int64_t>(network.fast_size);
  npz["scratch_fast_shape"] = integers({1}, {fast});
  npz["scratch_fast_region"] = integer(fast > 0 ? kFastRegion : 0);
  npz["scratch_fast_size"] = integer(fast);
  add_tensors(npz, "input", network, network.inputs);
  add_tensors(npz, "output", network, network.outputs);
  add_tensors(npz, "variable", network, network.variables);
  if (auto initial = initial_arena(network); !initial.empty()) npz["scratch_data"] = bytes_scalar(std::move(initial));
  const auto debug = debug_database(compiled);
  npz["debug_database"] = bytes_scalar(std::vector<std::uint8_t>(debug.begin(), debug.end()));
  return npz;
}

Result<void> write_compiled(const std::filesystem::path& file, const Compiled& compiled) {
  return write_npz(file, to_npz(compiled));
}

}  // namespace macaw::npu
