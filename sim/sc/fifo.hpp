#pragma once
#include "sim/sc/ticks.hpp"

#include <concepts>
#include <systemc>
#include <utility>
#include <vector>

namespace macaw::npu::sc {

/// What reaches its reader only at a time that it says itself.
template <class T>
concept Delayed = requires(const T& item) {
  { item.ready } -> std::convertible_to<Ticks>;
};

/// A queue between two processes that goes on as sc_fifo does: an item can be read, and its place written again, from
/// the next delta cycle on. But an event is notified only where a process waits for it, and there is nothing to update.
/// A Delayed item leaves its place when it is read, at once if the reader waits, and reaches the reader when it is
/// ready.
template <class T>
class Fifo : public sc_core::sc_object, public sc_core::sc_fifo_in_if<T>, public sc_core::sc_fifo_out_if<T> {
 public:
  Fifo(const char* name, int size) : sc_core::sc_object(name), ring_(static_cast<std::size_t>(size)) {}

  void read(T& item) override {
    while (!handed_over_ && num_available() == 0) {
      if (written_ > 0) readable_again_.notify(sc_core::SC_ZERO_TIME);
      else reader_waits_ = true;
      sc_core::wait(readable_again_);
    }
    if (std::exchange(handed_over_, false)) item = std::move(in_hand_);
    else nb_read(item);
    if constexpr (Delayed<T>) wait_until(item.ready);
  }
  T read() override {
    T item{};
    Fifo::read(item);
    return item;
  }
  bool nb_read(T& item) override {
    if (num_available() == 0) return false;
    item = std::move(ring_[first_]);
    first_ = place(1);
    --readable_;
    count(read_);
    if (std::exchange(writer_waits_, false)) free_again_.notify(sc_core::SC_ZERO_TIME);
    return true;
  }
  void write(const T& item) override {
    while (num_free() == 0) {
      if (read_ > 0) free_again_.notify(sc_core::SC_ZERO_TIME);
      else writer_waits_ = true;
      sc_core::wait(free_again_);
    }
    nb_write(item);
  }
  bool nb_write(const T& item) override {
    if (num_free() == 0) return false;
    const bool reader_waits = std::exchange(reader_waits_, false);
    if constexpr (Delayed<T>) {
      if (reader_waits) {
        in_hand_ = item;
        handed_over_ = true;
        readable_again_.notify(delay_until(item.ready));
        return true;
      }
    }
    ring_[place(readable_ + written_)] = item;
    count(written_);
    if (reader_waits) readable_again_.notify(sc_core::SC_ZERO_TIME);
    return true;
  }
  [[nodiscard]] int num_available() const override {
    settle();
    return static_cast<int>(readable_);
  }
  [[nodiscard]] int num_free() const override {
    settle();
    return static_cast<int>(ring_.size() - readable_ - written_ - read_);
  }
  [[nodiscard]] const sc_core::sc_event& data_written_event() const override { return readable_again_; }
  [[nodiscard]] const sc_core::sc_event& data_read_event() const override { return free_again_; }

  /// Takes out what can be read.
  void clear() {
    handed_over_ = false;
    for (T item; nb_read(item);) continue;
  }

 private:
  /// So many places behind the first item.
  [[nodiscard]] std::size_t place(std::size_t behind) const {
    const std::size_t at = first_ + behind;
    return at < ring_.size() ? at : at - ring_.size();
  }
  /// One more in this delta cycle; what was done in earlier ones is settled.
  void count(std::size_t& done) {
    if (written_ + read_ == 0) delta_ = delta_cycle();
    ++done;
  }
  /// What was done in earlier delta cycles counts.
  void settle() const {
    if (written_ + read_ == 0) return;
    const std::uint64_t delta = delta_cycle();
    if (std::exchange(delta_, delta) == delta) return;
    readable_ += written_;
    written_ = read_ = 0;
  }

  std::vector<T> ring_;
  std::size_t first_ = 0;
  mutable std::size_t readable_ = 0, written_ = 0, read_ = 0;  ///< the latter two in this delta cycle
  mutable std::uint64_t delta_ = 0;                            ///< of those two
  T in_hand_{};                                                ///< on its way to a reader that waits
  bool handed_over_ = false;                                   ///< there is one
  bool reader_waits_ = false, writer_waits_ = false;
  sc_core::sc_event readable_again_, free_again_;
};

}  // namespace macaw::npu::sc
