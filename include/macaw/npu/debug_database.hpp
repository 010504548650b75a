#pragma once
#include <macaw/npu/artifact.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace macaw::npu {

/// Vela's debug database (vela DEBUG_DB.md): maps every command to the operator of the source network that it was made
/// from. Both back ends write it, the legacy one without names and tensors.
class DebugDatabase {
 public:
  /// An operator of the source network, or one that Vela derived from it.
  struct Operator {
    std::int64_t id = 0;
    std::string kind;                   ///< "Conv2D"
    std::string name;                   ///< name of its OFM; may be empty
    std::optional<std::int64_t> index;  ///< position in the source file (ext_key); only operators of the source have it
    std::optional<std::int64_t> source_id;  ///< source operator of an optimised one
    int ofm_h = 0, ofm_w = 0, ofm_c = 0;

    /// "Conv2D 'conv1' (operator 3)".
    [[nodiscard]] std::string to_string() const;
  };

  /// A tensor's place in memory as Vela assigned it, in bytes from the start of its memory's region.
  struct TensorPlace {
    std::int64_t id = 0;
    std::string name, memory, format, data_type;
    std::uint64_t start = 0, end = 0;
  };

  /// Parses the XML, which may be compressed with gzip. kInvalidFile: not a debug database, or a required column of a
  /// table is missing.
  [[nodiscard]] static Result<DebugDatabase> parse(std::span<const std::byte> bytes, const std::string& name);

  /// The source operator of the command at `byte_offset` of command stream `stream` (counted over the command streams
  /// of the artifact); nullptr if the database does not state it. A DMA job belongs to the operation after it.
  [[nodiscard]] const Operator* source_of(std::size_t stream, std::uint32_t byte_offset) const;
  /// The operator that Vela made the command at `byte_offset` of command stream `stream` from; nullptr if the database
  /// does not state it.
  [[nodiscard]] const Operator* optimised_of(std::size_t stream, std::uint32_t byte_offset) const;
  /// The step of that operator that the command belongs to: an operator may be lowered to several steps, each with an
  /// id and an OFM of its own. Without steps in the database, the operator itself.
  [[nodiscard]] const Operator* scheduled_of(std::size_t stream, std::uint32_t byte_offset) const;

  /// The kind of file whose operators Operator::index counts: "tosa", "tflite", or empty if the database does not state
  /// it, as only those of Macaw's compiler do.
  [[nodiscard]] const std::string& numbering() const { return numbering_; }
  /// Whether the database states that it counts operators of a different kind of file.
  [[nodiscard]] bool counts_otherwise(const std::string& kind) const {
    return !numbering_.empty() && !kind.empty() && numbering_ != kind;
  }

  [[nodiscard]] const std::map<std::int64_t, Operator>& sources() const { return sources_; }
  [[nodiscard]] const std::map<std::int64_t, Operator>& optimised() const { return optimised_; }
  [[nodiscard]] const std::vector<TensorPlace>& tensors() const { return tensors_; }

 private:
  friend class DebugDatabaseReader;
  struct Made {
    std::int64_t optimised = 0;
    std::optional<std::int64_t> scheduled;
  };
  [[nodiscard]] const Made* made_of(std::size_t stream, std::uint32_t byte_offset) const;

  std::map<std::int64_t, Operator> sources_, optimised_, scheduled_;
  std::vector<TensorPlace> tensors_;
  std::string numbering_;
  std::vector<std::map<std::uint64_t, Made>> queues_;  ///< per stream: from the byte offset of an operation to its
                                                       ///< origin
};

/// Reads a debug database into the artifact. Errors: those of reading and of parse().
[[nodiscard]] Result<void> attach_debug_database(Artifact& artifact, const std::filesystem::path& file);
/// Returns the path of the database that Vela left beside an artifact; empty if there is none.
[[nodiscard]] std::filesystem::path debug_database_beside(const std::filesystem::path& artifact);

/// The result of source_of() for a command of Artifact::steps[step] as text; empty if unknown.
[[nodiscard]] std::string source_operator(const Artifact& artifact, std::size_t step, std::uint32_t byte_offset);

}  // namespace macaw::npu
