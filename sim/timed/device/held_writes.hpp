#pragma once
#include <macaw/error.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace macaw::npu::timed {

/// Results of a job's operations: all are computed when the job starts and reach memory operation by
/// operation, in the order of the stream, as each of them finishes in simulated time.
class HeldWrites {
 public:
  /// Calls `execute`, which computes an operation and writes within `bytes`, which lie at a bus address. `finished`:
  /// whether the operation has finished.
  [[nodiscard]] Result<void> add(std::span<std::uint8_t> bytes, std::uint64_t address,
                                 const std::function<Result<void>()>& execute, std::function<bool()> finished);
  /// Makes memory what it was before the first operation.
  void hold_back();
  /// Writes what operations that have finished wrote, unless one in front of them has not, and passes on each part by
  /// address and size.
  void release(const std::function<void(std::uint64_t, std::uint64_t)>& written);
  /// Forgets what was not released.
  void drop();

 private:
  /// Bytes that an operation changed.
  struct Change {
    std::span<std::uint8_t> place;
    std::uint64_t address = 0;        ///< of the place
    std::vector<std::uint8_t> bytes;  ///< before the operation; after hold_back() what it wrote
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
