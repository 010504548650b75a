#include "workflow/compare/locate.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include <macaw/npy.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "workflow/compare/compare.hpp"
#include "workflow/compare/inputs.hpp"

namespace macaw::compare {
namespace {

class Locator {
 public:
  Locator(const tosa::Block& block, const Values& values, const npu::Artifact& artifact,
          const npu::Accelerator& accelerator, const std::vector<Record>& records)
      : block_(block), values_(values), artifact_(artifact), accelerator_(accelerator), records_(records) {
    for (std::size_t i = 0; i < block.operators.size(); ++i)
      for (const auto v : block.operators[i].outputs) producer_[v] = i;
  }

  Location run() {
    auto named = match_by_database(block_, values_, artifact_, records_);
    for (auto& match : match_by_contents(block_, values_, records_)) {
      const bool known = std::ranges::any_of(named, [&](const Match& m) { return m.value == match.value; });
      for (const auto r : match.records) right_.insert(r);
      seen_.insert(match.value);
      if (!known) by_contents_.push_back(std::move(match));
    }
    Location location;
    const auto explained = explained_records(named);
    // Which of several commands make up the tensor is a guess: it is not one where right tensors were made of them.
    const auto wrong = std::ranges::find_if(named, [&](const Match& m) {
      return !equal(m) && (m.records.size() == 1 || !explained.contains(m.records.back()));
    });
    if (wrong != named.end()) location.wrong = describe(*wrong);
    else location.wrong = first_unexplained(explained);
    list_tensors(location, named);
    return location;
  }

 private:
  [[nodiscard]] bool equal(const Match& match) const {
    return std::ranges::equal(match.contents, values_[match.value]->bytes());
  }

  [[nodiscard]] WrongOperator describe(const Match& match) const {
    WrongOperator wrong;
    wrong.how = match.how;
    wrong.source = match.source;
    wrong.tensor = block_.values[match.value].name;
    const auto& expected = *values_[match.value];
    wrong.elements = expected.size();
    wrong.different = expected.size();
    if (match.contents.size() == expected.bytes().size()) {
      Tensor actual(expected.dtype(), expected.shape());
      std::ranges::copy(match.contents, actual.bytes().begin());
      const auto difference = compare_tensors(wrong.tensor, expected, actual);
      wrong.different = difference.different;
      wrong.position = difference.index;
      wrong.expected = difference.expected;
      wrong.actual = difference.actual;
    }
    name_operators(wrong, match);
    // Of several commands those that wrote something wrong; where that cannot be said, all.
    for (const auto r : match.records) {
      if (match.records.size() > 1 && right_.contains(r)) continue;
      wrong.commands.push_back({records_[r].step, records_[r].command, records_[r].offset,
                                disassembly(artifact_, accelerator_, records_[r].step, records_[r].command)});
      if (wrong.commands.size() == kCommandsShown) break;
    }
    return wrong;
  }

  /// Operators from the tensor back to what the commands have read.
  void name_operators(WrongOperator& wrong, const Match& match) const {
    std::set<std::size_t> chain;
    std::vector<tosa::ValueId> open{match.value};
    while (!open.empty()) {
      const auto value = open.back();
      open.pop_back();
      const auto found = producer_.find(value);
      if (found == producer_.end() || block_.values[value].data) continue;
      if (value != match.value && known(value)) continue;
      if (!chain.insert(found->second).second) continue;
      for (const auto input : block_.operators[found->second].inputs) open.push_back(input);
    }
    if (match.operation) {
      wrong.index = match.operation;
      chain.erase(chain.begin(), chain.lower_bound(*match.operation));
    } else if (!chain.empty()) {
      wrong.index = main_operator(chain, records_[match.records.front()]);
    }
    for (const auto op : chain)
      if (wrong.index && op > *wrong.index) wrong.fused.push_back(op);
  }

  /// The operator that an NPU operation of this kind is made for; otherwise the first.
  [[nodiscard]] std::size_t main_operator(const std::set<std::size_t>& chain, const Record& record) const {
    using tosa::Op;
    const auto is_any = [&](std::size_t op, std::initializer_list<Op> kinds) {
      return std::ranges::find(kinds, block_.operators[op].op) != kinds.end();
    };
    for (const auto op : chain)
      if (record.weights &&
          is_any(op, {Op::kCONV2D, Op::kDEPTHWISE_CONV2D, Op::kTRANSPOSE_CONV2D, Op::kCONV3D, Op::kMATMUL}))
        return op;
    for (const auto op : chain)
      if (record.name == "NPU_OP_POOL" && is_any(op, {Op::kAVG_POOL2D, Op::kMAX_POOL2D})) return op;
    for (const auto op : chain)
      if (record.name == "NPU_OP_ELEMENTWISE" && is_any(op, {Op::kADD, Op::kSUB, Op::kMUL, Op::kMAXIMUM, Op::kMINIMUM}))
        return op;
    return *chain.begin();
  }

