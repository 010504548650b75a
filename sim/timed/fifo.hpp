#pragma once
#include "sim/timed/ticks.hpp"

#include <algorithm>
#include <concepts>
#include <systemc>
#include <utility>
#include <vector>

namespace macaw::npu::timed {

/// An item with the time at which it becomes readable.
template <class T>
concept Delayed = requires(const T& item) {
  { item.ready } -> std::convertible_to<Ticks>;
};

/// A queue between two processes that behaves like sc_fifo: an item can be read, and its place written again, from the
/// next delta cycle on. Unlike in sc_fifo, an event is notified only if a process waits for it, and there is no update
/// phase. A Delayed item leaves its place when it is read, immediately if the reader waits, and reaches the reader when
/// it is ready. If nothing that happens up to a later time can affect the result, a process can perform its action of
/// that time in advance: read_from(), take_ahead() and write_ahead().
template <class T>
class Fifo : public sc_core::sc_object, public sc_core::sc_fifo_in_if<T>, public sc_core::sc_fifo_out_if<T> {
 public:
  Fifo(const char* name, int size) : sc_core::sc_object(name), ring_(static_cast<std::size_t>(size)) {}

  void read(T& item) override { read_from(item, now()); }
  T read() override {
    T item{};
    Fifo::read(item);
    return item;
  }
  /// Does the same as wait_until(from) and then read(), in one suspension of the caller if that is enough.
  void read_from(T& item, Ticks from) {
    from_ = from;
    while (!handed_over_ && num_available() == 0) {
      if (written_ > 0) readable_again_.notify(delay_until(from_));
      else reader_waits_ = true;
      sc_core::wait(readable_again_);
    }
    if (std::exchange(handed_over_, false)) item = std::move(in_hand_);
    else take(item, from);
    if constexpr (Delayed<T>) from = std::max(from, item.ready);
    wait_until(from);
  }
  bool nb_read(T& item) override { return take_ahead(item, now()); }
  /// Performs nb_read() at `t`, if there is an item now. The caller has to wait until `t`, and until a Delayed item is
  /// ready.
  bool take_ahead(T& item, Ticks t) {
    if (num_available() == 0) return false;
    take(item, t);
    return true;
  }
  void write(const T& item) override {
    while (num_free() == 0) {
      if (read_ > 0) free_again_.notify(sc_core::SC_ZERO_TIME);
      else if (!leaving_.empty()) free_again_.notify(delay_until(leaving_.front()));
      else writer_waits_ = true;
      sc_core::wait(free_again_);
    }
    put(item, now());
  }
  bool nb_write(const T& item) override {
    if (num_free() == 0) return false;
    put(item, now());
    return true;
  }
  /// Does what write() does at `t` if that would not suspend a process; otherwise does nothing and returns false. The
  /// item is not ready before `t`, and the caller must write nothing else until then.
  bool write_ahead(const T& item, Ticks t)
    requires Delayed<T>
  {
    if (num_free_at(t) == 0 || (reader_waits_ && t < from_)) return false;
    put(item, t);
    return true;
  }
  [[nodiscard]] int num_available() const override {
    settle();
    return static_cast<int>(readable_);
  }
  [[nodiscard]] int num_free() const override { return num_free_at(now()); }
  [[nodiscard]] const sc_core::sc_event& data_written_event() const override { return readable_again_; }
  [[nodiscard]] const sc_core::sc_event& data_read_event() const override { return free_again_; }

  /// Removes all items that can be read.
  void clear() {
    handed_over_ = false;
    for (T item; nb_read(item);) continue;
    leaving_.clear();
  }

 private:
  /// Index of the place `behind` positions after the first item.
  [[nodiscard]] std::size_t place(std::size_t behind) const {
    const std::size_t at = first_ + behind;
    return at < ring_.size() ? at : at - ring_.size();
  }
  void take(T& item, Ticks t) {
    item = std::move(ring_[first_]);
    first_ = place(1);
    --readable_;
    if (t > now()) leaving_.push_back(t);
    else count(read_);
    if (std::exchange(writer_waits_, false)) free_again_.notify(delay_until(t));
  }
  void put(const T& item, Ticks t) {
    const bool reader_waits = std::exchange(reader_waits_, false);
    if constexpr (Delayed<T>) {
      if (reader_waits && t >= from_) {
        in_hand_ = item;
        handed_over_ = true;
        readable_again_.notify(delay_until(item.ready));
        return;
      }
    }
    ring_[place(readable_ + written_)] = item;
    count(written_);
    if (reader_waits) readable_again_.notify(delay_until(from_));
  }
  [[nodiscard]] int num_free_at(Ticks t) const {
    settle();
    const auto held = static_cast<std::size_t>(std::ranges::count_if(leaving_, [t](Ticks left) { return left > t; }));
    return static_cast<int>(ring_.size() - readable_ - written_ - read_ - held);
  }
  /// Counts one more access in this delta cycle; accesses of earlier ones are settled.
  void count(std::size_t& done) const {
    if (written_ + read_ == 0) delta_ = delta_cycle();
    ++done;
  }
  /// Settles the accesses of earlier delta cycles.
  void settle() const {
    while (!leaving_.empty() && leaving_.front() <= now()) {
      if (leaving_.front() == now()) count(read_);
      leaving_.erase(leaving_.begin());
    }
    if (written_ + read_ == 0) return;
    const std::uint64_t delta = delta_cycle();
    if (std::exchange(delta_, delta) == delta) return;
    readable_ += written_;
    written_ = read_ = 0;
  }

  std::vector<T> ring_;
  std::size_t first_ = 0;
  mutable std::size_t readable_ = 0, written_ = 0, read_ = 0;  ///< the latter two in this delta cycle
  mutable std::uint64_t delta_ = 0;                            ///< delta cycle of these two
  mutable std::vector<Ticks> leaving_;                         ///< when the places of items taken ahead become free
  T in_hand_{};                                                ///< on its way to a waiting reader
  Ticks from_{};                                               ///< when the reader reads
  bool handed_over_ = false;                                   ///< whether `in_hand_` holds an item
  bool reader_waits_ = false, writer_waits_ = false;
  sc_core::sc_event readable_again_, free_again_;
};

}  // namespace macaw::npu::timed
