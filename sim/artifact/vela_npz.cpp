#include <fmt/format.h>
#include <macaw/npy.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <macaw/npu/debug_database.hpp>
#include "sim/artifact/loader.hpp"
#include "sim/artifact/local_addresses.hpp"

// Vela's --output-format raw (u55_u65 1.4; Vela ethosu/vela/rawdata_writer.py and
// ethosu/regor/compiler/raw_writer.cpp).
namespace macaw::npu {
namespace {

constexpr std::size_t kMaxNpzTensors = 65536;
constexpr std::uint64_t kUnused = ~std::uint64_t{0};  // offset of a tensor that the stream does not access

class NpzReader {
 public:
  NpzReader(const Npz& npz, const std::string& file) : npz_(npz), file_(file) {}

  [[nodiscard]] Result<const NpyArray*> array(const std::string& key) const {
    const auto at = npz_.arrays.find(key);
    if (at == npz_.arrays.end()) return error(fmt::format("there is no array {}", key));
    return &at->second;
  }

  [[nodiscard]] bool has(const std::string& key) const { return npz_.arrays.contains(key); }

  /// Elements of an integer array. numpy converts empty lists and lists that contain 2^64-1 to float64.
  [[nodiscard]] Result<std::vector<std::uint64_t>> numbers(const std::string& key) const {
    MACAW_ASSIGN(const NpyArray* in, array(key));
    const bool is_float = in->descr == "<f8";
    if (!is_float && in->descr != "<i8" && in->descr != "<u8")
      return error(fmt::format("{} has elements of type {}, not 64-bit integers", key, in->descr));
    std::vector<std::uint64_t> out(in->bytes.size() / 8);
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::memcpy(&out[i], in->bytes.data() + i * 8, 8);
      if (!is_float) continue;
      double value;
      std::memcpy(&value, &out[i], 8);
      constexpr double kTwo64 = 18446744073709551616.0;
      if (!(value >= 0 && value <= kTwo64) || value != std::floor(value))
        return error(fmt::format("{} has the element {}, not an integer", key, value));
      out[i] = value == kTwo64 ? kUnused : static_cast<std::uint64_t>(value);
    }
    return out;
  }

  [[nodiscard]] Result<std::uint64_t> number(const std::string& key) const {
    MACAW_ASSIGN(const auto list, numbers(key));
    if (list.size() != 1) return error(fmt::format("{} has {} elements, not one", key, list.size()));
    return list[0];
  }

  [[nodiscard]] Result<int> region(const std::string& key) const {
    MACAW_ASSIGN(const auto value, number(key));
    if (value > 7) return error(fmt::format("{} is {}, not 0 to 7", key, value));
    return int(value);
  }

  [[nodiscard]] tl::unexpected<Error> error(std::string what) const {
    return fail(ErrorCode::kInvalidFile, std::move(what), {.file = file_});
  }

 private:
  const Npz& npz_;
  const std::string& file_;
};

class NpzLoader {
 public:
  NpzLoader(const Npz& npz, const std::string& file) : in_(npz, file) { artifact_.file = file; }

  Result<Artifact> load() {
    MACAW_ASSIGN(const NpyArray* payload_bytes, in_.array("cmd_data"));
    MACAW_ASSIGN(auto payload, parse_driver_payload(payload_bytes->bytes, artifact_.file + ": cmd_data"));
    MACAW_CHECK(add_fixed_memories());
    MACAW_CHECK(add_tensors("input", artifact_.inputs));
    MACAW_CHECK(add_tensors("output", artifact_.outputs));
    if (payload.local_addressing) MACAW_CHECK(add_local_variables());
    else MACAW_CHECK(add_tensors("variable", artifact_.variables));
    for (std::size_t i = 0; i < artifact_.memories.size(); ++i)
      for (auto& region : regions_)
        if (region.memory == int(i)) region.size = artifact_.memories[i].size;
    const bool local_addressing = payload.local_addressing;
    MACAW_CHECK(add_payload(artifact_, std::move(payload), "cmd_data", regions_));
    if (local_addressing) MACAW_CHECK(find_overlaps(std::get<CommandStream>(artifact_.steps.front()).overlaps));
    MACAW_CHECK(check_bindings(artifact_));
    MACAW_CHECK(add_debug_database());
    return std::move(artifact_);
  }

