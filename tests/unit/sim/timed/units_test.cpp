#include "sim/timed/ticks.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu::timed;

namespace {

template <class A, class B>
concept Adds = requires(A a, B b) { a + b; };
template <class A, class B>
concept Subtracts = requires(A a, B b) { a - b; };
template <class A, class B>
concept Compares = requires(A a, B b) { a < b; };
template <class A, class B>
concept Equals = requires(A a, B b) { a == b; };
template <class A, class B>
concept Multiplies = requires(A a, B b) { a* b; };
template <class A, class B>
concept Divides = requires(A a, B b) { a / b; };
template <class A, class B>
concept Mixes = Adds<A, B> || Subtracts<A, B> || Compares<A, B> || Equals<A, B> || Divides<A, B> ||
                std::is_convertible_v<A, B> || std::is_convertible_v<B, A>;

// Code that must not compile. Each unit works with its own kind; otherwise the checks below would prove nothing.
static_assert(Mixes<Ticks, Ticks> && Mixes<Cycles, Cycles> && Mixes<Beats, Beats> && Mixes<Pace, Pace>);
static_assert(!Mixes<Ticks, Cycles> && !Mixes<Ticks, Beats> && !Mixes<Cycles, Beats>);
static_assert(!Mixes<Pace, Ticks> && !Mixes<Pace, Beats>);
static_assert(!Adds<Ticks, int> && !Compares<Ticks, int> && !Equals<Beats, int>);
static_assert(!std::is_convertible_v<int, Ticks> && !std::is_convertible_v<Ticks, std::uint64_t>);
static_assert(!std::is_convertible_v<Ticks, sc_core::sc_time>);
static_assert(!Multiplies<Ticks, Ticks> && !Multiplies<Beats, Ticks> && Multiplies<Beats, Pace>);

}  // namespace

TEST_CASE("beats at a pace are time, and whole cycles round it up") {
  CHECK(Beats(3) * pace(1.5) == ticks(4.5));
  CHECK(whole_cycles(ticks(4.5)) == Cycles(5));
  CHECK(whole_cycles(ticks(Cycles(4))) == Cycles(4));
  CHECK(whole_cycles(Ticks()) == Cycles(0));
}

TEST_CASE("dividing quantities of a kind gives a number, dividing by a number a quantity") {
  CHECK(Beats(17) / Beats(4) == 4);
  CHECK(Beats(17) % Beats(4) == Beats(1));
  CHECK(Beats(17) / 4 == Beats(4));
  CHECK(4 * Beats(17) == Beats(17) * 4);
}

TEST_CASE("cycles from a parameter are rounded to a tick and stay in range") {
  CHECK(ticks(1.0004) == Ticks(1000));
  CHECK(ticks(1.0006) == Ticks(1001));
  CHECK(ticks(-1.0) == Ticks());
  CHECK(ticks(1e300) == ticks(1e15));
}
