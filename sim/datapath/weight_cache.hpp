#pragma once
#include "sim/datapath/conv_weights.hpp"
#include "sim/datapath/memory.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace macaw::npu {

/// Decoded and packed weights of operations. The key consists of the registers and the streams: their address in
/// read-only memories, their contents elsewhere. The read-only memories must outlive the cache. Thread-safe.
class WeightCache {
 public:
  /// The least recently used entry is evicted when more than `max_bytes` are held.
  explicit WeightCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Returns the weights of a CONV or DEPTHWISE that has a stream; errors are those of load_weights().
  [[nodiscard]] Result<std::shared_ptr<const ConvWeights>> get(const BlockOperation& operation,
                                                               const Accelerator& accelerator, const MemoryMap& memory,
                                                               bool scalar);
  /// Reports the errors of get() without keeping the weights.
  [[nodiscard]] Result<void> check(const BlockOperation& operation, const Accelerator& accelerator,
                                   const MemoryMap& memory);

  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Entry {
    std::shared_ptr<const ConvWeights> weights;
    std::size_t bytes = 0;
    std::uint64_t used = 0;
  };
  void shrink(const std::string& keep);

  std::size_t max_bytes_, bytes_ = 0, checked_bytes_ = 0;
  std::uint64_t clock_ = 0;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  std::unordered_set<std::string> checked_;
};

/// Decodes and packs weights without a cache.
[[nodiscard]] Result<std::shared_ptr<const ConvWeights>> prepare_weights(const BlockOperation& operation,
                                                                         const Accelerator& accelerator,
                                                                         const MemoryMap& memory, bool scalar);

}  // namespace macaw::npu
