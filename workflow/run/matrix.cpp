#include "workflow/run/matrix.hpp"

#include <cmath>

namespace macaw::run {
namespace {

Result<std::vector<double>> read_values(const TomlReader& reader, std::string_view key) {
  const auto* list = reader.table.get_as<toml::array>(key);
  if (list == nullptr || list->empty()) return reader.error(key, "must be a list of numbers");
  std::vector<double> values;
  for (const auto& node : *list) {
    const auto value = node.value<double>();
    if (!node.is_number() || !value || !std::isfinite(*value)) return reader.error(key, "must be a list of numbers");
    values.push_back(*value);
  }
  return values;
}

/// Each point once for each value of an axis; as it is where the axis is empty.
template <class T, class Set>
void multiply(std::vector<Point>& points, const std::vector<T>& values, const Set& set) {
  if (values.empty()) return;
  std::vector<Point> all;
  for (const auto& point : points)
    for (const auto& value : values) set(all.emplace_back(point), value);
  points = std::move(all);
}

}  // namespace

Result<Axes> read_axes(const TomlReader& reader) {
  Axes axes;
  MACAW_ASSIGN(axes.accelerators, reader.texts<std::string>("accelerators"));
  MACAW_ASSIGN(axes.systems, reader.texts<std::string>("systems"));
  MACAW_ASSIGN(axes.memory_modes, reader.texts<std::string>("memory_modes"));
  if (!reader.table.contains("params")) return axes;
  const auto* params = reader.table.get_as<toml::table>("params");
  if (params == nullptr) return reader.error("params", "must be a table of lists of numbers");
  const TomlReader values{*params, reader.file, reader.where + ".params"};
  for (const auto& [key, node] : *params) {
    MACAW_ASSIGN(auto list, read_values(values, key.str()));
    axes.params.emplace_back(key.str(), std::move(list));
  }
  return axes;
}

std::vector<Point> points(const Axes& axes) {
  std::vector<Point> all(1);
  multiply(all, axes.accelerators, [](Point& point, const std::string& name) { point.accelerator = name; });
  multiply(all, axes.systems, [](Point& point, const std::string& name) { point.system = name; });
  multiply(all, axes.memory_modes, [](Point& point, const std::string& name) { point.memory_mode = name; });
  for (const auto& [name, values] : axes.params)
    multiply(all, values, [&, &key = name](Point& point, double value) { point.params.emplace_back(key, value); });
  return all;
}

}  // namespace macaw::run
