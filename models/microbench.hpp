#pragma once
#include <macaw/tosa/graph.hpp>

#include <span>
#include <string_view>

namespace macaw::models {

/// A small network whose time one thing decides, so that measuring a few of them tells what the memories around an NPU
/// can do.
struct Microbench {
  std::string_view name;
  std::string_view bound;  ///< what decides its time
  tosa::Graph (*build)();
};

[[nodiscard]] std::span<const Microbench> microbenches();

}  // namespace macaw::models
