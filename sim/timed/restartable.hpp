#pragma once
namespace macaw::npu::timed {

/// A unit that keeps state from one operation to the next.
class Restartable {
 public:
  /// Resets to the state at the start of the simulation, except for what work in progress will free itself. No queue
  /// may have been written in this delta cycle.
  virtual void restart() = 0;
  /// Called when work is aborted and will free nothing of what it holds; restart() follows.
  virtual void give_up() {}

 protected:
  ~Restartable() = default;

  template <class... Fifo>
  static void clear(Fifo&... fifos) {
    (fifos.clear(), ...);
  }
};

}  // namespace macaw::npu::timed
