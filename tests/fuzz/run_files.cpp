#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>
#include <vector>

#include "tests/fuzz/target.hpp"

// Runs a fuzz target without libFuzzer: macaw_fuzz_files TARGET FILE_OR_FOLDER...

using Target = int (*)(const std::uint8_t*, std::size_t);
#define MACAW_FUZZ_TARGET(name) extern "C" int fuzz_##name(const std::uint8_t*, std::size_t);
#include "fuzz_targets.def"
#undef MACAW_FUZZ_TARGET

namespace {

struct Named {
  std::string_view name;
  Target run;
};
constexpr Named kTargets[] = {
#define MACAW_FUZZ_TARGET(name) {#name, fuzz_##name},
#include "fuzz_targets.def"
#undef MACAW_FUZZ_TARGET
};

void run_file(Target target, const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  unsigned files = 0;
  for (const auto& target : kTargets)
    if (argc > 2 && target.name == argv[1])
      for (int i = 2; i < argc; ++i) {
        std::vector<std::filesystem::path> found{argv[i]};
        if (std::filesystem::is_directory(argv[i]))
          found = {std::filesystem::directory_iterator(argv[i]), std::filesystem::directory_iterator()};
        for (const auto& file : found) run_file(target.run, file), ++files;
      }
  std::cout << files << " files\n";
  return files != 0 ? 0 : 1;
}
