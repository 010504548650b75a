#include "app/graph_file.hpp"

#include <signal.h>
#include <unistd.h>

#include <string>

#include <macaw/temporary_file.hpp>
#include <macaw/tosa/view_graph.hpp>

#include "app/command.hpp"
#include "base/foreign_format.hpp"
#include "base/mapped_file.hpp"

namespace macaw::app {
namespace {

std::string lost_page_text;  // a handler of signals may not make it

/// What the system calls for a page of a mapped file that is no longer there.
extern "C" void end_without_page(int) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, lost_page_text.data(), lost_page_text.size());
  io::remove_temporaries();
  ::_exit(kInvalid);
}

}  // namespace

Result<tosa::Graph> load_graph_file(const std::filesystem::path& file, int threads, const std::string& function) {
  MACAW_ASSIGN(const auto contents, io::map_file(file));
  if (const auto format = io::foreign_format(contents.bytes, file.native()); !format.empty())
    return fail(ErrorCode::kInvalidFile, format, {.file = file.string()});
  lost_page_text = "macaw: " + file.string() + " became shorter while it was in use\n";
  ::signal(SIGBUS, end_without_page);
  return tosa::view_graph(contents.bytes, contents.owner, file.string(), threads, function);
}

}  // namespace macaw::app
