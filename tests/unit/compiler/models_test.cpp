#include <catch2/catch.hpp>

#include "models/graph_builder.hpp"
#include "models/models.hpp"
#include "models/random.hpp"

#include <cmath>
#include <set>

using namespace macaw;

TEST_CASE("the generator is SplitMix64") {
  // First outputs for this seed as Rosetta Code lists them ("Pseudo-random numbers/Splitmix64").
  models::Random random(1234567);
  CHECK(random.next() == 6457827717110365317u);
  CHECK(random.next() == 3203168211198807973u);
  CHECK(random.next() == 9817491932198370423u);
}

TEST_CASE("drawn numbers keep to their range and deviation") {
  models::Random random(3);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.between(-2, 3));
  CHECK(seen == std::set<std::int64_t>{-2, -1, 0, 1, 2, 3});
  double sum = 0, squares = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto v = static_cast<double>(random.normal(40, 127));
    sum += v;
    squares += v * v;
  }
  CHECK(std::abs(sum / 20000) < 1);
  CHECK(std::sqrt(squares / 20000) == Approx(40).margin(1));
}

TEST_CASE("a real scale becomes the nearest multiplier and shift") {
  for (const double real : {1.0, 0.5, 0.0123456789, 3e-9, 1e-15, 1000.25, 0.99999999999}) {
    models::Rescale r;
    models::append_scale(r, real);
    INFO(real);
    CHECK(r.multiplier[0] > 0);
    CHECK((r.shift[0] >= 2 && r.shift[0] <= 62));
    CHECK(std::ldexp(r.multiplier[0], -r.shift[0]) == Approx(real).epsilon(real > 1e-9 ? 1e-9 : 1e-2));
  }
}

TEST_CASE("same_window covers the map without a remainder") {
  const auto w = models::same_window({1, 32, 33, 3}, 3, 2);
  CHECK(w.pad == std::array<std::int64_t, 4>{0, 1, 1, 1});
  const auto dilated = models::same_window({1, 9, 9, 1}, 3, 1, 2);
  CHECK(dilated.pad == std::array<std::int64_t, 4>{2, 2, 2, 2});
}
