#pragma once
#include <macaw/tosa/interpreter.hpp>

#include <memory>

#include "workflow/sequence/engine.hpp"

namespace macaw::sequence {

/// A TOSA graph whose variables keep their contents. A verdict other than VALID is the error of a step.
[[nodiscard]] std::unique_ptr<Engine> tosa_engine(tosa::Graph graph, tosa::Options options);

}  // namespace macaw::sequence
