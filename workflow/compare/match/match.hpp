#pragma once
#include "workflow/compare/reference.hpp"
#include "workflow/compare/trace/trace.hpp"

#include <optional>
#include <string>
#include <vector>
#include "workflow/compare/match/match.hpp"

namespace macaw::compare {

constexpr std::size_t kMinDistinctiveBytes = 8;  ///< fewer agree by chance

/// How a tensor of the graph was recognised in what the commands wrote.
enum class MatchMethod {
  kDebugDatabase,  ///< the debug database names the tensor that the commands write
  kContents,       ///< a command wrote exactly its elements
  kRows,           ///< commands wrote exactly consecutive parts of it
  kSlices,         ///< commands wrote exactly consecutive slices of its channels
  kSimilar,        ///< a command wrote nearly its elements, from what it is computed from
  kPlace,          ///< by shape, and by what its operator and the command read
  kOutput,         ///< an output of the network
  kRead,           ///< a command read exactly its elements
  kComputed,       ///< a step inside a command gave exactly its elements
  kStep,           ///< by its place among the commands that take an operator's steps
  kHostRead,       ///< an operator of the CPU reads it
  kView,           ///< the elements of a tensor that was recognised or given, in another shape
};
[[nodiscard]] const char* to_string(MatchMethod method);

/// A tensor of the graph in the compiled network.
struct Match {
  TensorId tensor = 0;
  MatchMethod method{};
  std::vector<std::size_t> records;  ///< that write it, in order
  std::vector<std::byte> contents;   ///< what they wrote, in the order of the tensor's elements; maybe of another size
};

/// A tensor of the graph that was recognised.
struct MatchedTensor {
  TensorId id = 0;
  std::string name;
  MatchMethod method{};
  std::size_t commands = 0;
  std::int64_t elements = 0, different = 0;
  std::optional<Tensor> actual = {};  ///< what was written, if it differs and has the tensor's size
};

// Reasons of UnmatchedTensor.
constexpr const char* kLeftToCpu = "left to the CPU";
constexpr const char* kComputedInside = "fused into the following operator";
constexpr const char* kOtherForm = "kept in another form";

struct UnmatchedTensor {
  TensorId id = 0;
  std::string name, reason;
};

/// Truth that U85 has written as -1 and 0 (u85 5.4) as a graph has it, 1 and 0; anything else as it is.
[[nodiscard]] std::vector<std::byte> truth(std::vector<std::byte> masks);

/// The tensor that the artifact's debug database says an operation works on.
[[nodiscard]] std::optional<TensorId> named_by_database(const Reference& reference, const npu::Artifact& artifact,
                                                        const Record& record);

/// Tensors named by the artifact's debug database. Those whose commands write pieces that do not make up the tensor in
/// a way that is understood here are left out.
[[nodiscard]] std::vector<Match> match_by_database(const Reference& reference, const npu::Artifact& artifact,
                                                   const std::vector<Record>& records);

/// Tensors whose elements some record wrote, whole or in consecutive parts.
[[nodiscard]] std::vector<Match> match_by_contents(const Reference& reference, const std::vector<Record>& records);

/// Computed tensors that operators of the CPU read, with what they read, right or not, and the commands that wrote it,
/// if any. Operators are paired with those of the graph in their order, of kinds that the CPU has all operators of.
[[nodiscard]] std::vector<Match> match_host_reads(const Reference& reference, const npu::Artifact& artifact,
                                                  const std::vector<HostCall>& calls);

}  // namespace macaw::compare
