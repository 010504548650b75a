#pragma once
// Exceptions of C++ for WebAssembly: the C++ ABI library of the sysroot is built without them. Names and meaning of the
// functions are those of the Itanium C++ ABI (https://itanium-cxx-abi.github.io/cxx-abi/abi-eh.html).
#include <unwind.h>

#include <cstddef>
#include <typeinfo>

namespace macaw::web {

/// Destructors return their object in the calling convention of WebAssembly.
using Destructor = void* (*)(void*);

/// Lies before the thrown object.
struct Exception {
  std::size_t references;  ///< of handlers, std::exception_ptr and rethrown exceptions
  const std::type_info* type;
  Destructor destroy;
  Exception* next_caught;
  int handlers;         ///< that have caught it and not ended
  bool rethrown;        ///< its outermost handler leaves it alone
  Exception* primary;   ///< what a dependent exception stands for (std::rethrow_exception), or null
  void* caught_object;  ///< as the type of the handler
  alignas(16) _Unwind_Exception unwind;
};

inline constexpr _Unwind_Exception_Class kExceptionClass = 0x4d41434157432b2b;  // "MACAWC++"

[[nodiscard]] inline Exception* exception_of(_Unwind_Exception* unwind) {
  return reinterpret_cast<Exception*>(reinterpret_cast<char*>(unwind) - offsetof(Exception, unwind));
}
[[nodiscard]] inline Exception* primary_of(Exception* exception) {
  return exception->primary ? exception->primary : exception;
}
[[nodiscard]] inline void* object_of(Exception* exception) { return primary_of(exception) + 1; }

}  // namespace macaw::web
