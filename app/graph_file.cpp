#include "app/graph_file.hpp"

#include <macaw/tosa/view_graph.hpp>

#include "app/platform/streams.hpp"
#include "base/foreign_format.hpp"
#include "base/mapped_file.hpp"

namespace macaw::app {

Result<tosa::Graph> load_graph_file(const std::filesystem::path& file, int threads, const std::string& function) {
  MACAW_ASSIGN(const auto contents, io::map_file(file));
  platform::end_on_lost_pages("macaw: " + file.string() + " became shorter while it was in use\n");
  return io::or_foreign_format(tosa::view_graph(contents.bytes, contents.owner, file.string(), threads, function),
                               contents.bytes, file.native());
}

}  // namespace macaw::app
