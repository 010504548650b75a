#include <fmt/format.h>

#include "reference/import/import.hpp"
#include "reference/import/mlir/graph_reader.hpp"

namespace macaw::tosa {

Result<Graph> import_mlir(std::span<const std::byte> bytes, const std::string& name) {
  const mlir::Cursor start({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
  MACAW_ASSIGN(const auto operations, mlir::read_file(start));
  const mlir::Operation* function = nullptr;
  std::vector<const mlir::Operation*> variables;
  for (const auto& op : operations) {
    if (op.name == "tosa.variable") variables.push_back(&op);
    if (op.name != "func.func") continue;
    const auto found = op.attributes.find("sym_name");
    const bool is_main = found != op.attributes.end() && found->second.word() && *found->second.word() == "main";
    if (!function || is_main) function = &op;
    if (is_main) break;
  }
  if (!function) return fail(ErrorCode::kInvalidFile, "no func.func in the text", {.file = name});
  return mlir::GraphReader(start).read(*function, variables);
}

}  // namespace macaw::tosa
