#include <macaw/tosa/json_graph.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/target.hpp"

// The program that runs this stands in the project's folder, where the schema is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("fuzz", 0);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) return 0;
  const auto path = "/proc/self/fd/" + std::to_string(file);
  macaw::fuzz::expect_message(macaw::tosa::load_json_graph(path, "reference/schema/tosa_v1.fbs"));
  return 0;
}
