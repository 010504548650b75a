#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include <macaw/error_context.hpp>
#include <macaw/tosa/verify.hpp>

#include "app/command.hpp"
#include "reference/tosa/description.hpp"

namespace macaw::app {
namespace {

// Exit codes of Arm's tosa_verify.
enum VerifyExit : int { kCompliant = 0, kNotJudged = 1, kNotCompliant = 2 };

struct VerifyOptions {
  std::string test_desc, result, reference, bounds, output;
  std::string result_scale, reference_scale;  ///< if values and scales are separate outputs
  bool json = false;
};

Result<std::string> output_name(const VerifyOptions& options, const tosa::TestDescription& description) {
  if (!options.output.empty()) return options.output;
  if (description.output_names.size() == 1) return description.output_names.front();
  return fail(ErrorCode::kUsage,
              fmt::format("the test has {} outputs: name one with --ofm_name", description.output_names.size()));
}

/// A tensor of the type; if a file of scales is given, from two files.
Result<Tensor> read(const std::string& file, const std::string& scale_file, DType dtype) {
  const auto* type = block_scale(dtype);
  if (scale_file.empty() || !type) return tosa::read_judged(file, dtype);
  MACAW_ASSIGN(const auto values, tosa::read_judged(file, type->value));
  MACAW_ASSIGN(const auto scales, tosa::read_judged(scale_file, type->scale));
  return tosa::join_blocks(values, scales);
}

Result<tosa::Judgement> judge(const VerifyOptions& options, const tosa::Compliance& compliance) {
  const auto* pair = std::get_if<tosa::mode::ToBlock>(&compliance.mode);
  if (pair && !pair->scale_tensor.empty() && (options.result_scale.empty() || options.reference_scale.empty()))
    return fail(ErrorCode::kUsage,
                fmt::format("the values are judged with their scales, output \"{}\": give both files "
                            "by --imp_scale_file and --ref_scale_file",
                            pair->scale_tensor));
  auto result = read(options.result, options.result_scale, compliance.dtype);
  // A result of the wrong type is a non-compliant result, not a usage error.
  if (!result && result.error().code == ErrorCode::kMismatch) return tosa::Judgement{false, result.error().to_string()};
  MACAW_CHECK(result);
  const auto dtype = tosa::reference_dtype(compliance.dtype);
  MACAW_ASSIGN(const auto reference, read(options.reference, options.reference_scale, dtype));
  Tensor bounds;
  if (!options.bounds.empty()) {
    MACAW_ASSIGN(bounds, tosa::read_judged(options.bounds, dtype));
  }
  return tosa::judge(*result, reference, options.bounds.empty() ? nullptr : &bounds, compliance);
}

/// JSON has no NaN and infinities.
nlohmann::ordered_json number(double value) {
  if (std::isfinite(value)) return value;
  return fmt::format("{}", value);
}

void print(const VerifyOptions& options, const std::string& output, const tosa::Compliance& compliance,
           const tosa::Judgement& judgement) {
  if (!options.json) {
    print_stdout("{}: {}: {}\n", judgement.compliant ? "compliant" : "not compliant", output, judgement.text);
    return;
  }
  nlohmann::ordered_json report = {{"schema_version", 1},
                                   {"output", output},
                                   {"mode", std::string(tosa::to_string(compliance.mode))},
                                   {"compliant", judgement.compliant},
                                   {"elements_outside", judgement.outside}};
  if (judgement.index) report["index"] = *judgement.index;
  if (!std::isnan(judgement.lowest) || judgement.index) {
    report["value"] = number(judgement.value);
    report["reference"] = number(judgement.reference);
    report["lowest"] = number(judgement.lowest);
    report["highest"] = number(judgement.highest);
  }
  report["text"] = judgement.text;
  print_stdout("{}\n", io::json_text(report, 1));
}

Result<bool> verify(const VerifyOptions& options) {
  MACAW_ASSIGN(const auto description, tosa::read_description(options.test_desc));
  MACAW_ASSIGN(const auto output, output_name(options, description));
  if (description.compliance_json.empty())
    return fail(ErrorCode::kInvalidFile, "the description has no \"meta.compliance\"", {.file = options.test_desc});
  MACAW_ASSIGN(const auto compliance,
               tosa::parse_compliance(description.compliance_json, output).map_error(at({.file = options.test_desc})));
  MACAW_ASSIGN(const auto judgement, judge(options, compliance));
  print(options, output, compliance, judgement);
  return judgement.compliant;
}

/// Checked here and not by the parser, whose exit code for usage errors means "not compliant" to users of tosa_verify.
Result<void> check_call(const VerifyOptions& options, const std::vector<std::string>& extra) {
  if (!extra.empty()) return fail(ErrorCode::kUsage, fmt::format("verify: unknown argument {}", extra.front()));
  if (options.test_desc.empty() || options.result.empty() || options.reference.empty())
    return fail(ErrorCode::kUsage, "verify: --test_desc, --imp_result_file and --ref_result_file are required");
  return {};
}

int run_verify(const VerifyOptions& options, const std::vector<std::string>& extra) {
  const auto called = check_call(options, extra);
  const auto compliant = called ? verify(options) : tl::unexpected<Error>(called.error());
  if (!compliant) {
    report_error(compliant.error());
    return kNotJudged;
  }
  return *compliant ? kCompliant : kNotCompliant;
}

}  // namespace

void add_verify(Command app, int& exit_code) {
  auto command = app.add_subcommand("verify", "Judge a result by the compliance rules of the TOSA specification");
  auto options = std::make_shared<VerifyOptions>();
  command.add_option("--test_desc", options->test_desc, "test description (desc.json), required");
  command.add_option("--imp_result_file", options->result, "the result to judge (npy), required");
  command.add_option("--ref_result_file", options->reference,
                     "the reference (npy), FP64 for floating point results; required");
  command.add_option("--imp_scale_file", options->result_scale,
                     "scales of the result (npy), where the mode judges two outputs together");
  command.add_option("--ref_scale_file", options->reference_scale, "scales of the reference (npy, FP64)");
  command.add_option("--bnd_result_file", options->bounds, "the bounds (npy), where the mode needs them");
  command.add_option("--ofm_name", options->output, "output to judge; default: the only one of the description");
  command.add_flag("--json", options->json, "print the judgement as JSON");
  command.allow_extras();
  command.footer(
      "Example: macaw verify --test_desc desc.json --imp_result_file out/result-0.npy --ref_result_file precise.npy\n"
      "Exit codes, as of tosa_verify: 0 compliant, 1 not judged (the call, a file or the description is wrong), 2 not "
      "compliant.");
  command.callback([options, command, &exit_code] { exit_code = run_verify(*options, command.extras()); });
}

}  // namespace macaw::app
