#include "tests/system/hostile/files/seeds.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>

namespace macaw::hostile {
namespace {

constexpr unsigned kDefaultRuns = 400;

std::vector<std::filesystem::path> existing(std::vector<std::string> bundled, const std::vector<std::string>& corpus) {
  const char* root = std::getenv("MACAW_CORPUS");
  std::vector<std::filesystem::path> files(bundled.begin(), bundled.end());
  for (const auto& name : corpus) files.push_back(std::filesystem::path(root ? root : "build/corpus") / "npu" / name);
  std::erase_if(files, [](const auto& file) {
    const bool missing = !std::filesystem::exists(file);
    if (missing) std::cout << "skipped, not there: " << file.string() << "\n";
    return missing;
  });
  return files;
}

}  // namespace

unsigned runs_per_seed() {
  const char* text = std::getenv("MACAW_HOSTILE_RUNS");
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : kDefaultRuns;
}

std::vector<std::filesystem::path> artifact_seeds() {
  return existing(
      {"traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz"},
      {"tosa_chain_resblock_i8/ethos-u55-128-Ethos_U55_High_End_Embedded-Shared_Sram-raw/"
       "tosa_chain_resblock_i8_vela.npz",
       "hello_world_int8/ethos-u55-128-Ethos_U55_High_End_Embedded-Shared_Sram-raw-legacy/"
       "hello_world_int8_vela_sg0.npz",
       "hello_world_int8/ethos-u55-128-Ethos_U55_High_End_Embedded-Shared_Sram-tflite/hello_world_int8_vela.tflite",
       "../thirdparty/executorch_pte/ethos_u_minimal_example.pte"});
}

std::vector<std::filesystem::path> graph_seeds() {
  return existing({"traces/tiny_cnn/tiny_cnn.tosa"},
                  {"tosa_chain_resblock_i8/model.tosa", "tosa_chain_conv_table_pad_concat_transpose/model.tosa",
                   "ref_cond_if_binary__cond_if_binary_0_i16_cond0/model.tosa"});
}

void mutate(std::vector<std::byte>& bytes, std::mt19937& random) {
  const auto place = [&] { return bytes.empty() ? 0 : random() % bytes.size(); };
  for (auto edits = 1 + random() % 4; edits > 0 && !bytes.empty(); --edits) {
    const auto at = place();
    const auto length = std::min<std::size_t>(1 + random() % 16, bytes.size() - at);
    switch (random() % 6) {
      case 0: bytes[at] ^= static_cast<std::byte>(1u << random() % 8); break;
      case 1: bytes[at] = static_cast<std::byte>(random()); break;
      case 2:
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length,
                    random() % 2 ? std::byte{0xFF} : std::byte{0});
        break;
      case 3:
        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    bytes.begin() + static_cast<std::ptrdiff_t>(at + length));
        break;
      case 4: {
        const std::vector<std::byte> copy(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                          bytes.begin() + static_cast<std::ptrdiff_t>(at + length));
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(place()), copy.begin(), copy.end());
        break;
      }
      default:
        std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                         bytes.begin() + static_cast<std::ptrdiff_t>(at + length / 2),
                         bytes.begin() + static_cast<std::ptrdiff_t>(at + length - length / 2));
        break;
    }
  }
}

}  // namespace macaw::hostile
