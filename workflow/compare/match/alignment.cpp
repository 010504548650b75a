#include "workflow/compare/match/alignment.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace macaw::compare {

Alignment::Alignment(const Reference& reference, const npu::Artifact& artifact, const std::vector<Record>& records,
                     const std::vector<HostCall>& host_calls, const std::set<std::size_t>& right_outputs)
    : reference_(reference), records_(records), named_(match_by_database(reference, artifact, records)) {
  for (std::size_t i = 0; i < reference.operators.size(); ++i)
    for (const auto t : reference.operators[i].outputs) producer_[t] = i;
  std::set<TensorId> named;
  for (const auto& match : named_) named.insert(match.tensor);
  for (auto& match : match_by_contents(reference, records)) {
    for (const auto r : match.records) wrote_.emplace(r, match.tensor);
    seen_.insert(match.tensor);
    if (!named.contains(match.tensor)) by_contents_.push_back(std::move(match));
  }
  for (const auto& [record, tensor] : wrote_) seen_right_.insert(record);
  std::set<std::size_t> wrong;
  for (const auto& match : named_)
    if (equal(match)) {
      seen_right_.insert(match.records.begin(), match.records.end());
      seen_.insert(match.tensor);
    } else if (match.records.size() == 1 && !right(match.records[0]) && is_right_in_part(match)) {
      wrong.insert(match.records[0]);
    }
  for (std::size_t output = 0; output < artifact.outputs.size(); ++output)
    for (std::size_t i = 0; right_outputs.contains(output) && i < records.size(); ++i)
      if (records[i].written.overlaps(span_of(artifact.outputs[output]))) seen_right_.insert(i);
  doubt(wrong);
  find_representatives();
  find_sources(artifact, host_calls);
}

bool Alignment::equal(const Match& match) const {
  return std::ranges::equal(match.contents, std::as_const(*reference_.tensors[match.tensor].value).bytes());
}

void Alignment::doubt(const std::set<std::size_t>& records) {
  doubted_.insert(records.begin(), records.end());
  explained_ = seen_right_;
  for (std::size_t i = records_.size(); i-- > 0;)
    if (doubted_.contains(i)) explained_.erase(i);
    else if (explained_.contains(i)) explained_.insert(records_[i].producers.begin(), records_[i].producers.end());
}

void Alignment::confirm(const std::set<std::size_t>& records) {
  seen_right_.insert(records.begin(), records.end());
  doubt({});
}

bool Alignment::is_right_in_part(const Match& match) const {
  const auto& value = *reference_.tensors[match.tensor].value;
  const auto expected = std::as_const(value).bytes();
  const auto width = size_of(value.dtype());
  if (equal(match) || match.contents.size() != expected.size()) return false;
  std::size_t same = 0;
  for (std::size_t at = 0; at < expected.size(); at += width)
    same += std::memcmp(&match.contents[at], &expected[at], width) == 0;
  return same * width * 2 >= expected.size();
}

bool Alignment::known(TensorId tensor) const {
  return seen_.contains(tensor) || std::ranges::find(reference_.inputs, tensor) != reference_.inputs.end();
}

bool Alignment::is_view(TensorId tensor) const {
  constexpr std::array<std::string_view, 4> kKinds = {"RESHAPE", "SQUEEZE", "EXPAND_DIMS", "IDENTITY"};
  // A loop, as chains of views can be as long as a network; each step goes back by an operator.
  for (std::size_t steps = 0; steps < reference_.operators.size(); ++steps) {
    const auto producer = producer_.find(tensor);
    if (producer == producer_.end()) return false;
    const auto& op = reference_.operators[producer->second];
    if (std::ranges::find(kKinds, op.kind) == kKinds.end() || op.inputs.empty()) return false;
    tensor = op.inputs[0];
    if (known(tensor)) return true;
  }
  return false;
}

Cone Alignment::cone(TensorId tensor) const {
  Cone cone;
  std::vector<TensorId> open{tensor};
  while (!open.empty()) {
    const auto at = open.back();
    open.pop_back();
    if (at != tensor && known(at)) {
      cone.frontier.insert(representative_[at]);
      continue;
    }
    const auto found = producer_.find(at);
    if (found == producer_.end()) continue;
    if (at != tensor) cone.inside.insert(at);
    if (!cone.operators.insert(found->second).second) continue;
    for (const auto input : reference_.operators[found->second].inputs)
      if (!reference_.tensors[input].constant) open.push_back(input);
  }
  return cone;
}

std::vector<TensorId> Alignment::written(std::size_t record) const {
  std::vector<TensorId> tensors;
  const auto [first, last] = wrote_.equal_range(record);
  for (auto it = first; it != last; ++it) tensors.push_back(it->second);
  return tensors;
}

std::vector<std::size_t> Alignment::writers(TensorId tensor, std::size_t end) const {
  std::set<std::size_t> records;
  for (const auto& [record, written] : wrote_)
    if (record < end && representative_[written] == representative_[tensor]) records.insert(record);
  return {records.begin(), records.end()};
}

void Alignment::find_representatives() {
  std::unordered_map<std::string_view, TensorId> by_contents;
  for (TensorId t = 0; t < reference_.tensors.size(); ++t) {
    representative_.push_back(t);
    if (!reference_.tensors[t].value) continue;
    const auto bytes = std::as_const(*reference_.tensors[t].value).bytes();
    representative_[t] =
        by_contents.emplace(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), t)
            .first->second;
  }
}

std::optional<TensorId> Alignment::computed_as(const Tensor& contents) const {
  for (TensorId t = 0; t < reference_.tensors.size(); ++t)
    if (reference_.is_computed(t) && reference_.tensors[t].value->dtype() == contents.dtype() &&
        std::ranges::equal(std::as_const(*reference_.tensors[t].value).bytes(), contents.bytes()))
      return t;
  return std::nullopt;
}

void Alignment::find_sources(const npu::Artifact& artifact, const std::vector<HostCall>& host_calls) {
  for (std::size_t i = 0; i < artifact.inputs.size(); ++i) {
    const auto by_name = reference_.find(artifact.inputs[i].name);
    if (by_name && std::ranges::find(reference_.inputs, *by_name) != reference_.inputs.end())
      input_tensors_.push_back(by_name);
    else input_tensors_.push_back(i < reference_.inputs.size() ? std::optional(reference_.inputs[i]) : std::nullopt);
  }
  std::vector<std::optional<TensorId>> by_host;
  for (const auto& call : host_calls)
    for (const auto& output : call.outputs) {
      const auto tensor = computed_as(output);
      by_host.push_back(tensor);
      if (tensor) seen_.insert(*tensor);
    }
  for (const auto& record : records_) {
    std::set<TensorId> sources;
    for (const auto p : record.producers) {
      if (const auto tensors = written(p); !tensors.empty())
        for (const auto t : tensors) sources.insert(representative_[t]);
      else sources.insert(sources_[p].begin(), sources_[p].end());
    }
    for (const auto i : record.inputs)
      if (const auto tensor = input_tensors_[i]) sources.insert(representative_[*tensor]);
    for (const auto i : record.host_outputs)
      if (const auto tensor = by_host[i]) sources.insert(representative_[*tensor]);
    sources_.push_back(std::move(sources));
  }
}

}  // namespace macaw::compare
