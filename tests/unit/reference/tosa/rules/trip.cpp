#include "tests/unit/reference/tosa/rules/trip.hpp"

#include <fmt/format.h>

namespace macaw::test {

Trip& Trips::append(std::vector<std::string> statements, const Types& types, Edit edit) {
  return all_.emplace_back(
      Trip{op_, std::move(statements), "", "", tosa::Status::kError, types, std::move(edit), {}, make_});
}

namespace {

void name_rule(Trip& trip, int rule) {
  trip.rule = fmt::format("{}.{}", to_string(trip.op), rule);
  const auto* definition = tosa::find_definition(trip.op);
  const auto index = static_cast<std::size_t>(rule) - 1;
  if (!definition) return;
  if (index >= definition->checks.size()) throw std::logic_error(trip.rule + " is not a rule");
  const auto& check = definition->checks[index];
  trip.argument = check.argument;
  trip.status = check.rule == tosa::Rule::kRequire ? tosa::Status::kUnpredictable : tosa::Status::kError;
}

std::vector<std::string> own(tosa::Op op, std::initializer_list<int> ordinals) {
  std::vector<std::string> names;
  for (const auto ordinal : ordinals) names.push_back(fmt::format("{}:{}", to_string(op), ordinal));
  return names;
}

}  // namespace

Trips& Trips::add(std::initializer_list<int> statements, int rule, const Types& types, Edit edit) {
  name_rule(append(own(op_, statements), types, std::move(edit)), rule);
  return *this;
}

Trips& Trips::add(const char* statement, int rule, const Types& types, Edit edit) {
  name_rule(append({statement}, types, std::move(edit)), rule);
  return *this;
}

Trips& Trips::table(std::initializer_list<int> statements, const char* rule, const char* argument, const Types& types,
                    Edit edit) {
  auto& trip = append(own(op_, statements), types, std::move(edit));
  trip.rule = fmt::format("{}.{}", to_string(op_), rule);
  trip.argument = argument;
  return *this;
}

Trips& Trips::graph(const char* rule, const char* argument, const Types& types, std::function<void(CaseGraph&)> edit) {
  auto& trip = append({}, types, {});
  trip.rule = fmt::format("{}.{}", to_string(op_), rule);
  trip.argument = argument;
  trip.edit_graph = std::move(edit);
  return *this;
}

Trips& Trips::graph(std::initializer_list<int> statements, const char* id, const char* argument,
                    std::function<void(CaseGraph&)> edit) {
  auto& trip = append(own(op_, statements), {}, {});
  trip.rule = id;
  trip.argument = argument;
  trip.edit_graph = std::move(edit);
  return *this;
}

const std::vector<Trip>& all_trips() {
  static const auto trips = [] {
    std::vector<Trip> all;
    for (const auto add : {add_window_trips, add_tensor_trips, add_elementwise_trips, add_data_layout_trips,
                           add_conversion_trips, add_control_flow_trips, add_block_scaled_trips, add_shape_trips})
      add(all);
    std::erase_if(all, [](const Trip& trip) { return !tosa::find_definition(trip.op); });
    return all;
  }();
  return trips;
}

std::vector<std::int64_t>& ints(Case& c, tosa::Attr attribute) {
  for (auto& [name, value] : c.op.attributes)
    if (name == attribute) return std::get<std::vector<std::int64_t>>(value);
  throw std::logic_error(fmt::format("the case has no {}", to_string(attribute)));
}

Edit set_item(tosa::Attr attribute, std::size_t i, std::int64_t value) {
  return [=](Case& c) { ints(c, attribute).at(i) = value; };
}
Edit set_attribute(tosa::Attr attribute, std::int64_t value) {
  return [=](Case& c) { c.op.set(attribute, value); };
}
Edit fill_input(std::size_t i, std::int64_t value) {
  return [=](Case& c) { c.inputs.at(i) = filled(c.inputs.at(i).dtype(), c.inputs.at(i).shape(), value); };
}
Edit shape_input(std::size_t i, Shape shape) {
  return [i, shape = std::move(shape)](Case& c) { c.inputs.at(i) = Tensor(c.inputs.at(i).dtype(), shape); };
}
Edit lengthen_operands() {
  return [](Case& c) {
    for (const std::size_t i : {0u, 1u}) {
      auto shape = c.inputs.at(i).shape();
      ++shape.back();
      c.inputs[i] = Tensor(c.inputs[i].dtype(), shape);
    }
  };
}
Edit grow_output(std::size_t axis, std::size_t output) {
  return [=](Case& c) { ++c.outputs.at(output).second.at(axis); };
}

}  // namespace macaw::test
