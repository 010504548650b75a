#include "app/run_program.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string_view>

#include "app/command.hpp"
#include "app/memory_limit.hpp"
#include "app/stack_limit.hpp"
#include "app/standard_streams.hpp"

namespace macaw::app {

namespace {

const char* running = "macaw";

/// Reports it without allocating memory.
int out_of_memory() {
  std::fprintf(
      stderr,
      "%smacaw: not enough memory while running '%s': --max-memory allows %llu bytes, the system perhaps fewer\n",
      error_mark(), running, static_cast<unsigned long long>(memory_limit()));
  return kInvalid;
}

int no_stack() {
  std::fputs("macaw: the system allows less stack than any run needs (ulimit -s): set it to 512 KiB or more\n", stderr);
  return kInvalid;
}

/// std::filesystem throws this for a path that the system rejects: too long, a loop of links, a folder without
/// permission.
int bad_path(const std::filesystem::filesystem_error& error) {
  std::fprintf(stderr, "%smacaw: %s\n", error_mark(),
               Error{ErrorCode::kIo, error.code().message(), {.file = error.path1().string()}}.to_string().c_str());
  return kInvalid;
}

int internal_error(const char* what) {
  print_stderr("{}macaw: internal error: {}\n", error_mark(), what);
  return kInternal;
}

std::atomic<bool> ran_out_of_memory = false;

/// Called by operator new when memory runs out.
void no_memory() {
  ran_out_of_memory = true;
  throw std::bad_alloc();
}

/// Handles exceptions in functions that must not throw: destructors of the JSON library allocate memory, and so does
/// copying a value in a Result. g++ does not always report the exception's type.
[[noreturn]] void terminated() {
  try {
    if (const auto exception = std::current_exception()) std::rethrow_exception(exception);
    if (ran_out_of_memory) throw std::bad_alloc();
  } catch (const std::bad_alloc&) {
    std::exit(out_of_memory());
  } catch (const std::filesystem::filesystem_error& e) {
    std::exit(bad_path(e));
  } catch (const std::exception& e) {
    std::exit(internal_error(e.what()));
  } catch (...) {
  }
  std::exit(internal_error("terminated"));
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  // Only printed if it can be the name of a subcommand.
  if (argc > 1 && std::string_view(argv[1]).find_first_not_of("abcdefghijklmnopqrstuvwxyz_-") == std::string_view::npos)
    running = argv[1];
  if (!ensure_stack()) return no_stack();
  std::set_terminate(terminated);
  std::set_new_handler(no_memory);
  try {
    prepare_streams();
    prepare_heap();
    return run_command_line(program, argc, argv);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {
    return out_of_memory();
  } catch (const std::filesystem::filesystem_error& e) {
    return bad_path(e);
  } catch (const std::exception& e) {
    return internal_error(e.what());
  }
}

}  // namespace macaw::app
