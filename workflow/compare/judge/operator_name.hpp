#pragma once
#include "workflow/compare/judge/locate.hpp"
#include "workflow/compare/match/alignment.hpp"

#include <string_view>
#include <vector>

namespace macaw::compare {

/// Whether this kind of NPU operation is the usual lowering of a kind of operator.
[[nodiscard]] bool is_made_for(const npu::BlockOperation& operation, std::string_view kind);

/// Finds the operator of the graph that a command implements.
class OperatorNames {
 public:
  OperatorNames(const Reference& reference, const npu::Artifact& artifact, const std::vector<Record>& records,
                const ConstantCheck& constants);

  /// Names the operator of the last of the records, which lead to the tensor with this cone.
  void name(WrongOperator& wrong, const Cone& cone, const std::vector<std::size_t>& records) const;

 private:
  /// `cone`: of the tensor. A database that names an operator outside of it uses another numbering.
  [[nodiscard]] bool by_database(WrongOperator& wrong, const Cone& cone, std::size_t record) const;
  [[nodiscard]] std::size_t main_operator(const std::set<std::size_t>& chain, std::size_t record) const;

  const Reference& reference_;
  const npu::Artifact& artifact_;
  const std::vector<Record>& records_;
  const ConstantCheck& constants_;
  std::map<std::size_t, std::size_t> stream_of_;  ///< by step; streams are counted without CPU operators
};

}  // namespace macaw::compare
