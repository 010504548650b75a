#pragma once
#include "workflow/compare/judge/locate.hpp"
#include "workflow/compare/match/alignment.hpp"

#include <string_view>
#include <vector>

namespace macaw::compare {

/// Whether an NPU operation of this kind is made for operators of a kind before any other.
[[nodiscard]] bool is_made_for(const npu::BlockOperation& operation, std::string_view kind);

/// Which operator of the graph a command was made for.
class OperatorNames {
 public:
  OperatorNames(const Reference& reference, const npu::Artifact& artifact, const std::vector<Record>& records,
                const ConstantCheck& constants);

  /// Names the operator of the last of the records, which lead to the tensor with this cone.
  void name(WrongOperator& wrong, const Cone& cone, const std::vector<std::size_t>& records) const;

 private:
  /// `cone`: of the tensor; a database that names an operator outside it counts in another way.
  [[nodiscard]] bool by_database(WrongOperator& wrong, const Cone& cone, std::size_t record) const;
  [[nodiscard]] std::size_t main_operator(const std::set<std::size_t>& chain, std::size_t record) const;

  const Reference& reference_;
  const npu::Artifact& artifact_;
  const std::vector<Record>& records_;
  const ConstantCheck& constants_;
  std::map<std::size_t, std::size_t> stream_of_;  ///< by step: streams are counted without CPU operators
};

}  // namespace macaw::compare
