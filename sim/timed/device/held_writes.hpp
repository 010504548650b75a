#pragma once
#include <macaw/error.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace macaw::npu::timed {

/// Results of a job's operations: all are computed when the job starts and reach memory operation by operation, in
/// stream order, as each of them finishes in simulated time.
class HeldWrites {
 public:
  /// Calls `execute`, which computes an operation and writes only within `bytes`, which are at a bus address.
  /// `finished`: returns whether the operation has finished.
  [[nodiscard]] Result<void> add(std::span<std::uint8_t> bytes, std::uint64_t address,
                                 const std::function<Result<void>()>& execute, std::function<bool()> finished);
  /// Restores memory to its state before the first operation.
  void hold_back();
  /// Writes the results of operations that have finished, up to the first one that has not, and reports each part by
  /// address and size.
  void release(const std::function<void(std::uint64_t, std::uint64_t)>& written);
  /// Discards results that were not released.
  void drop();

 private:
  /// Bytes that an operation changed.
  struct Change {
    std::span<std::uint8_t> place;
    std::uint64_t address = 0;        ///< of the place
    std::vector<std::uint8_t> bytes;  ///< contents before the operation; after hold_back() its result
    void swap();
  };
  struct Operation {
    std::vector<Change> changes;
    std::function<bool()> finished;
  };
  std::vector<Operation> operations_;
  std::size_t released_ = 0;
};

}  // namespace macaw::npu::timed
