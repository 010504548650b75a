#include "app/graph_file.hpp"

#include <macaw/tosa/view_graph.hpp>

#include "app/platform/streams.hpp"
#include "base/foreign_format.hpp"
#include "base/mapped_file.hpp"

namespace macaw::app {

Result<tosa::Graph> load_graph_file(const std::filesystem::path& file, int threads, const std::string& function) {
  MACAW_ASSIGN(const auto contents, io::map_file(file));
  if (const auto format = io::foreign_format(contents.bytes, file.native()); !format.empty())
    return fail(ErrorCode::kInvalidFile, format, {.file = file.string()});
  platform::end_on_lost_pages("macaw: " + file.string() + " became shorter while it was in use\n");
  return tosa::view_graph(contents.bytes, contents.owner, file.string(), threads, function);
}

}  // namespace macaw::app
