#include "device/network/network.hpp"

#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/npu/element_type.hpp>
#include <macaw/tflite/host_operators.hpp>

#include <fmt/format.h>

#include <algorithm>

using namespace macaw;
using namespace macaw::npu;

namespace macaw::network_library {

macaw_network_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage: return MACAW_NETWORK_USAGE;
    case ErrorCode::kIo:
    case ErrorCode::kInvalidFile: return MACAW_NETWORK_FILE;
    case ErrorCode::kMismatch: return MACAW_NETWORK_MISMATCH;
    case ErrorCode::kHardwareFault: return MACAW_NETWORK_FAULT;
    default: return MACAW_NETWORK_UNSUPPORTED;
  }
}

Result<void> describe(const char* kind, const std::vector<TensorBinding>& bindings,
                      const std::vector<std::size_t>& sizes, std::size_t index, macaw_network_tensor& tensor) {
  if (index >= bindings.size())
    return fail(ErrorCode::kUsage,
                fmt::format("the network has {} {}s, none of index {}", bindings.size(), kind, index));
  const auto& binding = bindings[index];
  if (tensor.struct_size < sizeof tensor)
    return fail(ErrorCode::kUsage,
                fmt::format("struct_size of the tensor is {}; expected sizeof(macaw_network_tensor), {}",
                            tensor.struct_size, sizeof tensor));
  tensor = {tensor.struct_size,   binding.name.c_str(), binding.dtype ? to_string(*binding.dtype).data() : nullptr,
            binding.shape.data(), binding.shape.size(), sizes[index]};
  return {};
}

}  // namespace macaw::network_library

namespace {

using c_call::wanted;
using network_library::describe;
using network_library::guarded;

Result<std::vector<std::size_t>> sizes_of(const std::vector<TensorBinding>& bindings) {
  std::vector<std::size_t> sizes;
  for (const auto& binding : bindings) {
    MACAW_ASSIGN(const auto bytes, byte_count(element_type(binding), binding.shape));
    sizes.push_back(static_cast<std::size_t>(bytes));
  }
  return sizes;
}

Result<void> check_buffers(const char* kind, std::size_t given, std::size_t expected, const void* const* buffers) {
  if (given != expected)
    return fail(ErrorCode::kMismatch, fmt::format("{} {}s are given, the network has {}", given, kind, expected));
  if (expected > 0) MACAW_CHECK(wanted(buffers, fmt::format("the list of {}s", kind).c_str()));
  for (std::size_t i = 0; i < expected; ++i) MACAW_CHECK(wanted(buffers[i], fmt::format("{} {}", kind, i).c_str()));
  return {};
}

}  // namespace

Result<std::unique_ptr<macaw_network>> macaw_network::create(Artifact artifact, const char* accelerator) {
  MACAW_ASSIGN(const auto* chosen, choose_accelerator(artifact, accelerator ? accelerator : ""));
  MACAW_ASSIGN(auto prepared, PreparedNetwork::create(std::move(artifact), *chosen));
  auto network = std::make_unique<macaw_network>(std::move(prepared));
  MACAW_ASSIGN(network->input_sizes, sizes_of(network->artifact().inputs));
  MACAW_ASSIGN(network->output_sizes, sizes_of(network->artifact().outputs));
  MACAW_ASSIGN(network->state_sizes, sizes_of(network->artifact().variables));
  return network;
}

Result<std::vector<Tensor>> macaw_network::run(const void* const* inputs, std::size_t input_count, void* const* outputs,
                                               std::size_t output_count, int threads,
                                               const std::vector<Tensor>& state) const {
  const auto& bindings = artifact().inputs;
  MACAW_CHECK(check_buffers("input", input_count, bindings.size(), inputs));
  MACAW_CHECK(check_buffers("output", output_count, output_sizes.size(), outputs));
  if (threads < 0 || threads > 256)
    return fail(ErrorCode::kUsage, fmt::format("{} threads, expected 0 to 256", threads));
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    MACAW_ASSIGN(auto tensor,
                 Tensor::create(element_type(bindings[i]), bindings[i].shape, TensorMemory::ZeroFill::kLazy));
    std::copy_n(static_cast<const std::byte*>(inputs[i]), input_sizes[i], tensor.uninitialized_bytes().data());
    tensors.push_back({"", std::move(tensor)});
  }
  FunctionalOptions options;
  options.host = &tflite::host_operators();
  options.threads = threads;
  for (const auto& tensor : state) options.variables.push_back({"", tensor});
  MACAW_ASSIGN(auto result, prepared.run(tensors, options));
  for (std::size_t i = 0; i < output_count; ++i)
    std::ranges::copy(result.outputs[i].bytes(), static_cast<std::byte*>(outputs[i]));
  return std::move(result.variables);
}

uint32_t macaw_network_abi(void) { return MACAW_NETWORK_ABI; }

const char* macaw_network_version(void) { return MACAW_LIBRARY_VERSION; }

macaw_network_status macaw_network_load(const char* file, const char* accelerator, macaw_network** network) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(network, "the place for the network"));
    *network = nullptr;
    MACAW_CHECK(wanted(file, "the name of the file"));
    MACAW_ASSIGN(auto artifact, load_artifact(file));
    MACAW_ASSIGN(auto created, macaw_network::create(std::move(artifact), accelerator));
    *network = created.release();
    return {};
  });
}

macaw_network_status macaw_network_load_bytes(const void* bytes, size_t size, const char* accelerator,
                                              macaw_network** network) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(network, "the place for the network"));
    *network = nullptr;
    MACAW_CHECK(wanted(bytes, "the file in memory"));
    MACAW_ASSIGN(auto artifact, parse_artifact({static_cast<const std::byte*>(bytes), size}, "the file in memory"));
    MACAW_ASSIGN(auto created, macaw_network::create(std::move(artifact), accelerator));
    *network = created.release();
    return {};
  });
}

void macaw_network_destroy(macaw_network* network) { delete network; }

size_t macaw_network_input_count(const macaw_network* network) { return network ? network->input_sizes.size() : 0; }

size_t macaw_network_output_count(const macaw_network* network) { return network ? network->output_sizes.size() : 0; }

macaw_network_status macaw_network_input(const macaw_network* network, size_t index, macaw_network_tensor* tensor) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(network, "the network"));
    MACAW_CHECK(wanted(tensor, "the place for the input"));
    return describe("input", network->artifact().inputs, network->input_sizes, index, *tensor);
  });
}

macaw_network_status macaw_network_output(const macaw_network* network, size_t index, macaw_network_tensor* tensor) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(network, "the network"));
    MACAW_CHECK(wanted(tensor, "the place for the output"));
    return describe("output", network->artifact().outputs, network->output_sizes, index, *tensor);
  });
}

macaw_network_status macaw_network_run(const macaw_network* network, const void* const* inputs, size_t input_count,
                                       void* const* outputs, size_t output_count, int threads) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(network, "the network"));
    MACAW_CHECK(network->run(inputs, input_count, outputs, output_count, threads, {}));
    return {};
  });
}

const char* macaw_network_message(void) { return c_call::last_message().c_str(); }
