#include "workflow/compare/networks/networks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/tensor_elements.hpp"
#include "workflow/compare/tensor_difference.hpp"
#include "workflow/report/forms/align.hpp"

namespace macaw::compare {
namespace {

constexpr std::size_t kMostListed = 10;

bool fits(const Tensor& a, const Tensor& b) { return a.dtype() == b.dtype() && a.size() == b.size(); }

/// Computed tensors of one network in execution order, and the operator of each.
struct Computed {
  explicit Computed(const Reference& reference) : reference(reference) {
    for (const auto& op : reference.operators)
      for (const auto tensor : op.outputs)
        if (reference.is_computed(tensor)) {
          ids.push_back(tensor);
          ops.push_back(&op);
        }
  }
  [[nodiscard]] const Tensor& value(TensorId id) const { return *reference.tensors[id].value; }
  [[nodiscard]] std::string word(std::size_t place) const {
    const auto& tensor = value(ids[place]);
    return fmt::format("{} {} {}", ops[place]->kind, to_string(tensor.dtype()), macaw::to_string(tensor.shape()));
  }

  const Reference& reference;
  std::vector<TensorId> ids;
  std::vector<const ReferenceOperator*> ops;
};

/// The partner of each tensor of the second network, by its place among those that are computed.
std::vector<std::optional<TensorId>> partners(const Computed& first, const Computed& second) {
  std::vector<std::optional<TensorId>> result(second.ids.size());
  std::set<TensorId> taken;
  const auto pair = [&](std::size_t place, TensorId id) {
    if (result[place] || taken.contains(id) || !fits(first.value(id), second.value(second.ids[place]))) return;
    result[place] = id;
    taken.insert(id);
  };
  const auto& outputs = second.reference.outputs;
  for (std::size_t i = 0; i < second.ids.size(); ++i)
    if (const auto found = std::ranges::find(outputs, second.ids[i]); found != outputs.end())
      if (const auto id = first.reference.outputs[static_cast<std::size_t>(found - outputs.begin())];
          first.reference.is_computed(id))
        pair(i, id);
  for (std::size_t i = 0; i < second.ids.size(); ++i)
    if (const auto id = first.reference.find(second.reference.tensors[second.ids[i]].name);
        id && first.reference.is_computed(*id))
      pair(i, *id);
  std::vector<std::string> then, now;
  std::vector<std::size_t> then_place, now_place;
  for (std::size_t i = 0; i < first.ids.size(); ++i)
    if (!taken.contains(first.ids[i])) {
      then.push_back(first.word(i));
      then_place.push_back(i);
    }
  for (std::size_t i = 0; i < second.ids.size(); ++i)
    if (!result[i]) {
      now.push_back(second.word(i));
      now_place.push_back(i);
    }
  for (const auto& [a, b] : report::align(then, now))
    if (a && b) pair(now_place[*b], first.ids[then_place[*a]]);
  return result;
}

void pair_tensors(NetworkComparison& comparison, const Reference& first, const Reference& second) {
  const Computed there(first), here(second);
  const auto partner = partners(there, here);
  std::set<TensorId> paired;
  for (std::size_t i = 0; i < here.ids.size(); ++i) {
    const auto& name = second.tensors[here.ids[i]].name;
    if (!partner[i]) {
      comparison.only_second.push_back(name);
      continue;
    }
    paired.insert(*partner[i]);
    comparison.tensors.push_back({.first = *partner[i],
                                  .second = here.ids[i],
                                  .op = here.ops[i]->text,
                                  .name = name,
                                  .first_name = first.tensors[*partner[i]].name,
                                  .is_output = std::ranges::find(second.outputs, here.ids[i]) != second.outputs.end(),
                                  .elements = here.value(here.ids[i]).size(),
                                  .runs_different = {},
                                  .index = {}});
  }
  for (const auto id : there.ids)
    if (!paired.contains(id)) comparison.only_first.push_back(first.tensors[id].name);
}

double number_at(const Tensor& tensor, std::size_t i) {
  double value = std::nan("");
  io::with_elements(tensor, [&](auto elements) {
    value = static_cast<double>(elements[i]);
    return true;
  });
  return value;
}

void compare_pair(TensorPair& pair, const std::string& run, const Tensor& a, const Tensor& b) {
  const auto difference = compare_tensors(pair.name, a, b);
  if (difference.different == 0) return;
  const std::size_t width = size_of(a.dtype());
  bool is_first = pair.different == 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.size()); ++i) {
    if (std::memcmp(a.bytes().data() + i * width, b.bytes().data() + i * width, width) == 0) continue;
    const double x = number_at(a, i), y = number_at(b, i), distance = std::abs(x - y);
    if (distance > pair.largest || std::isnan(distance)) pair.largest = distance;
    if (!std::exchange(is_first, false)) continue;
    pair.index = difference.index;
    pair.first_value = x;
    pair.second_value = y;
  }
  pair.different += difference.different;
  pair.runs_different.push_back(run);
}

