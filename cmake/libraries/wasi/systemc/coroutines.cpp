#include "sysc/kernel/sc_cor_qt.h"

#include <cstdio>
#include <cstdlib>
#include <new>

extern "C" {
// Calls of these become instructions of Asyncify.
__attribute__((import_module("asyncify"), import_name("start_unwind"))) void macaw_start_unwind(void*);
__attribute__((import_module("asyncify"), import_name("stop_unwind"))) void macaw_stop_unwind();
__attribute__((import_module("asyncify"), import_name("start_rewind"))) void macaw_start_rewind(void*);
__attribute__((import_module("asyncify"), import_name("stop_rewind"))) void macaw_stop_rewind();
char* macaw_get_stack_pointer();
void macaw_set_stack_pointer(char*);
}

// In assembly, since neither may have a stack frame.
asm(R"(
  .globaltype __stack_pointer, i32
  .globl macaw_get_stack_pointer
  .type macaw_get_stack_pointer,@function
macaw_get_stack_pointer:
  .functype macaw_get_stack_pointer () -> (i32)
  global.get __stack_pointer
  end_function
  .globl macaw_set_stack_pointer
  .type macaw_set_stack_pointer,@function
macaw_set_stack_pointer:
  .functype macaw_set_stack_pointer (i32) -> ()
  local.get 0
  global.set __stack_pointer
  end_function
)");

namespace sc_core {
namespace {

constexpr std::size_t kAlignment = 16;

sc_cor_asyncify main_coroutine;
sc_cor_asyncify* current = &main_coroutine;
sc_cor_asyncify* target = nullptr;  ///< set while the stack unwinds to switch to it
bool rewinding = false;

}  // namespace

sc_cor_asyncify::sc_cor_asyncify(std::size_t stack_size, sc_cor_fn* function, void* argument)
    : function_(function), argument_(argument) {
  stack_size = (stack_size + kAlignment - 1) / kAlignment * kAlignment;
  memory_ = static_cast<char*>(std::aligned_alloc(kAlignment, kFrameBytes + stack_size));
  if (!memory_) throw std::bad_alloc();
  stack_pointer_ = memory_ + kFrameBytes + stack_size;
}

sc_cor_asyncify::~sc_cor_asyncify() { std::free(memory_); }

void sc_cor_asyncify::prepare_to_unwind() {
  if (!memory_) memory_ = static_cast<char*>(std::aligned_alloc(kAlignment, kFrameBytes));  // of the main coroutine
  if (!memory_) throw std::bad_alloc();
  frames_ = {memory_, memory_ + kFrameBytes};
  stack_pointer_ = macaw_get_stack_pointer();
}

void sc_cor_asyncify::resume() {
  macaw_set_stack_pointer(stack_pointer_);
  if (started_) {
    rewinding = true;
    macaw_start_rewind(&frames_);
  }
  started_ = true;
  function_(argument_);
}

sc_cor* sc_cor_pkg_asyncify::create(std::size_t stack_size, sc_cor_fn* function, void* argument) {
  return new sc_cor_asyncify(stack_size, function, argument);
}

sc_cor* sc_cor_pkg_asyncify::get_main() { return &main_coroutine; }

void sc_cor_pkg_asyncify::yield(sc_cor* next) { switch_to(static_cast<sc_cor_asyncify&>(*next)); }

/// Unwinding begins here; the same call ends the rewinding. It is not instrumented itself.
__attribute__((noinline)) void sc_cor_pkg_asyncify::switch_to(sc_cor_asyncify& next) {
  if (rewinding) {
    rewinding = false;
    macaw_stop_rewind();
    return;
  }
  if (&next == current) return;
  current->prepare_to_unwind();
  target = &next;
  macaw_start_unwind(&current->frames_);
}

/// Not instrumented: unwinding ends here.
__attribute__((noinline)) void sc_cor_pkg_asyncify::run(sc_cor_fn* function, void* argument) {
  struct Ending {
    char* const stack_pointer = macaw_get_stack_pointer();
    ~Ending() {
      macaw_set_stack_pointer(stack_pointer);
      current = &main_coroutine;
      main_coroutine.started_ = false;
    }
  };
  const Ending ending;
  main_coroutine.function_ = function;
  main_coroutine.argument_ = argument;
  main_coroutine.stack_pointer_ = ending.stack_pointer;
  current = &main_coroutine;
  for (;;) {
    target = nullptr;
    current->resume();
    if (!target) break;
    macaw_stop_unwind();
    current = target;
  }
}

}  // namespace sc_core
