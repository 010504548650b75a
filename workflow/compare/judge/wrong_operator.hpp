#pragma once
#include "workflow/compare/judge/constant_check.hpp"
#include "workflow/compare/match/alignment.hpp"
#include "workflow/compare/trace/register_state.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace macaw::compare {

constexpr std::size_t kCommandsShown = 4;  ///< of a wrong operator

/// A command of the stream with the register state in which it starts.
struct CommandText {
  std::size_t step = 0;
  std::uint32_t command = 0, offset = 0;
  std::vector<std::string> meaning;     ///< of its registers together
  std::vector<RegisterLine> registers;  ///< all registers, the command last
};

/// The first operator whose result differs.
struct WrongOperator {
  std::optional<std::size_t> index;  ///< in Reference::operators; absent: no operator is known to match the command
  std::string name;                  ///< "operator 3 (CONV2D)", or what the debug database calls it; may be empty
  std::vector<std::size_t> fused;    ///< other operators that the same commands compute
  /// Operators of which one is wrong, the likeliest first; empty: `name` is certain.
  std::vector<std::string> candidates;
  std::string tensor;  ///< that the commands write; may be empty
  std::int64_t elements = 0, different = 0;
  bool other_size = false;             ///< the number of elements written differs
  std::vector<std::int64_t> position;  ///< of the first difference, in the graph's shape
  std::int64_t expected = 0, actual = 0;
  std::string pattern;  ///< description of the difference; may be empty
  MatchMethod method{};
  std::optional<ConstantDifference> constant;  ///< constants that differ from the graph's
  std::vector<CommandText> commands;

  /// The tensor of the graph and its elements as written, for the verdict; absent: not all are known.
  std::optional<TensorId> id = {};
  std::vector<std::byte> contents = {};
  std::vector<std::size_t> records = {};  ///< that wrote it
  bool reads_right = false;     ///< the commands read only right tensors, including all that it is computed from
  bool reads_in_order = false;  ///< and each element is read from where it was written
  bool read_as_tensor = false;  ///< its readers read exactly what the operators after the tensor read
  /// The network's outputs are exactly those that the reference computes if the tensor has these elements.
  bool certain = false;
};

/// The written bytes with the type and shape of the graph's tensor; none if the size differs.
[[nodiscard]] std::optional<Tensor> reinterpret_as(const Tensor& expected, std::span<const std::byte> contents);

/// Describes how the written data differs from the graph's.
void describe_difference(WrongOperator& wrong, const Tensor& expected, std::span<const std::byte> contents);

/// The bytes that the operations of a run wrote and read.
struct RunView {
  const Reference& reference;
  const std::vector<Record>& records;
  const Alignment& alignment;
};

/// Fills in what is known about a tensor that was written as a whole: WrongOperator::id and the members after it.
/// `cone`: the tensor's.
void describe_written(WrongOperator& wrong, const Match& match, const RunView& run, const Cone& cone);

}  // namespace macaw::compare