std::string described(const InputPort& port) {
  return fmt::format("{} {}", to_string(port.dtype), port.shape ? macaw::to_string(*port.shape) : "of any shape");
}

Result<void> check_inputs(const NetworkComparison& comparison, const Program& first, const Program& second) {
  const auto there = first.input_ports(), here = second.input_ports();
  if (there.size() != here.size())
    return fail(ErrorCode::kMismatch,
                fmt::format("{} inputs, but {} has {}", here.size(), comparison.first_file, there.size()),
                {.file = comparison.second_file});
  for (std::size_t i = 0; i < here.size(); ++i)
    if (there[i].dtype != here[i].dtype || there[i].shape != here[i].shape)
      return fail(ErrorCode::kMismatch,
                  fmt::format("input {} is {}, in {} {}; a network and its quantised form are compared with 'macaw "
                              "accuracy'",
                              i, described(here[i]), comparison.first_file, described(there[i])),
                  {.file = comparison.second_file});
  return {};
}

Result<void> check_outputs(const NetworkComparison& comparison, const Reference& first, const Reference& second) {
  if (first.outputs.size() != second.outputs.size())
    return fail(
        ErrorCode::kMismatch,
        fmt::format("{} outputs, but {} has {}", second.outputs.size(), comparison.first_file, first.outputs.size()),
        {.file = comparison.second_file});
  for (std::size_t i = 0; i < second.outputs.size(); ++i) {
    const auto &a = first.tensors[first.outputs[i]].value, &b = second.tensors[second.outputs[i]].value;
    if (!a || !b || !fits(*a, *b))
      return fail(ErrorCode::kMismatch,
                  fmt::format("output {} has another type or size than in {}", i, comparison.first_file),
                  {.file = comparison.second_file});
  }
  return {};
}

std::string pair_text(const TensorPair& pair, const NetworkComparison& comparison) {
  const auto other = pair.first_name == pair.name ? "" : fmt::format(" ('{}' in the first)", pair.first_name);
  return fmt::format(
      "{}, {} '{}'{}: {} of {} elements differ in {} of {} runs, at most by {:.6g};\n    the first in {} at [{}]: "
      "{:.9g}, then {:.9g}\n",
      pair.op, pair.is_output ? "output" : "tensor", pair.name, other, pair.different,
      pair.elements * static_cast<std::int64_t>(comparison.runs.size()), pair.runs_different.size(),
      comparison.runs.size(), pair.largest, pair.runs_different.front(), fmt::join(pair.index, ", "), pair.first_value,
      pair.second_value);
}

std::string unpaired_text(const char* which, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const auto shown = std::span(names).first(std::min(kMostListed, names.size()));
  auto text = fmt::format("only in the {}: {} tensors: {}", which, names.size(), fmt::join(shown, ", "));
  if (names.size() > kMostListed) text += fmt::format(" and {} more", names.size() - kMostListed);
  return text + "\n";
}

}  // namespace

