#pragma once
#include "workflow/compare/match/match.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace macaw::compare {

/// The inputs of a tensor, traced back to tensors that were recognised with the right contents or are given.
struct Cone {
  std::set<TensorId> frontier;      ///< these tensors, one for each distinct contents
  std::set<std::size_t> operators;  ///< on the way
  std::set<TensorId> inside;        ///< tensors in between, without the ends
};

/// Records which operation of a run wrote which tensor of the graph, and which it read.
class Alignment {
 public:
  /// `right_outputs`: outputs of the network, by number, that are right, whatever tensor they were recognised as.
  Alignment(const Reference& reference, const npu::Artifact& artifact, const std::vector<Record>& records,
            const std::vector<HostCall>& host_calls, const std::set<std::size_t>& right_outputs);

  /// Tensors that the debug database names, and others with the right contents.
  [[nodiscard]] const std::vector<Match>& named() const { return named_; }
  [[nodiscard]] const std::vector<Match>& by_contents() const { return by_contents_; }

  [[nodiscard]] bool equal(const Match& match) const;
  /// Recognised with the right contents, or given.
  [[nodiscard]] bool known(TensorId tensor) const;
  /// Whether it has the elements of a known tensor in another shape, so that no operation has to write it.
  [[nodiscard]] bool is_view(TensorId tensor) const;
  /// Whether the operation wrote a right tensor, or a part of one.
  [[nodiscard]] bool right(std::size_t record) const { return wrote_.contains(record); }
  /// Whether the operation wrote a right tensor, or a right tensor was computed from what it wrote.
  [[nodiscard]] bool explained(std::size_t record) const { return explained_.contains(record); }
  /// Marks operations that wrote a tensor that is only partly right. The tensor is wrong even if right tensors are
  /// computed from it: none of these explains the operation or those that it reads from.
  void doubt(const std::set<std::size_t>& records);
  /// Marks operations that wrote the right data, although it is not a tensor of the graph.
  void confirm(const std::set<std::size_t>& records);
  /// Right tensors and inputs that the operation's data comes from, one for each distinct contents, traced through
  /// operations that wrote none.
  [[nodiscard]] const std::set<TensorId>& sources(std::size_t record) const { return sources_[record]; }
  [[nodiscard]] Cone cone(TensorId tensor) const;
  /// The right tensors that an operation wrote.
  [[nodiscard]] std::vector<TensorId> written(std::size_t record) const;
  /// The operations before `end` that wrote a tensor with these right contents.
  [[nodiscard]] std::vector<std::size_t> writers(TensorId tensor, std::size_t end) const;
  /// The tensor of the graph that is an input of the network.
  [[nodiscard]] std::optional<TensorId> input_tensor(std::size_t input) const { return input_tensors_[input]; }
  /// The tensor that stands for all those with the same contents.
  [[nodiscard]] TensorId representative(TensorId tensor) const { return representative_[tensor]; }

 private:
  /// Whether at least half of the elements are right, but not all.
  [[nodiscard]] bool is_right_in_part(const Match& match) const;
  void find_representatives();
  /// A tensor that the graph computes with these contents.
  [[nodiscard]] std::optional<TensorId> computed_as(const Tensor& contents) const;
  void find_sources(const npu::Artifact& artifact, const std::vector<HostCall>& host_calls);

  const Reference& reference_;
  const std::vector<Record>& records_;
  std::vector<Match> named_, by_contents_;
  std::map<TensorId, std::size_t> producer_;
  std::multimap<std::size_t, TensorId> wrote_;              ///< record, right tensor
  std::set<TensorId> seen_;                                 ///< tensors whose contents were written
  std::set<std::size_t> seen_right_, doubted_, explained_;  ///< records
  std::vector<std::set<TensorId>> sources_;
  std::vector<TensorId> representative_;
  std::vector<std::optional<TensorId>> input_tensors_;
};

}  // namespace macaw::compare
