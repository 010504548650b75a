#include "sim/timed/fifo.hpp"
#include "tests/unit/sim/timed/actor.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

// Queue operations that a process performs ahead of simulated time.
using namespace macaw::npu::timed;

namespace {

struct Timed {
  int value = 0;
  Ticks ready{};
};

}  // namespace

TEST_CASE("the place of what is taken ahead is free from that time on") {
  Context context;
  const auto entered = context.enter();
  Fifo<int> queue("queue", 1);
  Actor first("first", 0, [&] { queue.write(1); });
  Actor reader("reader", 10, [&] {
    int item = 0;
    CHECK(queue.take_ahead(item, ticks(50.0)));
    CHECK(item == 1);
    CHECK_FALSE(queue.take_ahead(item, ticks(60.0)));
  });
  Actor writer("writer", 20, [&] {
    CHECK(queue.num_free() == 0);
    queue.write(2);
  });
  REQUIRE(context.run(ticks(1e6)));
  CHECK(reader.done == 10);
  CHECK(writer.done == 50);
}

TEST_CASE("a reader that reads from a time on leaves items in their places until then") {
  for (const int written : {5, 30, 80}) {
    CAPTURE(written);
    Context context;
    const auto entered = context.enter();
    Fifo<int> queue("queue", 1);
    Actor reader("reader", 10, [&] {
      int item = 0;
      queue.read_from(item, ticks(50.0));
      CHECK(item == 1);
    });
    Actor writer("writer", written, [&] {
      queue.write(1);
      queue.write(2);
    });
    REQUIRE(context.run(ticks(1e6)));
    CHECK(reader.done == std::max(50, written));
    CHECK(writer.done == std::max(50, written));
  }
}

TEST_CASE("what is written ahead reaches the reader when it is ready, and takes a place unless the reader waits") {
  Context context;
  const auto entered = context.enter();
  Fifo<Timed> queue("queue", 1);
  std::vector<int> values;
  Actor reader("reader", 0, [&] {
    for (const std::int64_t ready : {40, 70}) {
      Timed item;
      queue.read(item);
      values.push_back(item.value);
      CHECK(now() == ticks(static_cast<double>(ready)));
    }
  });
  Actor writer("writer", 10, [&] {
    CHECK(queue.write_ahead({1, ticks(40.0)}, ticks(30.0)));
    CHECK(queue.write_ahead({2, ticks(70.0)}, ticks(60.0)));
    CHECK_FALSE(queue.write_ahead({3, ticks(90.0)}, ticks(80.0)));
  });
  REQUIRE(context.run(ticks(1e6)));
  CHECK(writer.done == 10);
  CHECK(reader.done == 70);
  CHECK(values == std::vector{1, 2});
}

TEST_CASE("nothing is written ahead of a reader that waits for a later time") {
  Context context;
  const auto entered = context.enter();
  Fifo<Timed> queue("queue", 2);
  Actor reader("reader", 0, [&] {
    Timed item;
    queue.read_from(item, ticks(50.0));
    CHECK(item.value == 2);
  });
  Actor writer("writer", 10, [&] {
    CHECK_FALSE(queue.write_ahead({1, ticks(60.0)}, ticks(49.0)));
    CHECK(queue.write_ahead({2, ticks(60.0)}, ticks(50.0)));
  });
  REQUIRE(context.run(ticks(1e6)));
  CHECK(reader.done == 60);
}

TEST_CASE("what leaves at a moment is free from the next delta cycle on") {
  Context context;
  const auto entered = context.enter();
  Fifo<int> queue("queue", 1);
  Actor first("first", 0, [&] { queue.write(1); });
  Actor reader("reader", 10, [&] {
    int item = 0;
    CHECK(queue.take_ahead(item, ticks(50.0)));
  });
  Actor writer("writer", 50, [&] {
    CHECK(queue.num_free() == 0);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    CHECK(queue.num_free() == 1);
  });
  REQUIRE(context.run(ticks(1e6)));
  CHECK(writer.done == 50);
}

TEST_CASE("items under way are dropped if the queue is emptied") {
  Context context;
  const auto entered = context.enter();
  Fifo<Timed> queue("queue", 1);
  Actor reader("reader", 0, [&] {
    Timed item;
    queue.read(item);
    CHECK(item.value == 2);
  });
  Actor first("first", 10, [&] { queue.write({1, ticks(40.0)}); });
  Actor reset("reset", 20, [&] { queue.clear(); });
  Actor second("second", 60, [&] { queue.write({2, ticks(60.0)}); });
  REQUIRE(context.run(ticks(1e6)));
  CHECK(reader.done == 60);
}

TEST_CASE("an emptied queue keeps no place for what was taken ahead") {
  Context context;
  const auto entered = context.enter();
  Fifo<int> queue("queue", 1);
  Actor first("first", 0, [&] { queue.write(1); });
  Actor reader("reader", 10, [&] {
    int item = 0;
    CHECK(queue.take_ahead(item, ticks(50.0)));
  });
  Actor reset("reset", 20, [&] { queue.clear(); });
  Actor writer("writer", 30, [&] { queue.write(2); });
  REQUIRE(context.run(ticks(1e6)));
  CHECK(writer.done == 30);
}
