#include <catch2/catch.hpp>

#include "workflow/board/board_system.hpp"
#include "workflow/board/memory_errors.hpp"

#include <cmath>

// Inputs of the fit of a board's memories: its fields, its runs and how far they are off.
using namespace macaw;
using namespace macaw::board;

TEST_CASE("the error of a fit is the mean of magnitudes, and the largest") {
  MemoryFit fit;
  for (const double error : {0.1, -0.3, 0.05, -0.15}) fit.runs.push_back({.error = error});
  CHECK(error_of(fit).mean == Approx(0.15));
  CHECK(error_of(fit).worst == Approx(0.3));
}

TEST_CASE("fields of a memory are whole numbers where they count something, and 0 where they do nothing") {
  const std::vector<calibrate::Cell> cells;
  calibrate::Evaluator evaluator;
  const MemoryErrors errors(evaluator, cells);
  REQUIRE(errors.knobs().size() == 12);
  const auto none = errors.none();
  for (std::size_t i = 0; i < errors.knobs().size(); ++i) {
    const auto& knob = errors.knobs()[i];
    const auto at = static_cast<Eigen::Index>(i);
    INFO(knob.name);
    CHECK(knob.name.starts_with("axi" + std::to_string(knob.port) + "."));
    CHECK(errors.value(at, none[at]) == 0);
    const double middle = std::sqrt(knob.low * knob.high) * 1.017;
    const double value = errors.value(at, std::log(middle));
    CHECK(value == Approx(knob.integer ? std::round(middle) : middle));
    CHECK(knob.integer == (knob.name.find("beats_per_cycle") == knob.name.npos));
    // A field stays within its limits, and moves towards the middle of them where it is at one.
    auto x = none;
    x[at] = std::log(knob.high) + 5;
    CHECK(errors.clamped(x)[at] == Approx(std::log(knob.high)));
    x[at] = std::log(knob.low) - 5;
    CHECK(errors.clamped(x)[at] == Approx(std::log(knob.low)).margin(1e-12));
    x[at] = std::log(knob.high);
    CHECK(errors.moved(x, at)[at] < x[at]);
    x[at] = std::log(knob.low);
    CHECK(errors.moved(x, at)[at] > x[at]);
  }
}