 private:
  /// Keys that `macaw compile` writes in addition to Vela's.
  Result<void> add_debug_database() {
    if (!in_.has("debug_database")) return {};
    MACAW_ASSIGN(const NpyArray* text, in_.array("debug_database"));
    MACAW_ASSIGN(auto database, DebugDatabase::parse(text->bytes, artifact_.file + ": debug_database"));
    artifact_.debug = std::make_shared<const DebugDatabase>(std::move(database));
    return {};
  }

  Result<void> add_fixed_memories() {
    MACAW_ASSIGN(const int weights, in_.region("weight_region"));
    MACAW_ASSIGN(const NpyArray* data, in_.array("weight_data"));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(data->bytes.data());
    regions_[std::size_t(weights)].memory = int(artifact_.memories.size());
    const auto size = data->bytes.size();
    artifact_.memories.push_back(
        {.name = "weights", .size = size, .initial = {bytes, bytes + size}, .read_only = true});

    MACAW_ASSIGN(const int scratch, in_.region("scratch_region"));
    MACAW_ASSIGN(const auto scratch_size, in_.number("scratch_size"));
    MACAW_CHECK(add_scratch("scratch", scratch, scratch_size));
    MACAW_CHECK(add_scratch_contents(std::size_t(scratch)));
    MACAW_ASSIGN(const auto fast_size, in_.number("scratch_fast_size"));
    if (fast_size == 0) return {};  // its region is then 0 and has no meaning
    MACAW_ASSIGN(const int fast, in_.region("scratch_fast_region"));
    return add_scratch("scratch_fast", fast, fast_size);
  }

  Result<void> add_scratch(const char* name, int region, std::uint64_t size) {
    if (size > kMaxMemory) return in_.error(fmt::format("{} has {} bytes", name, size));
    auto& binding = regions_[std::size_t(region)];
    if (binding.memory >= 0) {
      auto& memory = artifact_.memories[std::size_t(binding.memory)];
      if (memory.read_only) return in_.error(fmt::format("{} and the weights share region {}", name, region));
      memory.size = std::max(memory.size, size);
      return {};
    }
    binding.memory = int(artifact_.memories.size());
    artifact_.memories.push_back({.name = name, .size = size});
    return {};
  }

  /// Initial values of variables, which `macaw compile` writes in addition to Vela's keys.
  Result<void> add_scratch_contents(std::size_t region) {
    if (!in_.has("scratch_data")) return {};
    MACAW_ASSIGN(const NpyArray* data, in_.array("scratch_data"));
    auto& memory = artifact_.memories[std::size_t(regions_[region].memory)];
    if (data->bytes.size() > memory.size)
      return in_.error(fmt::format("scratch_data has {} bytes, scratch_size is {}", data->bytes.size(), memory.size));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(data->bytes.data());
    memory.initial.assign(bytes, bytes + data->bytes.size());
    return {};
  }

  Result<void> add_tensors(const std::string& kind, std::vector<TensorBinding>& out) {
    MACAW_ASSIGN(const auto sizes, in_.numbers(kind + "_elem_size"));
    MACAW_ASSIGN(const auto offsets, in_.numbers(kind + "_offset"));
    MACAW_ASSIGN(const auto regions, in_.numbers(kind + "_region"));
    MACAW_ASSIGN(const auto extents, in_.numbers(kind + "_shape"));
    MACAW_ASSIGN(const NpyArray* shapes, in_.array(kind + "_shape"));
    const auto count = sizes.size();
    if (offsets.size() != count || regions.size() != count)
      return in_.error(fmt::format("{0}_elem_size, {0}_offset and {0}_region have {1}, {2} and {3} elements", kind,
                                   count, offsets.size(), regions.size()));
    if (count > kMaxNpzTensors) return in_.error(fmt::format("{} {}s, more than {}", count, kind, kMaxNpzTensors));
    if (count == 0) return {};
    if (shapes->shape.size() != 2 || shapes->shape[0] != std::int64_t(count))
      return in_.error(fmt::format("{}_shape is not one row for each of {} tensors", kind, count));
    const auto rank = std::size_t(shapes->shape[1]);

    for (std::size_t i = 0; i < count; ++i) {
      TensorBinding tensor;
      tensor.name = fmt::format("{}_{}", kind, i);
      for (std::size_t d = 0; d < rank; ++d) {
        const auto extent = extents[i * rank + d];
        if (extent > kMaxMemory) return in_.error(fmt::format("{}_shape has the extent {}", kind, extent));
        tensor.shape.push_back(std::int64_t(extent));
      }
      if (sizes[i] != 1 && sizes[i] != 2 && sizes[i] != 4 && sizes[i] != 8)
        return in_.error(fmt::format("{}_elem_size has the element {}", kind, sizes[i]));
      tensor.element_size = unsigned(sizes[i]);
      if (regions[i] > 7) return in_.error(fmt::format("{}_region has the element {}", kind, regions[i]));
      if (offsets[i] != kUnused) MACAW_CHECK(place(tensor, std::size_t(regions[i]), offsets[i]));
      out.push_back(std::move(tensor));
    }
    return {};
  }

