// Runs the delegate of an ExecuTorch program by ExecuTorch's own EthosUBackend: init, executions, destroy.
// delegate PROCESSED OUTPUT BYTES INPUT...: int8 inputs, and an int8 output of so many bytes. The backend for Linux has
// no core driver to initialise (MACAW_WITHOUT_CORE_DRIVER).
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/platform/runtime.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#ifndef MACAW_WITHOUT_CORE_DRIVER
extern "C" {
#include <ethosu_driver.h>
}
#endif

namespace et = executorch::runtime;

namespace {

constexpr std::size_t kAlignment = 16;  // of ExecuTorch's processed data
constexpr std::size_t kPool = 64 << 20;

std::vector<char> load(const char* file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// An int8 tensor of one dimension on bytes that it does not own.
struct Bytes {
  explicit Bytes(std::vector<char>& data)
      : sizes{static_cast<executorch::aten::SizesType>(data.size())},
        impl(executorch::aten::ScalarType::Char, 1, sizes, data.data(), order, strides),
        value(executorch::aten::Tensor(&impl)) {}

  executorch::aten::SizesType sizes[1];
  executorch::aten::DimOrderType order[1] = {0};
  executorch::aten::StridesType strides[1] = {1};
  executorch::aten::TensorImpl impl;
  et::EValue value;
};

/// The NPU of the backend for bare metal.
class CoreDriver {
 public:
#ifdef MACAW_WITHOUT_CORE_DRIVER
  [[nodiscard]] bool initialised() const { return true; }
#else
  CoreDriver() : initialised_(ethosu_init(&driver_, reinterpret_cast<void*>(0x48102000), nullptr, 0, 1, 1) == 0) {}
  CoreDriver(const CoreDriver&) = delete;
  CoreDriver& operator=(const CoreDriver&) = delete;
  ~CoreDriver() {
    if (initialised_) ethosu_deinit(&driver_);
  }
  [[nodiscard]] bool initialised() const { return initialised_; }

 private:
  ethosu_driver driver_ = {};
  bool initialised_;
#endif
};

int fail(const char* what) {
  std::fprintf(stderr, "delegate: %s\n", what);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return fail("PROCESSED OUTPUT BYTES INPUT...");
  et::runtime_init();
  const CoreDriver driver;
  if (!driver.initialised()) return fail("no NPU");

  const std::vector<char> file = load(argv[1]);
  const std::unique_ptr<char, decltype(&std::free)> processed(
      static_cast<char*>(std::aligned_alloc(kAlignment, (file.size() + kAlignment - 1) / kAlignment * kAlignment)),
      std::free);
  std::copy(file.begin(), file.end(), processed.get());
  et::FreeableBuffer buffer(processed.get(), file.size(), nullptr);

  std::vector<std::uint8_t> pool(kPool), temporary(kPool);
  et::MemoryAllocator allocator(kPool, pool.data());
  et::BackendInitContext init(&allocator);
  const auto* backend = et::get_backend_class("EthosUBackend");
  if (backend == nullptr || !backend->is_available()) return fail("EthosUBackend is not registered");
  auto handle = backend->init(init, &buffer, {});
  if (!handle.ok()) return fail("init");

  std::vector<std::vector<char>> tensors;
  for (int i = 4; i < argc; ++i) tensors.push_back(load(argv[i]));
  tensors.emplace_back(std::stoul(argv[3]));
  std::deque<Bytes> arguments;
  std::vector<et::EValue*> values;
  for (auto& tensor : tensors) values.push_back(&arguments.emplace_back(tensor).value);
  for (int run = 0; run < 2; ++run) {
    et::MemoryAllocator scratch(kPool, temporary.data());
    et::BackendExecutionContext execution(nullptr, &scratch);
    if (backend->execute(execution, *handle, {values.data(), values.size()}) != et::Error::Ok) return fail("execute");
  }
  backend->destroy(*handle);
  std::ofstream(argv[2], std::ios::binary)
      .write(tensors.back().data(), static_cast<std::streamsize>(tensors.back().size()));
  return 0;
}
