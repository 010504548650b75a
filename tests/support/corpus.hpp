#pragma once
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace macaw::test {

/// A path in the corpus: MACAW_CORPUS, or else build/corpus.
inline std::filesystem::path corpus(const std::filesystem::path& part) {
  const char* root = std::getenv("MACAW_CORPUS");
  return std::filesystem::path(root ? root : "build/corpus") / part;
}

/// Whether the corpus has this path; where it does not, a line says that the test is skipped.
inline bool in_corpus(const std::filesystem::path& part) {
  if (std::filesystem::exists(corpus(part))) return true;
  std::printf("skipped: %s is not there (set MACAW_CORPUS)\n", corpus(part).c_str());
  return false;
}

}  // namespace macaw::test