bool NetworkComparison::equal() const {
  return std::ranges::none_of(tensors, [&](const TensorPair& pair) { return counts(pair) && pair.different > 0; });
}

Result<void> add_run(NetworkComparison& comparison, const Program& first, const Program& second, std::string run,
                     const std::vector<Tensor>& inputs) {
  if (comparison.runs.empty()) MACAW_CHECK(check_inputs(comparison, first, second));
  MACAW_ASSIGN(const auto a, first.reference(inputs));
  MACAW_ASSIGN(const auto b, second.reference(inputs));
  MACAW_CHECK(check_outputs(comparison, a, b));
  if (comparison.runs.empty()) pair_tensors(comparison, a, b);
  for (auto& pair : comparison.tensors) {
    const auto &x = a.tensors[pair.first].value, &y = b.tensors[pair.second].value;
    if (!x || !y || !fits(*x, *y))
      return fail(ErrorCode::kUnsupported,
                  fmt::format("tensor '{}' has another size in '{}' than in the run before", pair.name, run),
                  {.file = comparison.second_file});
    compare_pair(pair, run, *x, *y);
  }
  comparison.runs.push_back(std::move(run));
  return {};
}

std::string to_text(const NetworkComparison& comparison) {
  std::string text = fmt::format("first    {}\nsecond   {}\n", comparison.first_file, comparison.second_file);
  std::size_t listed = 0, different = 0, outputs = 0, all_outputs = 0;
  for (const auto& pair : comparison.tensors) {
    all_outputs += pair.is_output;
    if (pair.different == 0) continue;
    ++different;
    outputs += pair.is_output;
    if (++listed == 1) text += "first difference: " + pair_text(pair, comparison);
    else if (listed <= kMostListed) text += "  " + pair_text(pair, comparison);
  }
  if (different > kMostListed) text += fmt::format("  ... {} more tensors differ (--json)\n", different - kMostListed);
  text += fmt::format("{} of {} tensors differ, {} of {} outputs, in {} run{}\n", different, comparison.tensors.size(),
                      outputs, all_outputs, comparison.runs.size(), comparison.runs.size() == 1 ? "" : "s");
  text += unpaired_text("first", comparison.only_first) + unpaired_text("second", comparison.only_second);
  if (!comparison.equal()) return text + "Different\n";
  return text + (different > 0 ? "The outputs are equal\n" : "No difference found\n");
}

std::string failure_text(const NetworkComparison& comparison, const std::string& run) {
  std::string text;
  for (const auto& pair : comparison.tensors)
    if (comparison.counts(pair) && std::ranges::find(pair.runs_different, run) != pair.runs_different.end())
      text += pair_text(pair, comparison);
  return text;
}

nlohmann::json to_json(const NetworkComparison& comparison) {
  nlohmann::json json{{"first", comparison.first_file},
                      {"second", comparison.second_file},
                      {"runs", comparison.runs},
                      {"equal", comparison.equal()},
                      {"tensors", nlohmann::json::array()},
                      {"only_first", comparison.only_first},
                      {"only_second", comparison.only_second}};
  for (const auto& pair : comparison.tensors) {
    nlohmann::json one{{"operator", pair.op},
                       {"name", pair.name},
                       {"first_name", pair.first_name},
                       {"is_output", pair.is_output},
                       {"elements", pair.elements},
                       {"different", pair.different},
                       {"runs_different", pair.runs_different}};
    if (pair.different > 0) {
      one["largest_difference"] = pair.largest;
      one["first_difference"] = {{"run", pair.runs_different.front()},
                                 {"index", pair.index},
                                 {"values", {pair.first_value, pair.second_value}}};
    }
    json["tensors"].push_back(std::move(one));
  }
  return json;
}

}  // namespace macaw::compare
