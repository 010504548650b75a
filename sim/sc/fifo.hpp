#pragma once
#include <systemc>
#include <utility>

namespace macaw::npu::sc {

/// A queue between two processes: sc_fifo, but for events that no process waits for in read() or write(), which are not
/// notified. What goes on when, and in which order, is as there.
template <class T>
class Fifo : public sc_core::sc_fifo<T> {
  using Base = sc_core::sc_fifo<T>;

 public:
  using Base::Base;

  void read(T& item) override {
    while (Base::num_available() == 0) {
      reader_waits_ = true;
      sc_core::wait(this->m_data_written_event);
    }
    Base::nb_read(item);
  }
  T read() override {
    T item{};
    Fifo::read(item);
    return item;
  }
  void write(const T& item) override {
    while (Base::num_free() == 0) {
      writer_waits_ = true;
      sc_core::wait(this->m_data_read_event);
    }
    Base::nb_write(item);
  }

 protected:
  void update() override {
    if (this->m_num_read > 0 && std::exchange(writer_waits_, false))
      this->m_data_read_event.notify(sc_core::SC_ZERO_TIME);
    if (this->m_num_written > 0 && std::exchange(reader_waits_, false))
      this->m_data_written_event.notify(sc_core::SC_ZERO_TIME);
    this->m_num_readable = this->m_size - this->m_free;
    this->m_num_read = this->m_num_written = 0;
  }

 private:
  bool reader_waits_ = false, writer_waits_ = false;
};

}  // namespace macaw::npu::sc
