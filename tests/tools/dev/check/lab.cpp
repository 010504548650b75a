#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <macaw/tflite/interpreter.hpp>

#include "tests/tools/dev/check/graph.hpp"
#include "tests/tools/dev/check/network.hpp"
#include "workflow/compare/inputs.hpp"

// CORPUS/lab: folders of compiled networks (NAME_vela.npz, NAME_vela.tflite), of the originals (NAME.tflite, NAME.tosa)
// and of answers, and of tests with a desc.json. Inputs are in_N_K.npy, input K of case N, answers exp_N_output_K.npy;
// for networks of one input and output in_N.npy and exp_N.npy, or START_exp_N.npy for the network that is named so.

namespace macaw::app::check {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kLabSeed = 7;
constexpr int kSeededCases = 3;

struct LabDeviation {
  std::string_view folder, file, cause;
};
constexpr LabDeviation kLabDeviations[] = {
#define MACAW_KNOWN_DEVIATION(model, cause)
#define MACAW_LAB_DEVIATION(folder, file, cause) {folder, file, cause},
#include "tests/tools/dev/check/known_deviations.def"
#undef MACAW_LAB_DEVIATION
#undef MACAW_KNOWN_DEVIATION
};

std::string known_deviation(const fs::path& file) {
  const auto folder = file.parent_path().filename().string(), name = file.filename().string();
  for (const auto& known : kLabDeviations)
    if (known.folder == folder && (known.file.empty() || known.file == name)) return std::string(known.cause);
  return {};
}

struct InputsAndAnswers {
  std::vector<fs::path> inputs, answers;
};

/// START0END, START1END, ... as far as they exist.
std::vector<fs::path> numbered(const std::string& start) {
  std::vector<fs::path> files;
  for (int i = 0; fs::exists(fmt::format("{}{}.npy", start, i)); ++i)
    files.emplace_back(fmt::format("{}{}.npy", start, i));
  return files;
}

/// The cases of a network, by the names of the files beside it; answers may be missing.
std::vector<InputsAndAnswers> read_lab_cases(const fs::path& network) {
  const auto folder = network.parent_path();
  const auto name = network.stem().string();
  const auto file = [&](const std::string& text) { return (folder / text).string(); };
  std::vector<InputsAndAnswers> cases;
  for (int n = 0;; ++n) {
    InputsAndAnswers c;
    const auto own = file(fmt::format("{}_exp_{}.npy", name.substr(0, name.find('_')), n));
    const auto single = file(fmt::format("exp_{}.npy", n)), single_input = file(fmt::format("in_{}.npy", n));
    if (fs::exists(single) && fs::exists(single_input) && !fs::exists(own)) {
      c = {{single_input}, {single}};
    } else {
      c = {numbered(file(fmt::format("in_{}_", n))), numbered(file(fmt::format("exp_{}_output_", n)))};
      if (fs::exists(own)) c.answers = {own};
    }
    if (c.inputs.empty()) return cases;
    cases.push_back(std::move(c));
  }
}

using Run = std::function<Result<std::vector<Tensor>>(const std::vector<Tensor>& inputs)>;

Result<Run> load_original(const fs::path& file) {
  if (file.extension() == ".tosa") return Run([file](const auto& inputs) { return run_graph(file, inputs); });
  MACAW_ASSIGN(auto loaded, tflite::load_network(file));
  auto network = std::make_shared<const tflite::Network>(std::move(loaded));
  return Run([network](const auto& inputs) -> Result<std::vector<Tensor>> {
    tflite::State fresh;
    MACAW_ASSIGN(auto result, tflite::run(*network, inputs, fresh));
    return std::move(result.outputs);
  });
}

Result<void> expect_equal(const std::vector<Tensor>& actual, const std::vector<fs::path>& answers, std::size_t number) {
  if (actual.size() != answers.size())
    return fail(ErrorCode::kMismatch, fmt::format("{} outputs, expected {}", actual.size(), answers.size()));
  for (std::size_t i = 0; i < actual.size(); ++i)
    MACAW_CHECK(compare_bytes(actual[i], answers[i], fmt::format("case {}, output {}", number, i)));
  return {};
}

/// Equal bytes; the types of a compiled network's outputs may be unknown.
Result<void> expect_equal(const std::vector<Tensor>& actual, const std::vector<Tensor>& original) {
  if (actual.size() != original.size())
    return fail(ErrorCode::kMismatch, fmt::format("{} outputs, the original has {}", actual.size(), original.size()));
  for (std::size_t i = 0; i < actual.size(); ++i)
    if (!std::ranges::equal(actual[i].bytes(), original[i].bytes()))
      return fail(ErrorCode::kMismatch, fmt::format("output {} is not that of the original", i));
  return {};
}

/// NAME.tflite or NAME.tosa beside NAME_vela.tflite or NAME_vela.npz; empty if it is not there.
fs::path original_of(const fs::path& compiled) {
  auto name = compiled.stem().string();
  if (name.ends_with("_vela")) name.resize(name.size() - 5);
  for (const char* kind : {".tosa", ".tflite"})
    if (const auto file = compiled.parent_path() / (name + kind); file != compiled && fs::exists(file)) return file;
  return {};
}

Result<void> run_original(const fs::path& file) {
  MACAW_ASSIGN(const auto run, load_original(file));
  const auto cases = read_lab_cases(file);
  for (std::size_t n = 0; n < cases.size(); ++n) {
    MACAW_ASSIGN(const auto inputs, read_inputs(cases[n].inputs));
    MACAW_ASSIGN(const auto outputs, run(inputs));
    if (!cases[n].answers.empty()) MACAW_CHECK(expect_equal(outputs, cases[n].answers, n));
  }
  return {};
}

/// Held against the answers, else against the original, else against a second run of its own.
Result<void> run_compiled(const fs::path& file, const RunOptions& options) {
  MACAW_ASSIGN(const auto network, load_network(file, ""));
  const auto original = original_of(file);
  auto cases = read_lab_cases(file);
  Run reference;
  if (!original.empty()) {
    MACAW_ASSIGN(reference, load_original(original));
  }
  const auto seeded = cases.empty() ? (reference ? kSeededCases : 1) : 0;
  for (std::size_t n = 0; n < cases.size() + static_cast<std::size_t>(seeded); ++n) {
    MACAW_ASSIGN(const auto inputs,
                 n < cases.size() ? read_inputs(cases[n].inputs)
                                  : compare::random_inputs(network.artifact, kLabSeed + static_cast<std::uint32_t>(n)));
    if (n < cases.size() && !cases[n].answers.empty()) {
      MACAW_ASSIGN(const auto outputs, run_network(network, inputs, options));
      MACAW_CHECK(expect_equal(outputs, cases[n].answers, n));
    } else if (reference) {
      MACAW_ASSIGN(const auto outputs, run_network(network, inputs, options));
      MACAW_ASSIGN(const auto expected, reference(inputs));
      MACAW_CHECK(expect_equal(outputs, expected));
    } else {
      MACAW_CHECK(run_repeatably(network, inputs, options));
    }
  }
  return {};
}

/// Whether a file is a network that was compiled. In Vela's .tflite the operator "ethos-u" says so; one that is no
/// sound network before compilation has tensors that only the NPU writes.
bool is_compiled(const fs::path& file) {
  if (file.extension() != ".tflite") return file.extension() == ".npz";
  const auto network = tflite::load_network(file);
  return !network ||
         std::ranges::any_of(network->main().operators, [](const auto& op) { return op.name == "ethos-u"; });
}

}  // namespace

Result<Cases> load_lab(const fs::path& folder, const RunOptions& options) {
  MACAW_ASSIGN(auto cases, load_descriptions(folder, options));
  for (auto& test : cases) test.known_deviation = known_deviation(folder / test.name);
  // Sorted, so that the order does not depend on the file system.
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (const auto kind = entry.path().extension(); (kind == ".npz" || kind == ".tflite" || kind == ".tosa") &&
                                                    !fs::exists(entry.path().parent_path() / "desc.json"))
      files.insert(entry.path());
  for (const auto& file : files) {
    const bool compiled = is_compiled(file);
    Case c{file.lexically_relative(folder).string(),
           {{"format", compiled ? "compiled" : "original"}},
           known_deviation(file),
           {}};
    if (compiled) c.run = [file, options] { return run_compiled(file, options); };
    else c.run = [file] { return run_original(file); };
    // An original without answers has nothing to be held against but what was compiled of it.
    if (compiled || !read_lab_cases(file).empty()) cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace macaw::app::check
