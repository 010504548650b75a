#include "workflow/accuracy/pairing.hpp"

#include <algorithm>
#include <map>

#include "workflow/report/forms/align.hpp"

namespace macaw::accuracy {
namespace {

std::int64_t elements(const tflite::TensorInfo& tensor) { return element_count(tensor.shape).value_or(-1); }

/// Operators other than conversions, and what they are in words: kind, and shape of the first output.
struct Sequence {
  std::vector<std::size_t> ops;
  std::vector<std::string> words;

  explicit Sequence(const tflite::Subgraph& graph) {
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
      const auto& op = graph.operators[i];
      if (is_conversion(op)) continue;
      ops.push_back(i);
      words.push_back(op.name);
      if (!op.outputs.empty() && op.outputs[0] >= 0) words.back() += to_string(graph.tensors[at(op.outputs[0])].shape);
    }
  }
};

class Pairer {
 public:
  Pairer(const tflite::Subgraph& reference, const tflite::Subgraph& quantised)
      : reference_(reference), quantised_(quantised) {
    pairing_.tensor.resize(quantised.tensors.size());
    pairing_.op.resize(quantised.operators.size());
  }

  Pairing pair() {
    by_name();
    inputs();
    by_place();
    conversions();
    list_others();
    return std::move(pairing_);
  }

 private:
  static std::vector<bool> computed(const tflite::Subgraph& graph) {
    std::vector<bool> result(graph.tensors.size());
    for (const auto& op : graph.operators)
      for (const int i : op.outputs)
        if (i >= 0) result[at(i)] = true;
    return result;
  }

  void by_name() {
    std::map<std::string_view, std::optional<std::size_t>> named;  // without a value: the name of several
    const auto is_computed = computed(reference_);
    for (std::size_t i = 0; i < reference_.tensors.size(); ++i) {
      const auto& name = reference_.tensors[i].name;
      if (!is_computed[i] || name.empty()) continue;
      const auto [found, is_new] = named.emplace(name, i);
      if (!is_new) found->second.reset();
    }
    std::map<std::string_view, std::size_t> times;
    const auto is_candidate = computed(quantised_);
    for (std::size_t i = 0; i < is_candidate.size(); ++i)
      if (is_candidate[i]) ++times[quantised_.tensors[i].name];
    for (std::size_t i = 0; i < is_candidate.size(); ++i) {
      const auto& tensor = quantised_.tensors[i];
      const auto found = named.find(tensor.name);
      if (!is_candidate[i] || found == named.end() || !found->second || times[tensor.name] != 1) continue;
      if (elements(tensor) == elements(reference_.tensors[*found->second])) pairing_.tensor[i] = found->second;
    }
  }

  void inputs() {
    for (std::size_t i = 0; i < std::min(reference_.inputs.size(), quantised_.inputs.size()); ++i) {
      const auto here = at(quantised_.inputs[i]);
      auto there = at(reference_.inputs[i]);
      for (const int other : reference_.inputs)
        if (reference_.tensors[at(other)].name == quantised_.tensors[here].name) there = at(other);
      if (elements(quantised_.tensors[here]) == elements(reference_.tensors[there])) pairing_.tensor[here] = there;
    }
  }

  void by_place() {
    const Sequence then(reference_), now(quantised_);
    for (const auto& [r, q] : report::align(then.words, now.words)) {
      if (!r || !q) continue;
      const auto &there = reference_.operators[then.ops[*r]], &here = quantised_.operators[now.ops[*q]];
      pairing_.op[now.ops[*q]] = then.ops[*r];
      for (std::size_t i = 0; i < std::min(there.outputs.size(), here.outputs.size()); ++i) {
        if (there.outputs[i] < 0 || here.outputs[i] < 0) continue;
        auto& partner = pairing_.tensor[at(here.outputs[i])];
        if (!partner &&
            elements(reference_.tensors[at(there.outputs[i])]) == elements(quantised_.tensors[at(here.outputs[i])]))
          partner = at(there.outputs[i]);
      }
    }
    // A name outweighs a place.
    std::map<std::size_t, std::size_t> writer;
    for (std::size_t i = 0; i < reference_.operators.size(); ++i)
      for (const int t : reference_.operators[i].outputs)
        if (t >= 0) writer.emplace(at(t), i);
    for (std::size_t i = 0; i < quantised_.operators.size(); ++i) {
      const auto& op = quantised_.operators[i];
      if (is_conversion(op) || op.outputs.empty() || op.outputs[0] < 0) continue;
      const auto& partner = pairing_.tensor[at(op.outputs[0])];
      if (!partner || !writer.contains(*partner)) continue;
      const auto other = writer[*partner];
      if (reference_.operators[other].name == op.name) pairing_.op[i] = other;
    }
  }

  void conversions() {
    for (const auto& op : quantised_.operators) {
      if (!is_conversion(op) || op.inputs.empty() || op.outputs.empty() || op.inputs[0] < 0 || op.outputs[0] < 0)
        continue;
      auto& partner = pairing_.tensor[at(op.outputs[0])];
      if (!partner) partner = pairing_.tensor[at(op.inputs[0])];
    }
  }

  void list_others() {
    std::vector<bool> used(reference_.tensors.size());
    for (const auto& partner : pairing_.tensor)
      if (partner) used[*partner] = true;
    const auto in_reference = computed(reference_), in_quantised = computed(quantised_);
    for (std::size_t i = 0; i < used.size(); ++i)
      if (in_reference[i] && !used[i]) pairing_.only_float.push_back(i);
    for (std::size_t i = 0; i < in_quantised.size(); ++i)
      if (in_quantised[i] && !pairing_.tensor[i]) pairing_.only_quantised.push_back(i);
  }

  const tflite::Subgraph &reference_, &quantised_;
  Pairing pairing_;
};

}  // namespace

bool is_conversion(const tflite::OperatorInfo& op) { return op.name == "QUANTIZE" || op.name == "DEQUANTIZE"; }

Pairing pair_networks(const tflite::Network& reference, const tflite::Network& quantised) {
  return Pairer(reference.main(), quantised.main()).pair();
}

}  // namespace macaw::accuracy
