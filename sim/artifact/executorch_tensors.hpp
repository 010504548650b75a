#pragma once
#include <macaw/npu/artifact.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/artifact/executorch_tensor.hpp"
#include "sim/artifact/named_data.hpp"

namespace macaw::npu {

template <class T>
[[nodiscard]] std::size_t count(const flatbuffers::Vector<T>* list) {
  return list ? list->size() : 0;
}

/// The tensors of one method of an ExecuTorch program, and their memories (pytorch/executorch schema/program.fbs and
/// extended_header.h, runtime/executor/tensor_parser_exec_aten.cpp).
class ProgramTensors {
 public:
  ProgramTensors(Artifact& artifact, std::span<const std::byte> bytes, std::span<const ExternalData> data)
      : artifact_(artifact), bytes_(bytes), data_(data) {}

  /// Reads the program, selects a method (an empty name selects the first), and adds the planned memories.
  [[nodiscard]] Result<void> open(const std::string& method);

  [[nodiscard]] const pte::Program& program() const { return *program_; }
  [[nodiscard]] const pte::Plan& plan() const { return *plan_; }
  /// Memories that the method's values are planned into; they keep their contents between executions.
  [[nodiscard]] const std::vector<int>& planned() const { return planned_; }
  [[nodiscard]] const NamedData& named_data() const { return named_; }

  /// Null if the value does not exist, or is not a tensor.
  [[nodiscard]] const pte::Value* value(std::int64_t index) const;
  [[nodiscard]] const pte::Tensor* tensor(std::int64_t index) const;
  /// Returns the location of a value that is a tensor, with its shape in memory order.
  [[nodiscard]] Result<TensorBinding> binding(std::int64_t index);
  [[nodiscard]] Result<std::span<const std::byte>> segment(std::uint64_t index) const;
  /// Returns a memory with these bytes of a file. A small file may refer to its bytes many times: equal ranges share a
  /// memory, and all memories together may not be larger than the files.
  [[nodiscard]] Result<int> add_bytes(std::string name, std::span<const std::byte> bytes);

  /// The form of the operand that a value other than a tensor becomes.
  enum class Form : std::uint8_t { kArgument, kWord, kOrder };
  /// Returns the operand already created for a value in this form; null if there is none.
  [[nodiscard]] const TensorBinding* find_argument(std::int64_t index, Form form) const;
  /// Returns a constant operand for a value in this form, with its bytes in a separate memory; created once per value
  /// and form, however many calls use it.
  [[nodiscard]] Result<TensorBinding> add_argument(std::int64_t index, Form form, TensorBinding binding,
                                                   std::span<const std::byte> bytes);
  /// Counts operands of a call against the limit of a program, before they are created.
  [[nodiscard]] Result<void> account_operands(std::size_t number);

  [[nodiscard]] tl::unexpected<Error> invalid(std::string what) const {
    return fail(ErrorCode::kInvalidFile, std::move(what), {.file = artifact_.file});
  }
  [[nodiscard]] tl::unexpected<Error> unsupported(std::string what) const {
    return fail(ErrorCode::kUnsupported, std::move(what), {.file = artifact_.file});
  }

 private:
  int add_constant(std::string name, std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> read_header();
  [[nodiscard]] Result<void> read_named_data();
  [[nodiscard]] Result<void> choose(const std::string& method);
  [[nodiscard]] Result<void> add_memories();
  [[nodiscard]] Result<std::span<const std::byte>> initial_state(const pte::Tensor& tensor,
                                                                 const TensorBinding& binding) const;
  [[nodiscard]] Result<const NamedBytes*> external(const pte::Tensor& tensor, const TensorBinding& binding) const;
  [[nodiscard]] Result<void> set_initial_state(const pte::Tensor& tensor, const TensorBinding& binding);
  [[nodiscard]] Result<void> place_constant(TensorBinding& out, std::uint32_t buffer, std::int64_t index);
  [[nodiscard]] Result<void> place_external(TensorBinding& out, const pte::Tensor& tensor);
  [[nodiscard]] Result<void> place_alone(TensorBinding& out, std::int64_t index);

  Artifact& artifact_;
  std::span<const std::byte> bytes_;
  std::span<const ExternalData> data_;
  NamedData named_;
  std::uint64_t segment_base_ = 0;
  const pte::Program* program_ = nullptr;
  const pte::Plan* plan_ = nullptr;
  std::vector<int> planned_;
  int constants_ = -1;
  std::map<std::int64_t, int> alone_;                               ///< memories of tensors that have a separate one
  std::map<std::pair<const std::byte*, std::size_t>, int> places_;  ///< memories of constant data, by place and size
  std::map<std::pair<std::int64_t, Form>, TensorBinding> arguments_;
  std::size_t budget_ = 0;  ///< bytes of constant data that may still be added
  std::size_t argument_bytes_ = 0, operands_ = 0;
};

}  // namespace macaw::npu
