#include <cxxabi.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "exception.hpp"

namespace macaw::web {
namespace {

// The module has one thread.
Exception* caught = nullptr;  ///< the innermost handler's
unsigned uncaught = 0;

void release(Exception* exception) {
  if (--exception->references != 0) return;
  if (exception->primary) {
    release(exception->primary);
  } else if (exception->destroy) {
    exception->destroy(exception + 1);
  }
  std::free(exception);
}

void clean_up(_Unwind_Reason_Code, _Unwind_Exception* unwind) { release(exception_of(unwind)); }

Exception* allocate(std::size_t size) {
  auto* const exception = static_cast<Exception*>(
      std::aligned_alloc(alignof(Exception), (size + sizeof(Exception) + 15) & ~std::size_t{15}));
  if (!exception) std::terminate();
  std::memset(exception, 0, sizeof *exception);
  exception->unwind.exception_class = kExceptionClass;
  exception->unwind.exception_cleanup = clean_up;
  return exception;
}

[[noreturn]] void raise(Exception* exception) {
  ++uncaught;
  __builtin_wasm_throw(0, &exception->unwind);
}

}  // namespace
}  // namespace macaw::web

using namespace macaw::web;

extern "C" {

void* __cxa_allocate_exception(std::size_t size) { return allocate(size) + 1; }
void __cxa_free_exception(void* object) { std::free(static_cast<Exception*>(object) - 1); }

__cxxabiv1::__cxa_exception* __cxxabiv1::__cxa_init_primary_exception(void* object, std::type_info* type,
                                                                      Destructor destroy) noexcept {
  auto* const exception = static_cast<Exception*>(object) - 1;
  exception->references = 1;
  exception->type = type;
  exception->destroy = destroy;
  return reinterpret_cast<__cxa_exception*>(exception);
}

void __cxa_throw(void* object, std::type_info* type, Destructor destroy) {
  (void)__cxxabiv1::__cxa_init_primary_exception(object, type, destroy);
  raise(static_cast<Exception*>(object) - 1);
}

void* __cxa_get_exception_ptr(void* unwind) {
  return exception_of(static_cast<_Unwind_Exception*>(unwind))->caught_object;
}

void* __cxa_begin_catch(void* unwind) {
  auto* const exception = exception_of(static_cast<_Unwind_Exception*>(unwind));
  exception->rethrown = false;
  if (exception->handlers++ == 0) {
    exception->next_caught = caught;
    caught = exception;
  }
  --uncaught;
  return exception->caught_object;
}

void __cxa_end_catch() {
  auto* const exception = caught;
  if (!exception || --exception->handlers != 0) return;
  caught = exception->next_caught;
  if (!exception->rethrown) release(exception);
}

void __cxa_rethrow() {
  if (!caught) std::terminate();
  caught->rethrown = true;
  raise(caught);
}

std::type_info* __cxa_current_exception_type() {
  return caught ? const_cast<std::type_info*>(primary_of(caught)->type) : nullptr;
}
unsigned __cxa_uncaught_exceptions() { return uncaught; }
bool __cxa_uncaught_exception() { return uncaught != 0; }

void __cxa_increment_exception_refcount(void* object) {
  if (object) ++(static_cast<Exception*>(object) - 1)->references;
}
void __cxa_decrement_exception_refcount(void* object) {
  if (object) release(static_cast<Exception*>(object) - 1);
}

void* __cxa_current_primary_exception() {
  if (!caught) return nullptr;
  ++primary_of(caught)->references;
  return object_of(caught);
}

void __cxa_rethrow_primary_exception(void* object) {
  if (!object) return;
  auto* const dependent = allocate(0);
  dependent->references = 1;
  dependent->primary = static_cast<Exception*>(object) - 1;
  ++dependent->primary->references;
  dependent->type = dependent->primary->type;
  raise(dependent);
}

}  // extern "C"
