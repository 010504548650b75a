#pragma once
#include <macaw/npu/finding.hpp>

#include "sim/datapath/memory.hpp"
#include "sim/functional/findings/access.hpp"
#include "sim/functional/findings/byte_set.hpp"
#include "sim/isa/command_parser.hpp"

#include <deque>
#include <set>
#include <tuple>

namespace macaw::npu {

/// Follows a run in program order and reports suspicious operations. It receives every operation before it is executed,
/// and tracks which bytes have been written and which operations may still be running: kernels and DMA jobs each
/// complete in order, are unordered against each other, and are outstanding until a wait or a full queue proves
/// otherwise (u55_u65 6.6). The artifact must outlive it.
class Inspector {
 public:
  Inspector(const Artifact& artifact, const Accelerator& accelerator, FindingSink sink);

  /// Starts a new job: all earlier ones are complete.
  void start(const CommandStream& stream, std::size_t step);
  void before(const StreamOperation& at, const BlockOperation& operation, const MemoryMap& memory);
  void before(const StreamOperation& at, const DmaOperation& operation);
  void wait(const Wait& wait);
  /// Called when the operation has faulted: reports a weight or scale stream that is the reason.
  void failed(const StreamOperation& at, const BlockOperation& operation, const MemoryMap& memory);
  /// Marks its outputs as written.
  void ran(const HostOperator& operation);
  void copied(const std::vector<OperandCopy>& copies);

 private:
  struct Outstanding {
    std::uint32_t command_index = 0;
    std::vector<Access> accesses;
  };
  void report(const StreamOperation& at, FindingKind kind, std::string message, const MemoryRange& range);
  void report_problems(const StreamOperation& at, std::vector<AccessProblem> problems);
  void check_regions(const StreamOperation& at, const std::vector<Access>& accesses);
  void check_written(const StreamOperation& at, const std::vector<Access>& accesses);
  void check_order(const StreamOperation& at, const std::vector<Access>& accesses,
                   const std::deque<Outstanding>& others, FindingKind kind, const char* missing);
  void check_streams(const StreamOperation& at, const BlockOperation& operation, const MemoryMap& memory);
  void check_moved(const StreamOperation& at, const std::vector<Access>& job);
  void mark_written(const std::vector<Access>& accesses);
  void move_written(const std::vector<Access>& job, bool indexed);
  void mark_written(const TensorBinding& tensor);
  [[nodiscard]] ByteSet& written(int memory);
  [[nodiscard]] RegionLayout layout() const;

  const Artifact* artifact_;
  const Accelerator* accelerator_;
  FindingSink sink_;
  const CommandStream* stream_ = nullptr;
  std::size_t step_ = 0;
  std::uint64_t internal_bytes_;
  std::vector<ByteSet> written_;  ///< per memory
  ByteSet internal_written_;
  std::deque<Outstanding> kernels_, dmas_;
  std::optional<BlockOperation> previous_;
  std::set<std::tuple<std::uint32_t, FindingKind, std::string>> reported_;  ///< in this stream: loops report once
};

}  // namespace macaw::npu
