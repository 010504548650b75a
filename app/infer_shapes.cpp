#include <fmt/format.h>

#include <macaw/tosa/resolve_shapes.hpp>

#include <nlohmann/json.hpp>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"

namespace macaw::app {
namespace {

struct InferShapesOptions {
  std::string test_case;
};

struct TestCase {
  std::filesystem::path graph;
  std::map<std::string, Shape> shapes;
};

Result<TestCase> read_test_case(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  MACAW_ASSIGN(const auto json, io::parse_json(bytes, file.string()));
  try {
    TestCase read;
    read.graph = file.parent_path() / json.at("tosa_file").get<std::string>();
    for (const auto& [name, shape] : json.at("shapes").items()) read.shapes.emplace(name, shape.get<Shape>());
    return read;
  } catch (const nlohmann::json::exception&) {
    return fail(ErrorCode::kInvalidFile, "expected {\"tosa_file\": FILE, \"shapes\": {INPUT: [EXTENT, ...], ...}}",
                {.file = file.string()});
  }
}

Result<std::string> infer(const InferShapesOptions& options) {
  MACAW_ASSIGN(const auto test_case, read_test_case(options.test_case));
  MACAW_ASSIGN(auto graph, tosa::load_graph(test_case.graph));
  const auto version = graph.version;
  auto resolved = tosa::resolve_shapes(std::move(graph), test_case.shapes);
  if (!resolved) {
    resolved.error().place.file = test_case.graph.string();
    return tl::unexpected(resolved.error());
  }
  MACAW_ASSIGN(const auto bytes, tosa::write_graph(*resolved, version));
  const auto file = test_case.graph.parent_path() / ("resolved_" + test_case.graph.filename().string());
  MACAW_CHECK(io::check_inside(std::filesystem::path(options.test_case).parent_path(), file));
  MACAW_CHECK(write_output(file, bytes, true));
  return file.string();
}

}  // namespace

void add_infer_shapes(Command app, int& exit_code) {
  auto command = app.add_subcommand("infer_shapes", "Resolve a TOSA graph's shapes for inputs of given shapes");
  auto options = std::make_shared<InferShapesOptions>();
  command
      .add_option("test_case", options->test_case,
                  "JSON {\"tosa_file\": FILE, \"shapes\": {INPUT: [EXTENT, ...]}}; FILE is relative to its folder")
      .required();
  command.footer(
      "Example: macaw infer_shapes test_case.json writes resolved_FILE beside FILE, as Arm's infer_shapes does");
  command.callback([options, &exit_code] {
    const auto written = infer(*options);
    if (written) print_stdout("{}\n", *written);
    exit_code = written ? int{kOk} : report_error(written.error());
  });
}

}  // namespace macaw::app
