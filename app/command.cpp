#include "app/command.hpp"

namespace macaw::app {
namespace {

const char* mark = "";

}  // namespace

void mark_errors_as_arm() { mark = "E: "; }

const char* error_mark() { return mark; }

Exit exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage: return kUsage;
    case ErrorCode::kUnpredictable: return kUnpredictable;
    case ErrorCode::kHardwareFault: return kFault;
    case ErrorCode::kIo:
    case ErrorCode::kInvalidFile:
    case ErrorCode::kInvalidGraph:
    case ErrorCode::kUnsupported:
    case ErrorCode::kMismatch: return kInvalid;
  }
  return kInternal;
}

int report_error(const Error& error) {
  print_stderr("{}macaw: {}\n", mark, error.to_string());
  return exit_code_of(error.code);
}

}  // namespace macaw::app