  // The writer states that variables are in the scratch region. With local addressing they are among the inputs and
  // outputs, from which the stream reads their first and last values; the file does not state which of the two.
  Result<void> add_local_variables() {
    constexpr std::size_t kInputRegion = 3, kOutputRegion = 4;
    const auto scratch = std::exchange(regions_[1], regions_[kOutputRegion]);
    MACAW_CHECK(add_tensors("variable", artifact_.variables));
    regions_[kOutputRegion] = std::exchange(regions_[1], scratch);
    std::uint64_t extent = 0;
    for (const auto region : {kInputRegion, kOutputRegion})
      if (const auto memory = regions_[region].memory; memory >= 0)
        extent = std::max(extent, artifact_.memories[std::size_t(memory)].size);
    for (const auto region : {kInputRegion, kOutputRegion})
      if (const auto memory = regions_[region].memory; memory >= 0)
        artifact_.memories[std::size_t(memory)].size = extent;
    if (const auto memory = regions_[kInputRegion].memory; memory >= 0 && !artifact_.variables.empty())
      artifact_.memories[std::size_t(memory)].cleared = true;
    return {};
  }

  // State is written at the address where it is read, in the region of the outputs, even if an output is placed there.
  Result<void> find_overlaps(std::vector<OperandOverlap>& overlaps) const {
    const auto outputs = artifact_.outputs.size();
    const auto tensor = [&](std::size_t i) -> const TensorBinding& {
      return i < outputs ? artifact_.outputs[i] : artifact_.variables[i - outputs];
    };
    std::vector<LocalOperand> written;
    for (std::size_t i = 0; i < outputs + artifact_.variables.size(); ++i) {
      MACAW_ASSIGN(const auto size, byte_size(tensor(i), artifact_.file));
      if (tensor(i).memory == regions_[4].memory) written.push_back({i, size, tensor(i).offset});
    }
    for (const auto& [first, second] : overlapping(written))
      if ((first.tensor < outputs) != (second.tensor < outputs))
        overlaps.push_back(
            {tensor(first.tensor).name, tensor(second.tensor).name, {regions_[4].memory, *second.offset, second.size}});
    return {};
  }

  // A region other than weights and scratch has the extent of its tensors, rounded up to 16 bytes (u55_u65 1.3):
  // --separate-io-regions.
  Result<void> place(TensorBinding& tensor, std::size_t region, std::uint64_t offset) {
    MACAW_ASSIGN(const auto bytes, byte_size(tensor, artifact_.file));
    auto& binding = regions_[region];
    if (offset > kMaxMemory || bytes > kMaxMemory - offset)
      return in_.error(fmt::format("{} is at offset {} of its region", tensor.name, offset));
    if (binding.memory < 0) {
      binding.memory = int(artifact_.memories.size());
      artifact_.memories.push_back({.name = fmt::format("region {}", region)});
      own_.push_back(binding.memory);
    }
    if (std::ranges::find(own_, binding.memory) != own_.end()) {
      auto& memory = artifact_.memories[std::size_t(binding.memory)];
      memory.size = std::max(memory.size, (offset + bytes + 15) / 16 * 16);
    }
    tensor.memory = binding.memory;
    tensor.offset = offset;
    return {};
  }

  NpzReader in_;
  Artifact artifact_;
  std::array<RegionBinding, 8> regions_;
  std::vector<int> own_;  // memories with only network tensors
};

}  // namespace

Result<Artifact> parse_vela_npz(std::span<const std::byte> bytes, const std::string& name) {
  MACAW_ASSIGN(const auto npz, parse_npz(bytes, name));
  return NpzLoader(npz, name).load();
}

}  // namespace macaw::npu