  /// Recognised with the right contents, or given.
  [[nodiscard]] bool known(tosa::ValueId value) const { return seen_.contains(value) || is_input(value); }
  [[nodiscard]] bool is_input(tosa::ValueId value) const {
    return std::ranges::find(block_.inputs, value) != block_.inputs.end();
  }

  /// Records that wrote right tensors, and those that these were made from.
  [[nodiscard]] std::set<std::size_t> explained_records(const std::vector<Match>& named) const {
    std::set<std::size_t> explained = right_;
    for (const auto& match : named)
      if (equal(match)) explained.insert(match.records.begin(), match.records.end());
    for (std::size_t i = records_.size(); i-- > 0;)
      if (explained.contains(i)) explained.insert(records_[i].producers.begin(), records_[i].producers.end());
    return explained;
  }

  /// Without a name for it: the first operation that wrote no tensor of the graph and from which no right tensor was
  /// made. The tensor it should have written is one of its shape whose operators read what it reads.
  [[nodiscard]] std::optional<WrongOperator> first_unexplained(const std::set<std::size_t>& explained) const {
    std::vector<std::size_t> suspects;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (explained.contains(i) || records_[i].contents.empty()) continue;
      suspects.push_back(i);
      auto match = best_place(i);
      if (!match) continue;
      // Steps on the way to the tensor, or one that wrote another shape than it should have, come before.
      match->records = suspects;
      return describe(*match);
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Match> best_place(std::size_t record) const {
    const auto& contents = records_[record].contents;
    std::optional<Match> best;
    std::size_t most = 0;
    for (tosa::ValueId v = 0; v < values_.size(); ++v) {
      if (!values_[v] || block_.values[v].data || known(v) || values_[v]->bytes().size() != contents.size() ||
          size_of(values_[v]->dtype()) != static_cast<std::size_t>(records_[record].bytes))
        continue;
      const auto expected = values_[v]->bytes();
      std::size_t same = 1;
      for (std::size_t i = 0; i < contents.size(); ++i) same += contents[i] == expected[i];
      if (same <= most) continue;
      most = same;
      best = Match{v, How::kPlace, {record}, contents, {}, {}};
    }
    return best;
  }

  void list_tensors(Location& location, const std::vector<Match>& named) const {
    std::set<tosa::ValueId> listed;
    for (const auto* list : {&named, &by_contents_})
      for (const auto& match : *list)
        if (listed.insert(match.value).second)
          location.matched.push_back({block_.values[match.value].name, match.how, match.records.size()});
    for (tosa::ValueId v = 0; v < values_.size(); ++v)
      if (values_[v] && !block_.values[v].data && !is_input(v) && !listed.contains(v))
        location.unmatched.push_back(block_.values[v].name);
  }

  static constexpr std::size_t kCommandsShown = 4;

  const tosa::Block& block_;
  const Values& values_;
  const npu::Artifact& artifact_;
  const npu::Accelerator& accelerator_;
  const std::vector<Record>& records_;
  std::map<tosa::ValueId, std::size_t> producer_;
  std::vector<Match> by_contents_;
  std::set<std::size_t> right_;   ///< records whose contents are those of a tensor of the graph
  std::set<tosa::ValueId> seen_;  ///< tensors whose contents were written
};

}  // namespace

Result<Reference> reference_of(const tosa::Graph& graph, const std::vector<Tensor>& inputs) {
  MACAW_ASSIGN(auto typed, graph_inputs(graph, inputs));
  Reference reference{graph.main(), Values(graph.main().values.size())};
  tosa::Options options;
  options.on_tensor = [&](const tosa::Value& value, const Tensor& tensor) {
    if (const auto id = reference.block.find_value(value.name)) reference.values[*id] = tensor;
  };
  MACAW_ASSIGN(const auto expected, tosa::run(graph, std::move(typed), options));
  MACAW_CHECK(require_valid(expected.verdict, "graph"));
  return reference;
}

Result<Reference> reference_of(const std::filesystem::path& folder) {
  std::error_code status;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator it(folder, status), end; !status && it != end; it.increment(status))
    if (it->path().extension() == ".npy") files.push_back(it->path());
  if (status) return fail(ErrorCode::kIo, status.message(), {.file = folder.string()});
  if (files.empty()) return fail(ErrorCode::kInvalidFile, "no .npy file in the folder", {.file = folder.string()});
  std::ranges::sort(files);
  Reference reference;
  for (const auto& file : files) {
    MACAW_ASSIGN(auto tensor, read_tensor(file));
    tosa::Value value;
    value.name = file.stem().string();
    value.dtype = tensor.dtype();
    value.shape = tensor.shape();
    reference.block.values.push_back(std::move(value));
    reference.values.emplace_back(std::move(tensor));
  }
  return reference;
}

Result<Location> locate(const Reference& reference, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                        const std::vector<npu::NamedTensor>& inputs) {
  MACAW_ASSIGN(const auto records, trace_program(artifact, accelerator, inputs));
  return Locator(reference.block, reference.values, artifact, accelerator, records).run();
}

}  // namespace macaw::compare
