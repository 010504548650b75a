#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <macaw/error.hpp>

namespace macaw::disasm {

/// A file of command streams and how to print them.
struct Request {
  std::string file;                     ///< compiled network, bare command words, or text to assemble
  std::string method;                   ///< of an ExecuTorch program; empty: its first
  std::string accelerator;              ///< if the file does not state it
  std::string debug_db;                 ///< Vela's debug database; empty: the one beside the file
  std::optional<std::uint64_t> stream;  ///< this command stream only, counted from 0; none: all
  bool words = false;                   ///< the file consists of command words only
  bool json = false;                    ///< JSON in place of text
};

/// Every command of the streams. Errors: those of load_artifact(), choose_accelerator() and of the decoder; kUsage if
/// there is no such stream, kUnsupported if the network leaves everything to the CPU.
[[nodiscard]] Result<std::string> disassembled(const Request& request);

/// The words of one stream of such text. kInvalidFile names the line; kUsage if the stream is not the only one and none
/// was chosen.
[[nodiscard]] Result<std::vector<std::uint32_t>> assembled(const Request& request);

}  // namespace macaw::disasm
