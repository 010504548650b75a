#pragma once
#include "sim/datapath/conv_weights.hpp"
#include "sim/datapath/memory.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace macaw::npu {

/// Decoded and packed weights of operations, found by what they follow from: the registers, and streams by their place
/// where nothing writes, by their contents elsewhere. The memories that nothing writes must outlive the cache. May be
/// used by several threads.
class WeightCache {
 public:
  /// The least recently used entry is evicted when more than `max_bytes` are held.
  explicit WeightCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// The weights of a CONV or DEPTHWISE that has a stream; errors as of load_weights().
  [[nodiscard]] Result<std::shared_ptr<const ConvWeights>> get(const BlockOperation& operation,
                                                               const Accelerator& accelerator, const MemoryMap& memory,
                                                               bool scalar);
  /// The errors of get(), whose weights are not kept.
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

/// Decoded and packed without a cache.
[[nodiscard]] Result<std::shared_ptr<const ConvWeights>> prepare_weights(const BlockOperation& operation,
                                                                         const Accelerator& accelerator,
                                                                         const MemoryMap& memory, bool scalar);

}  // namespace macaw::npu
