#include <fmt/format.h>

#include <set>

#include <macaw/tflite/interpreter.hpp>
#include <macaw/tflite/to_tosa.hpp>

#include "tests/tools/dev/check/graph.hpp"
#include "tests/tools/dev/check/json_access.hpp"
#include "tests/tools/dev/check/network.hpp"

// CORPUS/npu: compiled networks with the inputs and outputs of an independent oracle. A network that was born as a TOSA
// graph must give its outputs on the interpreter as well; that of a TensorFlow Lite file is a case of its own.

namespace macaw::app::check {
namespace {

struct InputsAndOutputs {
  std::string kind;
  std::vector<std::filesystem::path> inputs, outputs;
};

Result<std::vector<InputsAndOutputs>> read_cases(const std::filesystem::path& file) {
  return with_json(file, [&](const nlohmann::json& json) -> Result<std::vector<InputsAndOutputs>> {
    std::vector<InputsAndOutputs> cases;
    for (const auto& c : json.at("cases"))
      cases.push_back({c.value("kind", "case"), paths(c.at("inputs"), file.parent_path()),
                       paths(c.at("outputs"), file.parent_path())});
    return cases;
  });
}

struct KnownDeviation {
  std::string_view model, cause;
};
constexpr KnownDeviation kKnownDeviations[] = {
#define MACAW_LAB_DEVIATION(folder, file, cause)
#define MACAW_KNOWN_DEVIATION(model, cause) {#model, cause},
#include "tests/tools/dev/check/known_deviations.def"
#undef MACAW_LAB_DEVIATION
#undef MACAW_KNOWN_DEVIATION
};

/// The corpus's own mark, or Macaw's where the corpus names the network elsewhere.
std::string known_deviation(const nlohmann::json& entry) {
  if (const auto marked = entry.value("known_deviation", ""); !marked.empty()) return marked;
  const auto model = entry.value("model", "");
  for (const auto& known : kKnownDeviations)
    if (known.model == model) return std::string(known.cause);
  return {};
}

using Run = std::function<Result<std::vector<Tensor>>(const std::vector<Tensor>& inputs)>;

Result<void> run_cases(const std::vector<InputsAndOutputs>& cases, const Run& run, const char* engine) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& c = cases[i];
    MACAW_ASSIGN(const auto inputs, read_inputs(c.inputs));
    MACAW_ASSIGN(const auto outputs, run(inputs));
    if (outputs.size() != c.outputs.size())
      return fail(ErrorCode::kMismatch,
                  fmt::format("{}: {} outputs, expected {}", engine, outputs.size(), c.outputs.size()));
    for (std::size_t k = 0; k < outputs.size(); ++k)
      MACAW_CHECK(
          compare_bytes(outputs[k], c.outputs[k], fmt::format("{}, case {} ({}), output {}", engine, i, c.kind, k)));
  }
  return {};
}

Result<void> run_entry(const nlohmann::json& entry, const std::filesystem::path& folder, const RunOptions& options) {
  MACAW_ASSIGN(const auto cases, read_cases(folder / entry.at("cases").get<std::string>()));
  const auto source = folder / entry.at("source").get<std::string>();
  if (source.extension() == ".tosa")
    MACAW_CHECK(run_cases(
        cases, [&](const auto& inputs) { return run_graph(source, inputs); }, "tosa"));
  for (const auto& file : paths(entry.at("artifacts"), folder)) {
    MACAW_ASSIGN(const auto network, load_network(file, entry.at("accelerator").get<std::string>()));
    MACAW_CHECK(run_cases(
        cases, [&](const auto& inputs) { return run_network(network, inputs, options); }, "sim"));
  }
  return {};
}

/// The network that was compiled, as its oracle computed it; as TOSA too, where that has an exact form.
Result<void> run_original(const nlohmann::json& entry, const std::filesystem::path& folder) {
  MACAW_ASSIGN(const auto cases, read_cases(folder / entry.at("cases").get<std::string>()));
  MACAW_ASSIGN(const auto network, tflite::load_network(folder / entry.at("source").get<std::string>()));
  const auto run = [&](const auto& inputs) -> Result<std::vector<Tensor>> {
    tflite::State fresh;
    MACAW_ASSIGN(auto result, tflite::run(network, inputs, fresh));
    return std::move(result.outputs);
  };
  MACAW_CHECK(run_cases(cases, run, "tflite"));
  const auto imported = tflite::to_tosa(network);
  if (!imported && imported.error().code == ErrorCode::kUnsupported) return {};
  MACAW_CHECK(imported);
  return run_cases(
      cases, [&](const auto& inputs) { return run_graph(*imported, network.file, inputs); }, "imported");
}

/// Runs a case, whose JSON may lack what it needs.
template <class F>
std::function<Result<void>()> guarded(const std::filesystem::path& file, F run) {
  return [file, run]() -> Result<void> {
    try {
      return run();
    } catch (const nlohmann::json::exception& e) {
      return fail(ErrorCode::kInvalidFile, e.what(), {.file = file.string()});
    }
  };
}

}  // namespace

Result<Cases> load_networks(const std::filesystem::path& folder, const RunOptions& options) {
  const auto file = folder / "INDEX.json";
  return with_json(file, [&](const nlohmann::json& index) -> Result<Cases> {
    Cases cases;
    std::set<std::string> originals;
    for (const auto& entry : index) {
      const auto source = entry.at("source").get<std::string>();
      if (std::filesystem::path(source).extension() == ".tflite" && originals.insert(source).second)
        cases.push_back({source,
                         {{"model", entry.at("model").get<std::string>()}, {"format", "original"}},
                         "",
                         guarded(file, [entry, folder] { return run_original(entry, folder); })});
      auto name = std::filesystem::path(entry.at("artifacts").at(0).get<std::string>()).parent_path().string();
      cases.push_back({std::move(name), string_fields(entry), known_deviation(entry),
                       guarded(file, [entry, folder, options] { return run_entry(entry, folder, options); })});
    }
    return cases;
  });
}

}  // namespace macaw::app::check
