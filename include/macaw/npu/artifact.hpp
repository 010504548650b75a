#pragma once
#include <macaw/npu/accelerator.hpp>
#include <macaw/quantization.hpp>
#include <macaw/tensor.hpp>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace macaw::tflite {
struct Options;  // opaque: what the TFLite interpreter reads
}  // namespace macaw::tflite

namespace macaw::npu {

class DebugDatabase;  // macaw/npu/debug_database.hpp

/// Limit of the memories of a compiled network together, in bytes. Addresses on U65 and U85 have 40 bits, but a file
/// must not make Macaw allocate whatever size it states.
inline constexpr std::uint64_t kMaxMemory = std::uint64_t{1} << 31;

/// A block of memory that a compiled network addresses: constants, arena, fast scratch, or one I/O tensor.
struct Memory {
  std::string name;
  std::uint64_t size = 0;
  std::vector<std::uint8_t> initial = {};  ///< initial contents; the rest is zero
  bool read_only = false;
  bool cleared = false;  ///< the network relies on zero initialisation: the zeros count as written
};

/// Range of a memory that a region register points at. `memory` < 0: the region is not bound.
struct RegionBinding {
  int memory = -1;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// Bytes of an operand that the runtime copies to where a job expects them; both ranges have the same size.
struct OperandCopy {
  RegionBinding from, to;
};

/// Operands of a job that overlap in its memories.
struct OperandOverlap {
  std::string first, second;
  RegionBinding bytes;
};

/// One NPU job: command words (without the driver actions before them) and the regions that BASEP0..7 point to.
struct CommandStream {
  std::string name;  ///< for messages: "operator 3 (ethos-u)"
  std::vector<std::uint32_t> words;
  std::uint64_t payload_offset = 0;  ///< byte offset of words[0] in the command payload
  std::array<RegionBinding, 8> regions;
  std::optional<std::uint32_t> config_word, id_word;
  std::vector<OperandCopy> copies = {};       ///< copied before the job starts, in order
  std::vector<OperandOverlap> overlaps = {};  ///< faults of the compiler
};

/// A tensor at a place in a memory: network inputs and outputs, variables, operands of CPU operators. `memory` < 0: an
/// input that is never read (raw npz), or an absent optional operand.
struct TensorBinding {
  std::string name;
  Shape shape;
  unsigned element_size = 1;   ///< bytes
  std::optional<DType> dtype;  ///< unknown in raw npz
  int memory = -1;
  std::uint64_t offset = 0;
  std::shared_ptr<const Quantization> quantization = {};  ///< null: none, or not a tflite
};

/// An operator that a Vela tflite leaves to the CPU.
struct HostOperator {
  std::size_t index = 0;  ///< in the subgraph
  std::string name;       ///< TFLite's builtin or custom name
  std::vector<TensorBinding> inputs, outputs;
  std::shared_ptr<const tflite::Options> options = {};  ///< null: none, or not a tflite
};

/// Control flow of a network that leaves IF or WHILE to the CPU: the copies are made, then the next step is chosen. The
/// steps of a subgraph follow those of the network and end in kReturn.
struct ControlStep {
  enum class Kind { kGoOn, kJump, kCall, kReturn };
  std::string name = {};  ///< "operator 3 (IF)" for the first step of an operator; empty for the others
  std::vector<OperandCopy> copies = {};
  Kind kind = Kind::kGoOn;
  std::size_t target = 0;                    ///< step of a jump or a call
  std::optional<RegionBinding> unless = {};  ///< a byte: the jump is made only if it is 0
};

/// A compiled network in one form, whether read from a raw npz, a Vela tflite or an ExecuTorch payload.
struct Artifact {
  enum class Format { kVelaNpz, kVelaTflite, kExecuTorch };
  std::string file;
  Format format = Format::kVelaNpz;
  const Accelerator* accelerator = nullptr;  ///< from the OPTIMIZER_CONFIG word; nullptr if the file does not state it
  std::vector<Memory> memories;
  /// In execution order, except where a ControlStep jumps.
  std::vector<std::variant<CommandStream, HostOperator, ControlStep>> steps;
  std::vector<TensorBinding> inputs, outputs, variables;
  std::shared_ptr<const DebugDatabase> debug =
      {};  ///< Vela's debug information about the operators; null if there is none
};

/// Whether the order of execution can depend on values.
[[nodiscard]] bool has_control_flow(const Artifact& artifact);

/// Reads any supported artifact; the format is recognised by content. A debug database that Vela left beside the file
/// is read as well: NET_debug.xml or NET_debug.xml.gz for NET_vela.tflite or NET.tflite. `method` selects a method of
/// an ExecuTorch program; empty: the first. kUsage if the method does not exist, or if the file has a different format.
/// If `debug_database` is given, it is read instead of the one beside the file.
[[nodiscard]] Result<Artifact> load_artifact(const std::filesystem::path& file, const std::string& method = {},
                                             const std::filesystem::path& debug_database = {});
[[nodiscard]] Result<Artifact> parse_artifact(std::span<const std::byte> bytes, const std::string& name,
                                              const std::string& method = {});

}  // namespace macaw::npu
