#pragma once
#include <catch2/catch.hpp>

#include <macaw/npu/accelerator.hpp>

namespace macaw::test {

inline const npu::Accelerator& accelerator(const char* name) {
  const auto* found = npu::find_accelerator(name);
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace macaw::test
