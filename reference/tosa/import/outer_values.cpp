#include "reference/tosa/import/outer_values.hpp"

#include <fmt/format.h>

#include <map>

namespace macaw::tosa {
namespace {

/// Limit of values that blocks take from outer blocks; Arm's graphs take tens.
constexpr std::size_t kMaxOuterValues = 1 << 16;

class Binder {
 public:
  explicit Binder(std::vector<BlockBuilder>& blocks) : blocks_(blocks), users_(blocks.size()) {
    std::map<std::string_view, std::size_t> by_name;
    for (std::size_t b = 0; b < blocks.size(); ++b) by_name.emplace(blocks[b].block().name, b);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const auto& operators = blocks[b].block().operators;
      for (std::size_t i = 0; i < operators.size(); ++i) {
        User user{b, i, {}};
        for (const auto attribute : {Attr::k_then_graph, Attr::k_else_graph, Attr::k_cond_graph, Attr::k_body_graph})
          if (operators[i].find(attribute)) user.bodies.push_back(by_name.at(operators[i].get_string(attribute)));
        for (const auto body : user.bodies) users_[body].push_back(user);
      }
    }
  }

  Result<void> bind_all() {
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      while (!blocks_[b].outside().empty()) MACAW_CHECK(bind(b, *blocks_[b].outside().begin()));
    return {};
  }

 private:
  struct User {
    std::size_t block, index;
    std::vector<std::size_t> bodies;
  };
  struct Step {
    std::size_t block;
    ValueId id;
    ValueId outer;  ///< in the block of the user
  };

  /// From the block outwards to the one that has the value, and back.
  Result<void> bind(std::size_t block, ValueId id) {
    std::vector<Step> steps;
    while (blocks_[block].outside().contains(id)) {
      const auto& name = blocks_[block].value(id).name;
      if (users_[block].size() > 1)
        return blocks_[block].error(
            ErrorCode::kUnsupported,
            fmt::format("block {}, which several operators run, has no tensor named \"{}\"", block_name(block), name));
      if (users_[block].empty() || steps.size() == blocks_.size()) return missing(block, name);
      if (++bound_ > kMaxOuterValues)
        return blocks_[block].error(ErrorCode::kUnsupported,
                                    fmt::format("bodies take more than {} values from around", kMaxOuterValues));
      const auto around = users_[block][0].block;
      MACAW_ASSIGN(const auto outer, blocks_[around].find(name, "block " + block_name(block)));
      steps.push_back({block, id, outer});
      block = around;
      id = outer;
    }
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) MACAW_CHECK(take(*step));
    return {};
  }

  Result<void> take(const Step& step) {
    const auto& user = users_[step.block][0];
    const Value value = blocks_[user.block].value(step.outer);
    const auto& own = blocks_[step.block].value(step.id);
    if (own.dtype != value.dtype || own.shape != value.shape)
      return blocks_[step.block].error(
          ErrorCode::kInvalidGraph,
          fmt::format("tensors of several types or shapes are named \"{}\": which one is it in block {}?", own.name,
                      block_name(step.block)));
    if (value.data) {
      blocks_[step.block].bind_constant(step.id, value.data);
      return {};
    }
    auto& op = blocks_[user.block].block().operators[user.index];
    const bool loop = op.op == Op::kWHILE_LOOP;
    op.inputs.push_back(step.outer);
    if (loop) op.outputs.push_back(blocks_[user.block].add_temporary(value.name + ".kept", value.dtype, value.shape));
    for (const auto body : user.bodies) {
      const auto id = blocks_[body].bind_input(value);
      if (loop && body == user.bodies.back()) blocks_[body].block().outputs.push_back(id);
    }
    return {};
  }

  [[nodiscard]] const std::string& block_name(std::size_t block) const { return blocks_[block].block().name; }
  [[nodiscard]] tl::unexpected<Error> missing(std::size_t block, const std::string& name) const {
    return blocks_[block].error(ErrorCode::kInvalidGraph,
                                fmt::format("block {} has no tensor named \"{}\"", block_name(block), name));
  }

  std::vector<BlockBuilder>& blocks_;
  std::vector<std::vector<User>> users_;  ///< by block
  std::size_t bound_ = 0;
};

}  // namespace

Result<void> bind_outer_values(std::vector<BlockBuilder>& blocks) { return Binder(blocks).bind_all(); }

}  // namespace macaw::tosa
