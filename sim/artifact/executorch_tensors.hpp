#pragma once
#include <macaw/npu/artifact.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/artifact/executorch_tensor.hpp"
#include "sim/artifact/named_data.hpp"

namespace macaw::npu {

template <class T>
[[nodiscard]] std::size_t count(const flatbuffers::Vector<T>* list) {
  return list ? list->size() : 0;
}

/// The tensors of one method of an ExecuTorch program, and the memories that they lie in (pytorch/executorch
/// schema/program.fbs and extended_header.h, runtime/executor/tensor_parser_exec_aten.cpp).
class ProgramTensors {
 public:
  ProgramTensors(Artifact& artifact, std::span<const std::byte> bytes, std::span<const ExternalData> data)
      : artifact_(artifact), bytes_(bytes), data_(data) {}

  /// Reads the program, chooses a method, an empty name being the first, and adds the planned memories.
  [[nodiscard]] Result<void> open(const std::string& method);

  [[nodiscard]] const pte::Program& program() const { return *program_; }
  [[nodiscard]] const pte::Plan& plan() const { return *plan_; }
  /// Memories that the method's values are planned into; they keep their contents between executions.
  [[nodiscard]] const std::vector<int>& planned() const { return planned_; }
  [[nodiscard]] const NamedData& named_data() const { return named_; }

  /// Null if there is no such value, or it is not a tensor.
  [[nodiscard]] const pte::Value* value(std::int64_t index) const;
  [[nodiscard]] const pte::Tensor* tensor(std::int64_t index) const;
  /// Where a value lies that is a tensor, with its shape in the order of memory.
  [[nodiscard]] Result<TensorBinding> binding(std::int64_t index);
  [[nodiscard]] Result<std::span<const std::byte>> segment(std::uint64_t index) const;
  /// Adds a memory with these contents.
  int add_constant(std::string name, std::span<const std::byte> bytes);

  [[nodiscard]] tl::unexpected<Error> invalid(std::string what) const {
    return fail(ErrorCode::kInvalidFile, std::move(what), {.file = artifact_.file});
  }
  [[nodiscard]] tl::unexpected<Error> unsupported(std::string what) const {
    return fail(ErrorCode::kUnsupported, std::move(what), {.file = artifact_.file});
  }

 private:
  [[nodiscard]] Result<int> add_bytes(std::string name, std::span<const std::byte> bytes);
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
  std::map<std::int64_t, int> alone_;       ///< memories of tensors that have one of their own
  std::map<const std::byte*, int> places_;  ///< memories of constant data, by their first byte in a file
  std::size_t budget_ = 0;                  ///< bytes of constant data that may still be added
};

}  // namespace macaw::npu
