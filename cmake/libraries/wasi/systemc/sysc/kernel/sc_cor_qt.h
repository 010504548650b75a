#ifndef MACAW_SC_COR_ASYNCIFY_H
#define MACAW_SC_COR_ASYNCIFY_H
// Coroutines of SystemC for WebAssembly, which has no way to switch stacks: Binaryen's Asyncify rewrites the functions
// that switch so that their frames can be unwound into memory and rewound from it
// (https://github.com/WebAssembly/binaryen/blob/main/src/passes/Asyncify.cpp). The file has the name of the package
// that it replaces, which the kernel includes.
#include <cstddef>

#include "sysc/kernel/sc_cor.h"

namespace sc_core {

class sc_cor_asyncify : public sc_cor {
 public:
  /// The layout that Asyncify expects: where the next local of an unwound frame goes, and the end of that memory.
  struct Frames {
    char* next;
    char* end;
  };

  sc_cor_asyncify() = default;
  sc_cor_asyncify(std::size_t stack_size, sc_cor_fn* function, void* argument);
  ~sc_cor_asyncify() override;

  /// Bytes for the locals of unwound frames; a process that needs more ends the program with a message.
  static constexpr std::size_t kFrameBytes = std::size_t{32} << 10;

 private:
  friend class sc_cor_pkg_asyncify;

  void prepare_to_unwind();
  void resume();

  char* memory_ = nullptr;  ///< kFrameBytes for frames, then the stack of what has an address
  Frames frames_ = {};
  char* stack_pointer_ = nullptr;
  sc_cor_fn* function_ = nullptr;
  void* argument_ = nullptr;
  bool started_ = false;
};

class sc_cor_pkg_asyncify : public sc_cor_pkg {
 public:
  using sc_cor_pkg::sc_cor_pkg;

  sc_cor* create(std::size_t stack_size, sc_cor_fn* function, void* argument) override;
  void yield(sc_cor* next) override;
  void abort(sc_cor* next) override { yield(next); }
  sc_cor* get_main() override;

  /// Calls function(argument) as the main coroutine and returns, or throws, what it does. A switch unwinds to this
  /// call, so everything that switches runs within it. Not nested.
  static void run(sc_cor_fn* function, void* argument);

 private:
  static void switch_to(sc_cor_asyncify& next);
};

/// The name by which the kernel creates the package.
typedef sc_cor_pkg_asyncify sc_cor_pkg_t;

}  // namespace sc_core
#endif
