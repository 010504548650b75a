#include <fmt/format.h>

#include <macaw/error.hpp>

#include "base/json_text.hpp"

namespace macaw {

std::string Error::to_string() const {
  std::string text;
  if (!place.file.empty()) text += place.file + ": ";
  if (!place.op.empty()) text += place.op + ": ";
  if (place.command_index) text += fmt::format("command {}: ", *place.command_index);
  if (place.byte_offset) text += fmt::format("byte {}: ", *place.byte_offset);
  // Names come from files, and those are not always UTF-8.
  return io::readable(text + message);
}

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage: return "usage";
    case ErrorCode::kIo: return "io";
    case ErrorCode::kInvalidFile: return "invalid_file";
    case ErrorCode::kInvalidGraph: return "invalid_graph";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kMismatch: return "mismatch";
    case ErrorCode::kUnpredictable: return "unpredictable";
    case ErrorCode::kHardwareFault: return "hardware_fault";
  }
  return "unknown";
}

}  // namespace macaw
