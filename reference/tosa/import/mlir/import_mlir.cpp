#include <fmt/format.h>

#include <iterator>
#include <map>
#include <string>

#include "reference/tosa/import/import.hpp"
#include "reference/tosa/import/mlir/graph_reader.hpp"

namespace macaw::tosa {

Result<Graph> import_mlir(std::span<const std::byte> bytes, const std::string& name, const std::string& function) {
  const mlir::Cursor start({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
  MACAW_ASSIGN(const auto operations, mlir::read_file(start));
  std::map<std::string, const mlir::Operation*> functions;
  std::vector<const mlir::Operation*> variables;
  for (const auto& op : operations) {
    if (op.name == "tosa.variable") variables.push_back(&op);
    if (op.name != "func.func") continue;
    const auto found = op.attributes.find("sym_name");
    const auto symbol = found != op.attributes.end() && found->second.word() ? *found->second.word() : "";
    if (!functions.emplace(symbol, &op).second)
      return fail(ErrorCode::kInvalidFile, fmt::format("the function @{} is defined twice", symbol), {.file = name});
  }
  if (functions.empty()) return fail(ErrorCode::kInvalidFile, "no func.func in the text", {.file = name});
  const auto main = functions.find(function.empty() ? "main" : function);
  if (main == functions.end() && !function.empty())
    return fail(ErrorCode::kUsage,
                fmt::format("--function {}: the text has no such function; it has @{}{}", function,
                            functions.begin()->first, functions.size() > 1 ? ", ..." : ""),
                {.file = name});
  if (main == functions.end() && functions.size() > 1)
    return fail(
        ErrorCode::kInvalidFile,
        fmt::format("{} functions and none is @main: @{}, @{}{}; choose one with --function NAME", functions.size(),
                    functions.begin()->first, std::next(functions.begin())->first, functions.size() > 2 ? ", ..." : ""),
        {.file = name});
  return mlir::GraphReader(start).read(main == functions.end() ? *functions.begin()->second : *main->second, variables);
}

}  // namespace macaw::tosa
