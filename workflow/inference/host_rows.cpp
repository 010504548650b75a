#include "workflow/inference/host_rows.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workflow/inference/around.hpp"
#include "workflow/inference/price.hpp"

namespace macaw::inference {
namespace {

constexpr std::string_view kExecuTorchPrefix = "executorch-";

/// Libraries that an operator may be of: what is stated, what an operator's name states, or all for its runtime.
std::vector<std::string> libraries_of(const npu::CpuConfig& cpu, const npu::Artifact& artifact, const std::string& op) {
  const bool executorch = artifact.format == npu::Artifact::Format::kExecuTorch;
  if (op.starts_with("cortex_m::")) return {"executorch-cortex-m"};
  if (!cpu.library.empty() &&
      (cpu.library.ends_with(".toml") || executorch == cpu.library.starts_with(kExecuTorchPrefix)))
    return {cpu.library};
  if (executorch) return {"executorch-portable"};
  return {"cmsis-nn", "tflm-reference", "tflm-reference-2022"};
}

std::vector<std::string> compilers_of(const CostTables& tables, const npu::CpuConfig& cpu) {
  if (!cpu.compiler.empty()) return {cpu.compiler};
  std::vector<std::string> usual;
  if (const auto section = tables.platform.find("usual_compiler"); section != tables.platform.end())
    for (const auto& [name, entry] : section->second) usual.push_back(name);
  return usual;
}

/// Over all libraries and compilers that are possible.
Price price_in(const CostTables& tables, const npu::CpuConfig& cpu, const OperatorWork& work,
               const std::vector<std::string>& libraries, const std::vector<std::string>& compilers) {
  Price all;
  for (const auto& library : libraries)
    for (const auto& compiler : compilers) {
      const auto one = price_of(tables, work, {cpu.core, library, compiler});
      if (!one.cycles) {
        if (!all.cycles) all.source = one.source;
        continue;
      }
      if (!all.cycles) all = one;
      else all.cycles = hull(*all.cycles, *one.cycles);
    }
  if (all.cycles && libraries.size() * compilers.size() > 1)
    all.source = fmt::format("from {} to {} and {}; first: {}", libraries.front(), libraries.back(),
                             fmt::join(compilers, ", "), all.source);
  return all;
}

npu::InferenceRow row_of(std::string name, const Price& price, const CostTables& tables, const npu::CpuConfig& cpu) {
  npu::InferenceRow row{.kind = "cpu", .name = std::move(name), .ms = {}, .source = price.source};
  if (!price.cycles) return row;
  const auto memory = memory_factor(tables, cpu);
  const auto ms = milliseconds(*price.cycles * memory.range, cpu);
  row.ms = ms.typical;
  row.low_ms = ms.low;
  row.high_ms = ms.high;
  return row;
}

std::string name_of(const npu::HostOperator& op) {
  auto name = fmt::format("operator {} {}, {}", op.index, op.name, shapes_of(op));
  if (const auto macs = macs_of(op); macs != 0) name += fmt::format(", {} MACs", macs);
  return name;
}

/// Conversions by the application at float ends, one for each input or output of integers.
void add_conversions(std::vector<GroupedRow>& rows, const CostTables& tables, const npu::CpuConfig& cpu,
                     const npu::Artifact& artifact, bool inputs) {
  for (const auto& tensor : inputs ? artifact.inputs : artifact.outputs) {
    if (tensor.memory < 0 || (tensor.dtype && is_float(*tensor.dtype))) continue;
    OperatorWork work{
        .cls = inputs ? "quantize" : "dequantize", .type = "int8", .elements = 1, .macs = 0, .reason = {}};
    for (const auto extent : tensor.shape) work.elements *= static_cast<double>(extent);
    const auto price = price_in(tables, cpu, work, libraries_of(cpu, artifact, {}), compilers_of(tables, cpu));
    rows.push_back(
        {row_of(fmt::format("{} '{}' by the application", work.cls, tensor.name), price, tables, cpu), work.cls});
  }
}

/// The least and the most of the sums, one for each choice.
struct Spread {
  double least = 0, most = 0;
  [[nodiscard]] double ratio() const { return least > 0 ? most / least : 1; }
};

}  // namespace

std::vector<GroupedRow> host_rows(const CostTables& tables, const npu::CpuConfig& cpu, const npu::Artifact& artifact) {
  std::vector<GroupedRow> rows;
  const bool converts = cpu.ends == "float";
  if (converts) add_conversions(rows, tables, cpu, artifact, true);
  const auto compilers = compilers_of(tables, cpu);
  for (const auto& step : artifact.steps) {
    const auto* op = std::get_if<npu::HostOperator>(&step);
    if (op == nullptr) continue;
    const auto work = work_of(*op);
    const auto libraries = libraries_of(cpu, artifact, op->name);
    const auto price = price_in(tables, cpu, work, libraries, compilers);
    // The effect of an unknown library or compiler is the same for all operators.
    const bool open = libraries.size() > 1 || compilers.size() > 1;
    rows.push_back({row_of(name_of(*op), price, tables, cpu), open ? "kernels" : work.cls});
  }
  if (converts) add_conversions(rows, tables, cpu, artifact, false);
  return rows;
}

std::vector<npu::InferenceSaving> savings(const CostTables& tables, const npu::CpuConfig& cpu,
                                          const npu::Artifact& artifact, const npu::Inference& whole) {
  constexpr double kMatters = 0.03;
  constexpr std::size_t kMost = 5;
  std::vector<npu::InferenceSaving> all;
  double kernels = 0, copied = 0;
  for (const auto& row : whole.rows) {
    const double ms = row.ms.value_or(0);
    if (row.kind == "cpu") {
      kernels += ms;
      all.push_back({row.name + ": on the NPU", ms});
    } else if (row.kind.starts_with("copy")) {
      copied += ms;
    }
  }
  all.push_back({"inputs and outputs where the network reads and writes them, without copies", copied});
  if (cpu.memory != "tcm") {
    const double factor = memory_factor(tables, cpu).range.typical;
    all.push_back({"tensors of the CPU's operators in TCM", kernels * (1 - 1 / factor)});
  }
  if (!cpu.library.empty())
    for (const auto& [name, table] : tables.libraries) {
      auto other = cpu;
      other.library = name;
      double ms = 0;
      for (const auto& [row, group] : host_rows(tables, other, artifact)) ms += row.ms.value_or(0);
      all.push_back({"kernel library " + name, kernels - ms});
    }
  std::erase_if(all, [&](const npu::InferenceSaving& saving) { return saving.ms < kMatters * whole.ms; });
  std::ranges::stable_sort(all, std::greater{}, &npu::InferenceSaving::ms);
  if (all.size() > kMost) all.resize(kMost);
  return all;
}

std::string open_choice(const CostTables& tables, const npu::CpuConfig& cpu, const npu::Artifact& artifact) {
  std::map<std::string, double> by_library, by_compiler;
  std::map<std::string, Range> by_operator;
  const auto compilers = compilers_of(tables, cpu);
  for (const auto& step : artifact.steps) {
    const auto* op = std::get_if<npu::HostOperator>(&step);
    if (op == nullptr) continue;
    const auto work = work_of(*op);
    const auto libraries = libraries_of(cpu, artifact, op->name);
    if (libraries.size() > 1)
      for (const auto& library : libraries)
        if (const auto price = price_in(tables, cpu, work, {library}, compilers); price.cycles)
          by_library[library] += price.cycles->typical;
    if (compilers.size() > 1)
      for (const auto& compiler : compilers)
        if (const auto price = price_in(tables, cpu, work, libraries, {compiler}); price.cycles)
          by_compiler[compiler] += price.cycles->typical;
    if (const auto price = price_in(tables, cpu, work, libraries, compilers); price.cycles) {
      auto [entry, is_new] = by_operator.try_emplace(op->name, Range{0, 0, 0});
      entry->second = entry->second + *price.cycles;
    }
  }
  const auto spread = [](const std::map<std::string, double>& sums) {
    Spread all;
    for (const auto& [name, sum] : sums) {
      all.least = all.least == 0 ? sum : std::min(all.least, sum);
      all.most = std::max(all.most, sum);
    }
    return all.ratio();
  };
  const double library = spread(by_library), compiler = spread(by_compiler);
  constexpr double kMatters = 1.05;
  if (by_operator.empty() || std::max(library, compiler) < kMatters) return {};
  const auto widest =
      std::ranges::max_element(by_operator, {}, [](const auto& entry) { return entry.second.high - entry.second.low; });
  const bool is_library = library >= compiler;
  std::vector<std::string> names;
  for (const auto& [name, sum] : is_library ? by_library : by_compiler) names.push_back(name);
  return fmt::format("{} {:.3g} to {:.3g} M cycles: {} unknown, give --cpu {}=NAME ({})", widest->first,
                     widest->second.low / 1e6, widest->second.high / 1e6, is_library ? "kernel library" : "compiler",
                     is_library ? "library" : "compiler", fmt::join(names, ", "));
}

}  // namespace macaw::inference
