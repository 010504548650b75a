#include "sim/datapath/weight_cache.hpp"
#include "sim/datapath/layer_weights.hpp"

#include <cstring>
#include <type_traits>

namespace macaw::npu {
namespace {

/// The bytes of everything that determines the weights of an operation.
class Key {
 public:
  template <class... T>
  void add(const T&... values) {
    static_assert((std::has_unique_object_representations_v<T> && ...));
    (text_.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
  }
  void add(const Stream& stream, const MemoryMap& memory) {
    add(stream.length);
    const auto bytes = readable(memory, stream.region, stream.base, stream.length, "weights");
    if (!bytes) return;  // an error, which is never cached
    const RegionView& region = memory.regions[static_cast<std::size_t>(stream.region)];
    add(region.writable);
    if (region.writable) text_.append(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    else add(bytes->data());
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string key_of(const BlockOperation& op, const Accelerator& accelerator, const MemoryMap& memory, bool scalar) {
  Key key;
  const Kernel& k = op.kernel;
  key.add(&accelerator, op.kind, op.fast_weights, op.sparse_weights, op.dual_core, scalar, op.acc_format);
  key.add(op.ifm.c, op.ifm.bits, op.ifm.is_signed, op.ifm.zero_point, op.ofm.c, op.block.c, op.ublock.c);
  key.add(k.height, k.width, k.stride_y, k.stride_x, k.dilation_y, k.dilation_x, k.part_kernel_first, k.decomposition);
  for (const Stream& stream : op.weights) key.add(stream, memory);
  return key.take();
}

}  // namespace

Result<std::shared_ptr<const ConvWeights>> prepare_weights(const BlockOperation& op, const Accelerator& accelerator,
                                                           const MemoryMap& memory, bool scalar) {
  MACAW_ASSIGN(auto ohwi, load_weights(op, accelerator, memory));
  return std::make_shared<const ConvWeights>(pack_conv_weights(op, std::move(ohwi), scalar));
}

Result<std::shared_ptr<const ConvWeights>> WeightCache::get(const BlockOperation& op, const Accelerator& accelerator,
                                                            const MemoryMap& memory, bool scalar) {
  auto key = key_of(op, accelerator, memory, scalar);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = entries_.find(key); found != entries_.end()) {
      found->second.used = ++clock_;
      return found->second.weights;
    }
  }
  // Two threads may decode the same weights concurrently; neither waits for the other.
  MACAW_ASSIGN(auto weights, prepare_weights(op, accelerator, memory, scalar));
  const std::size_t bytes = byte_size(*weights) + key.size();
  const std::lock_guard lock(mutex_);
  const auto [entry, added] = entries_.try_emplace(std::move(key), Entry{weights, bytes, ++clock_});
  if (!added) return entry->second.weights;
  bytes_ += bytes;
  shrink(entry->first);
  return weights;
}

Result<void> WeightCache::check(const BlockOperation& op, const Accelerator& accelerator, const MemoryMap& memory) {
  auto key = key_of(op, accelerator, memory, false);
  const std::lock_guard lock(mutex_);
  if (checked_.contains(key)) return {};
  MACAW_CHECK(check_weights(op, accelerator, memory));
  if (checked_bytes_ += key.size(); checked_bytes_ > max_bytes_) {
    checked_.clear();
    checked_bytes_ = key.size();
  }
  checked_.insert(std::move(key));
  return {};
}

std::size_t WeightCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void WeightCache::shrink(const std::string& keep) {
  while (bytes_ > max_bytes_ && entries_.size() > 1) {
    auto oldest = entries_.end();
    for (auto i = entries_.begin(); i != entries_.end(); ++i)
      if (i->first != keep && (oldest == entries_.end() || i->second.used < oldest->second.used)) oldest = i;
    bytes_ -= oldest->second.bytes;
    entries_.erase(oldest);
  }
}

}  // namespace macaw::npu
