#pragma once
namespace macaw::npu::timed {

/// A unit that keeps something from one operation to the next.
class Restartable {
 public:
  /// As at the start of the simulation, but for what work that still ends will free itself. No queue has been written
  /// in this delta cycle.
  virtual void restart() = 0;
  /// Work is given up, and will free nothing of what it holds; restart() follows.
  virtual void give_up() {}

 protected:
  ~Restartable() = default;

  template <class... Fifo>
  static void clear(Fifo&... fifos) {
    (fifos.clear(), ...);
  }
};

}  // namespace macaw::npu::timed
