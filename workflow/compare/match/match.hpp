#pragma once
#include "workflow/compare/reference.hpp"
#include "workflow/compare/trace/trace.hpp"

#include <optional>
#include <string>
#include <vector>
#include "workflow/compare/match/match.hpp"

namespace macaw::compare {

constexpr std::size_t kMinDistinctiveBytes = 8;  ///< number of elements below which equality may be a coincidence

/// How a tensor of the graph was recognised in the data that commands wrote.
enum class MatchMethod {
  kDebugDatabase,  ///< the debug database names the tensor that the commands write
  kContents,       ///< a command wrote exactly its elements
  kRows,           ///< commands wrote exactly consecutive parts of it
  kSlices,         ///< commands wrote exactly consecutive slices of its channels
  kSimilar,        ///< a command wrote nearly its elements, computed from the right tensors
  kPlace,          ///< by shape, and by the tensors that the operator and the command read
  kOutput,         ///< an output of the network
  kRead,           ///< a command read exactly its elements
  kComputed,       ///< a step inside a command gave exactly its elements
  kStep,           ///< by its position among the commands for an operator's steps
  kHostRead,       ///< an operator of the CPU reads it
  kView,           ///< the elements of a tensor that was recognised or given, in another shape
};
[[nodiscard]] const char* to_string(MatchMethod method);

/// A tensor of the graph in the compiled network.
struct Match {
  TensorId tensor = 0;
  MatchMethod method{};
  std::vector<std::size_t> records;  ///< commands that write it, in order
  std::vector<std::byte> contents;   ///< what they wrote, in the order of the tensor's elements; the size may differ
};

/// A tensor of the graph that was recognised.
struct MatchedTensor {
  TensorId id = 0;
  std::string name;
  MatchMethod method{};
  std::size_t commands = 0;
  std::int64_t elements = 0, different = 0;
  std::optional<Tensor> actual = {};  ///< what was written, if it differs but has the tensor's size
};

// Reasons of UnmatchedTensor.
constexpr const char* kLeftToCpu = "left to the CPU";
constexpr const char* kComputedInside = "fused into the following operator";
constexpr const char* kOtherForm = "kept in another form";

struct UnmatchedTensor {
  TensorId id = 0;
  std::string name, reason;
};

/// Converts booleans as U85 stores them (-1 and 0, u85 5.4) to those of a graph (1 and 0); other data is returned
/// unchanged.
[[nodiscard]] std::vector<std::byte> truth(std::vector<std::byte> masks);

/// The tensor that an operation computes according to the artifact's debug database.
[[nodiscard]] std::optional<TensorId> named_by_database(const Reference& reference, const npu::Artifact& artifact,
                                                        const Record& record);

/// Tensors named by the artifact's debug database, without those whose pieces cannot be put together to a whole tensor.
[[nodiscard]] std::vector<Match> match_by_database(const Reference& reference, const npu::Artifact& artifact,
                                                   const std::vector<Record>& records);

/// Tensors whose elements were written by one record, or in consecutive parts by several.
[[nodiscard]] std::vector<Match> match_by_contents(const Reference& reference, const std::vector<Record>& records);

/// Computed tensors that operators of the CPU read, with the data that they read, right or not, and the commands that
/// wrote it, if any. Operators are paired with those of the graph in their order, for kinds that run only on the CPU.
[[nodiscard]] std::vector<Match> match_host_reads(const Reference& reference, const npu::Artifact& artifact,
                                                  const std::vector<HostCall>& calls);

}  // namespace macaw::compare
