#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

namespace macaw {

/// Category of an error; determines the exit code of the program (docs/CLI.md).
enum class ErrorCode {
  kUsage,          ///< the call itself is wrong: unknown option, missing argument
  kIo,             ///< a file cannot be read or written
  kInvalidFile,    ///< a file breaks its own format
  kInvalidGraph,   ///< a TOSA graph is malformed or breaks an ERROR_IF rule or a level limit
  kUnsupported,    ///< legal, but not supported by Macaw; the message names it
  kMismatch,       ///< two things that must agree do not (shape, element size, accelerator)
  kUnpredictable,  ///< a TOSA REQUIRE rule does not hold
  kHardwareFault,  ///< the NPU would stop: bad command, bus fault, address outside its region
};

/// Where it went wrong. Unset members do not apply.
struct Place {
  std::string file = {};
  std::string op = {};                              ///< operator: name, or index and type
  std::optional<std::uint64_t> command_index = {};  ///< index of the command in its stream
  std::optional<std::uint64_t> byte_offset = {};    ///< offset in the file or stream
};

/// An error as a value: what happened, where, and what was expected, in one sentence.
struct Error {
  ErrorCode code{};
  std::string message;
  Place place;

  /// "file: operator 3 (CONV2D): byte 120: message", leaving out what is not known.
  [[nodiscard]] std::string to_string() const;
};

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message, Place place = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(place)});
}

/// Name of a code as it appears in machine-readable output.
[[nodiscard]] const char* to_string(ErrorCode code);

}  // namespace macaw

/// Returns the error of a Result from the enclosing function, or goes on.
#define MACAW_CHECK(expr)                                                                                            \
  do {                                                                                                               \
    if (auto&& macaw_result_ = (expr); !macaw_result_) return tl::unexpected<::macaw::Error>(macaw_result_.error()); \
  } while (false)

#define MACAW_CONCAT_(a, b) a##b
#define MACAW_CONCAT(a, b) MACAW_CONCAT_(a, b)

/// MACAW_ASSIGN(auto x, f()): binds the value of a Result, or returns its error.
#define MACAW_ASSIGN(decl, expr) MACAW_ASSIGN_(decl, expr, MACAW_CONCAT(macaw_value_, __LINE__))
#define MACAW_ASSIGN_(decl, expr, tmp)                          \
  auto tmp = (expr);                                            \
  if (!tmp) return tl::unexpected<::macaw::Error>(tmp.error()); \
  decl = std::move(*tmp)
