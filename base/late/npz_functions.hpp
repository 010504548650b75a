#pragma once
#include <macaw/npy.hpp>

namespace macaw {

/// What a program that leaves archives to a library, which the first call loads, calls of it: libzip brings a library of
/// cryptography that takes as long to start with as a small graph takes to run.
struct NpzFunctions {
  const char* build;  ///< macaw_build of the library
  decltype(&parse_npz) parse;
  decltype(&read_npz) read;
  decltype(&write_npz) write;
};

}  // namespace macaw

extern "C" {
/// What --version says; written by the build.
extern const char* const macaw_build;
/// The library has it under this name.
extern const macaw::NpzFunctions macaw_npz_functions;
}
