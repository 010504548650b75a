#include "sim/artifact/named_data.hpp"
#include "tests/fuzz/target.hpp"

using namespace macaw;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  npu::NamedData named;
  const npu::ExternalData file{"fuzz", fuzz::bytes_of(data, size)};
  fuzz::expect_message(named.add_file(file));
  return 0;
}
