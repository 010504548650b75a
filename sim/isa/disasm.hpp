#pragma once
#include <functional>
#include <string>

#include <macaw/npu/operation.hpp>
#include "sim/isa/decoder.hpp"

// Command streams as text, and the text back to the same words. One command per line:
//
//   .accelerator ethos-u55-128
//   .stream operator 0 (ethos-u)
//   NPU_SET_IFM_PRECISION activation_type=SIGNED activation_precision=B8 activation_format=NHWC ...  ; 0x0014
//
// Values are decimal, hexadecimal after 0x, or names of the field's enumeration. A semicolon begins a comment.
namespace macaw::npu {

/// "NPU_OP_POOL pooling_mode=MAX".
[[nodiscard]] std::string to_text(Family family, const Command& command);

/// The command that starts an operation: "NPU_OP_CONV".
[[nodiscard]] std::string_view command_name(const BlockOperation& operation);

/// Additional comment text of an operation, by its byte offset; may be empty.
using OperationComment = std::function<std::string(std::uint32_t byte_offset)>;

/// A stream with its directives, every command followed by its byte offset as a comment.
[[nodiscard]] Result<std::string> disassemble(const Accelerator& accelerator, std::string_view name,
                                              std::span<const std::uint32_t> words,
                                              const OperationComment& comment = {});

struct Assembly {
  struct Stream {
    std::string name;
    std::vector<std::uint32_t> words;
  };
  const Accelerator* accelerator = nullptr;
  std::vector<Stream> streams;
};

/// Errors are kInvalidFile and name the line. Fields that a line leaves out are 0.
[[nodiscard]] Result<Assembly> assemble(std::string_view text, const std::string& file);

}  // namespace macaw::npu
