// Finds the handler of an exception in a frame, for code of a landing pad: WebAssembly's engine unwinds the stack.
#include <cstdint>
#include <cstring>
#include <exception>

#include "exception.hpp"

namespace macaw::web {
namespace {

/// The first virtual functions of LLVM's __shim_type_info (libcxxabi/src/private_typeinfo.h), which the run-time type
/// information of every type begins with.
class CatchableType : public std::type_info {
 public:
  virtual void unused_1() const;
  virtual void unused_2() const;
  /// Whether a handler of this type takes a thrown object; moves the pointer to its base class, or to what it points
  /// to.
  virtual bool can_catch(const CatchableType* thrown, void*& object) const = 0;
};

/// LEB128 numbers (DWARF 4, section 7.6).
class Reader {
 public:
  explicit Reader(const std::uint8_t* at) : at_(at) {}
  [[nodiscard]] const std::uint8_t* at() const { return at_; }
  std::uint8_t byte() { return *at_++; }
  std::uint32_t number() {
    std::uint32_t value = 0;
    read(value);
    return value;
  }
  std::int32_t signed_number() {
    std::uint32_t value = 0;
    const unsigned bits = read(value);
    const bool negative = bits < 32 && (at_[-1] & 0x40) != 0;
    return static_cast<std::int32_t>(negative ? value | (~std::uint32_t{0} << bits) : value);
  }

 private:
  unsigned read(std::uint32_t& value) {
    unsigned shift = 0;
    do {
      value |= static_cast<std::uint32_t>(*at_ & 0x7f) << shift;
      shift += 7;
    } while ((*at_++ & 0x80) != 0);
    return shift;
  }
  const std::uint8_t* at_;
};

/// The exception table of a function as LLVM writes it for WebAssembly (lib/CodeGen/AsmPrinter/WasmException.cpp):
/// types are 32-bit addresses; a call site is a landing pad and an action.
struct Table {
  std::uint32_t action = 0;  ///< of the landing pad, from 1; 0: none but to clean up
  const std::uint8_t* actions = nullptr;
  const std::uint8_t* types = nullptr;  ///< its end: they count backwards

  Table(const std::uint8_t* table, std::uintptr_t landing_pad) {
    constexpr std::uint8_t kOmitted = 0xff;
    Reader reader(table);
    if (reader.byte() != kOmitted) (void)reader.number();
    if (reader.byte() != kOmitted) {
      const auto size = reader.number();
      types = reader.at() + size;
    }
    (void)reader.byte();
    const auto size = reader.number();
    actions = reader.at() + size;
    for (std::uintptr_t i = 0; i <= landing_pad; ++i) {
      (void)reader.number();
      action = reader.number();
    }
  }

  [[nodiscard]] const CatchableType* type(std::int32_t index) const {
    const CatchableType* type = nullptr;
    std::memcpy(&type, types - index * 4, sizeof type);
    return type;
  }
};

/// The number of the handler's type in the table; 0: there is none.
std::int32_t find_handler(const Table& table, Exception& exception) {
  if (table.action == 0) return 0;
  const auto* thrown = static_cast<const CatchableType*>(exception.type);
  for (const auto* at = table.actions + table.action - 1;;) {
    Reader reader(at);
    const auto index = reader.signed_number();
    const auto* const next_at = reader.at();
    const auto next = reader.signed_number();
    if (index > 0) {
      const auto* const type = table.type(index);
      void* object = object_of(&exception);
      if (!type || type->can_catch(thrown, object)) {
        exception.caught_object = object;
        return index;
      }
    } else if (index < 0) {
      std::terminate();  // an exception specification, which C++20 does not have
    }
    if (next == 0) return 0;
    at = next_at + next;
  }
}

}  // namespace
}  // namespace macaw::web

extern "C" {

/// The compiler writes the first two before the call and reads the third after it (libunwind/src/Unwind-wasm.c).
struct LandingPad {
  std::uintptr_t index, table, selector;
};
thread_local LandingPad __wasm_lpad_context;

_Unwind_Reason_Code _Unwind_CallPersonality(void* thrown) {
  using namespace macaw::web;
  auto* const unwind = static_cast<_Unwind_Exception*>(thrown);
  const Table table(reinterpret_cast<const std::uint8_t*>(__wasm_lpad_context.table), __wasm_lpad_context.index);
  __wasm_lpad_context.selector = static_cast<std::uintptr_t>(find_handler(table, *exception_of(unwind)));
  return _URC_NO_REASON;
}

void _Unwind_DeleteException(_Unwind_Exception* exception) {
  if (exception->exception_cleanup) exception->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, exception);
}

// Named by the code of every function with handlers, and not called.
int __gxx_personality_wasm0(...) { std::terminate(); }

}  // extern "C"
