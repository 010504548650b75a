#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "sim/artifact/loader.hpp"

// The payload that ExecuTorch's Ethos-U delegate passes to its runtime (u55_u65 1.5; pytorch/executorch
// backends/arm/arm_vela.py, backends/arm/runtime/VelaBinStream.h).
namespace macaw::npu {
namespace {

constexpr std::size_t kNameSize = 16, kHeaderSize = 32, kBlockAlignment = 16, kRank = 6, kKeySize = 64;
constexpr unsigned kExternal = 1;  // placement of a block
constexpr std::uint32_t kMaxPorts = 65536;
constexpr std::string_view kBegin = "vela_bin_stream", kEnd = "vela_end_stream";

std::uint32_t word(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

struct Block {
  std::string_view name;
  std::span<const std::byte> data;
  std::uint64_t offset = 0;  // of the data in the file
};

class BinLoader {
 public:
  BinLoader(std::span<const std::byte> bytes, const std::string& file, const NamedData* external)
      : bytes_(bytes), external_(external) {
    artifact_.file = file;
    artifact_.format = Artifact::Format::kExecuTorch;
  }

  /// If `weights` is not null, it is set to the bytes of the first memory, which then has no contents.
  Result<Artifact> load(std::span<const std::byte>* weights) {
    Block payload, inputs, outputs;
    std::uint64_t scratch_size = 0;
    for (;;) {
      MACAW_ASSIGN(const Block block, next());
      if (block.name == kEnd) break;
      if (block.name == "cmd_data") {
        payload = block;
      } else if (block.name == "weight_data") {
        weights_ = block.data;
      } else if (block.name == "scratch_size") {
        if (block.data.size() < 4) return error("scratch_size is not a word", block.offset);
        scratch_size = word(block.data, 0);
      } else if (block.name == "inputs") {
        inputs = block;
      } else if (block.name == "outputs") {
        outputs = block;
      } else if (block.name != kBegin) {
        return fail(ErrorCode::kUnsupported, fmt::format("block \"{}\"", block.name),
                    {.file = artifact_.file, .byte_offset = block.offset});
      }
    }
    // The runtime passes the bases {weights, scratch, fast scratch}; the fast scratch is not described by the file.
    regions_[0] = {0, 0, weights_.size()};
    regions_[1] = {1, 0, scratch_size};
    artifact_.memories.push_back({.name = "weights", .size = weights_.size(), .read_only = true});
    const auto* data = reinterpret_cast<const std::uint8_t*>(weights_.data());
    if (weights) *weights = weights_;
    else artifact_.memories.back().initial = {data, data + weights_.size()};
    artifact_.memories.push_back({.name = "scratch", .size = scratch_size});
    MACAW_CHECK(add_tensors(inputs, "input", artifact_.inputs));
    MACAW_CHECK(add_tensors(outputs, "output", artifact_.outputs));
    MACAW_ASSIGN(auto driver, parse_driver_payload(payload.data, artifact_.file + ": cmd_data"));
    MACAW_CHECK(add_payload(artifact_, std::move(driver), "cmd_data", regions_));
    MACAW_CHECK(check_bindings(artifact_));
    return std::move(artifact_);
  }

 private:
  [[nodiscard]] tl::unexpected<Error> error(std::string what, std::uint64_t offset) const {
    return fail(ErrorCode::kInvalidFile, std::move(what), {.file = artifact_.file, .byte_offset = offset});
  }

  Result<Block> next() {
    if (bytes_.size() - at_ < kHeaderSize) return error("the stream ends without vela_end_stream", at_);
    const auto* name = reinterpret_cast<const char*>(bytes_.data() + at_);
    Block block{.name = {name, strnlen(name, kNameSize)}, .data = {}, .offset = at_ + kHeaderSize};
    const std::uint64_t size = word(bytes_, at_ + kNameSize);
    const auto placement = std::to_integer<unsigned>(bytes_[at_ + kNameSize + 4]);
    at_ += kHeaderSize;
    if (size > bytes_.size() - at_) return error(fmt::format("block \"{}\" has {} bytes", block.name, size), at_);
    block.data = bytes_.subspan(at_, size);
    if (placement != 0) MACAW_CHECK(find_external(block, placement));
    at_ =
        std::min<std::uint64_t>(bytes_.size(), at_ + (size + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment);
    return block;
  }

  /// An external block contains a key instead of data (pytorch/executorch backends/arm/runtime/VelaBinStream.cpp).
  Result<void> find_external(Block& block, unsigned placement) const {
    if (placement != kExternal)
      return fail(ErrorCode::kUnsupported, fmt::format("block \"{}\" has placement {}", block.name, placement),
                  {.file = artifact_.file, .byte_offset = block.offset});
    const std::string_view key(reinterpret_cast<const char*>(block.data.data()), block.data.size());
    if (key.size() != kKeySize || !std::ranges::all_of(key, [](char c) { return c > ' ' && c <= '~'; }))
      return error(fmt::format("the key of external block \"{}\" is not {} characters", block.name, kKeySize),
                   block.offset);
    const auto* found = external_ ? external_->find(key) : nullptr;
    if (!found)
      return fail(
          ErrorCode::kMismatch,
          fmt::format("block \"{}\" is external: its bytes have the key {} in the ExecuTorch program or in a .ptd; run "
                      "the program (.pte), and give the file with --data FILE.ptd",
                      block.name, key),
          {.file = artifact_.file, .byte_offset = block.offset});
    block.data = found->bytes;
    return {};
  }

  // A count, then {shape[6], element size, offset, region} for each tensor.
  Result<void> add_tensors(const Block& block, const char* kind, std::vector<TensorBinding>& out) {
    constexpr std::size_t kFields = kRank + 3;
    if (block.data.size() < 4) return error(fmt::format("there is no list of {}s", kind), block.offset);
    const auto count = word(block.data, 0);
    if (count > kMaxPorts || (block.data.size() - 4) / 4 < count * kFields)
      return error(fmt::format("{} {}s do not fit {} bytes", count, kind, block.data.size()), block.offset);
    for (std::size_t i = 0; i < count; ++i) {
      const auto field = [&](std::size_t f) { return word(block.data, 4 + 4 * (i * kFields + f)); };
      TensorBinding tensor;
      tensor.name = fmt::format("{}_{}", kind, i);
      for (std::size_t d = 0; d < kRank; ++d) tensor.shape.push_back(std::int32_t(field(d)));
      tensor.element_size = field(kRank);
      tensor.offset = field(kRank + 1);
      if (tensor.element_size != 1 && tensor.element_size != 2 && tensor.element_size != 4 && tensor.element_size != 8)
        return error(fmt::format("{} has elements of {} bytes", tensor.name, tensor.element_size), block.offset);
      MACAW_CHECK(place(tensor, field(kRank + 2), block.offset));
      out.push_back(std::move(tensor));
    }
    return {};
  }

  // Inputs and outputs are in the scratch, or, compiled with --separate-io-regions, in regions that hold nothing else.
  Result<void> place(TensorBinding& tensor, std::size_t region, std::uint64_t listed_at) {
    constexpr std::size_t kScratchRegion = 1, kInputRegion = 3, kOutputRegion = 4;
    if (region != kScratchRegion && region != kInputRegion && region != kOutputRegion)
      return fail(ErrorCode::kUnsupported, fmt::format("{} is in region {}", tensor.name, region),
                  {.file = artifact_.file, .byte_offset = listed_at});
    auto& binding = regions_[region];
    if (binding.memory < 0) {
      binding.memory = int(artifact_.memories.size());
      artifact_.memories.push_back({.name = fmt::format("region {}", region)});
    }
    tensor.memory = binding.memory;
    if (region == kScratchRegion) return {};
    MACAW_ASSIGN(const auto bytes, byte_size(tensor, artifact_.file));
    if (bytes > kMaxMemory - tensor.offset)
      return error(fmt::format("{} is at offset {} of its region", tensor.name, tensor.offset), listed_at);
    binding.size = std::max(binding.size, tensor.offset + bytes);
    artifact_.memories[std::size_t(binding.memory)].size = binding.size;
    return {};
  }

  std::span<const std::byte> bytes_;
  const NamedData* external_;
  std::uint64_t at_ = 0;
  std::array<RegionBinding, 8> regions_;
  Artifact artifact_;
  std::span<const std::byte> weights_;
};

}  // namespace

bool is_vela_bin(std::span<const std::byte> bytes) {
  return bytes.size() >= kHeaderSize && std::memcmp(bytes.data(), kBegin.data(), kBegin.size()) == 0;
}

Result<Artifact> parse_vela_bin(std::span<const std::byte> bytes, const std::string& name, const NamedData* external,
                                std::span<const std::byte>* weights) {
  return BinLoader(bytes, name, external).load(weights);
}

}  // namespace macaw::npu
