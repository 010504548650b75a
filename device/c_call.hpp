#pragma once
#include <macaw/error.hpp>

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>

/// Shared by all calls of a C interface: no exception leaves them, and each thread keeps the message of its last error.
namespace macaw::c_call {

/// The message of the last call of this thread that failed.
inline std::string& last_message() {
  thread_local std::string message;
  return message;
}

/// Stores a text, or an empty one if there is no memory for it.
inline void keep_message(const char* text) noexcept {
  try {
    last_message() = text;
  } catch (const std::bad_alloc&) {
    last_message().clear();
  }
}

/// Calls `body` and converts its error to a status with `status_of`, and an exception to `internal`. 0 is success.
template <class Status, class Body>
Status guarded(Status (*status_of)(ErrorCode), Status internal, Body&& body) {
  try {
    const Result<void> done = body();
    if (done) return Status{};
    last_message() = done.error().to_string();
    return status_of(done.error().code);
  } catch (const std::exception& exception) {
    keep_message(exception.what());
  } catch (...) {
    keep_message("an unknown exception");
  }
  return internal;
}

inline Result<void> wanted(bool there, const char* what) {
  if (!there) return fail(ErrorCode::kUsage, fmt::format("{} is a null pointer", what));
  return {};
}

}  // namespace macaw::c_call
