#include <macaw/npu/debug_database.hpp>

#include "tests/fuzz/target.hpp"

using namespace macaw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto database = npu::DebugDatabase::parse(fuzz::bytes_of(data, size), "fuzz");
  fuzz::expect_message(database);
  if (!database) return 0;
  for (const std::uint64_t offset : {0, 4, 100}) (void)database->source_of(0, offset);
  return 0;
}
