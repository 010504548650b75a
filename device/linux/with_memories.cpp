#include <array>
#include <cstring>
#include <span>

#include "device/linux/compiled.hpp"
#include "device/linux/value_or_throw.hpp"

// The form in which ExecuTorch passes a network to its runtime (pytorch/executorch,
// backends/arm/runtime/VelaBinStream.h): blocks of a name, a size and bytes; a tensor is a shape of six, bytes per
// element, offset and region.
namespace EthosU {
namespace {

constexpr std::uint32_t kIfmRegion = 3, kOfmRegion = 4;  // of streams compiled with --separate-io-regions
constexpr std::size_t kAlignment = 16;

std::uint32_t word(std::size_t size) {
  if (size > UINT32_MAX) throw Exception("A memory of the network has 4 GiB or more");
  return static_cast<std::uint32_t>(size);
}

class Blocks {
 public:
  void add(const char* name, std::span<const std::byte> data) {
    std::array<char, 32> header = {};
    std::strncpy(header.data(), name, 16);
    const std::uint32_t size = word(data.size());
    std::memcpy(header.data() + 16, &size, sizeof size);
    append(std::as_bytes(std::span(header)));
    append(data);
    bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
  }
  void add(const char* name, const std::vector<std::uint32_t>& words) { add(name, std::as_bytes(std::span(words))); }

  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void append(std::span<const std::byte> data) { bytes_.insert(bytes_.end(), data.begin(), data.end()); }

  std::vector<std::byte> bytes_;
};

std::vector<std::uint32_t> operands(const Inference::Buffers& buffers, std::uint32_t region) {
  std::vector<std::uint32_t> words = {word(buffers.size())};
  std::size_t offset = 0;
  for (const auto& buffer : buffers) {
    words.insert(words.end(), {1, 1, 1, 1, 1, word(buffer->size()), 1, word(offset), region});
    offset += buffer->size();
  }
  return words;
}

}  // namespace

macaw::npu::Artifact with_memories(const std::vector<std::byte>& stream, const Inference::Buffers& ifm,
                                   const Inference::Buffers& ofm, const Buffer* intermediate, const Buffer* constant) {
  Blocks blocks;
  blocks.add("vela_bin_stream", std::vector<std::uint32_t>());
  blocks.add("cmd_data", stream);
  if (constant != nullptr) blocks.add("weight_data", std::as_bytes(std::span(constant->data(), constant->size())));
  blocks.add("scratch_size", {intermediate != nullptr ? word(intermediate->size()) : 0});
  blocks.add("inputs", operands(ifm, kIfmRegion));
  blocks.add("outputs", operands(ofm, kOfmRegion));
  blocks.add("vela_end_stream", std::vector<std::uint32_t>());
  return value_or_throw(macaw::npu::parse_artifact(blocks.bytes(), "network"));
}

}  // namespace EthosU
