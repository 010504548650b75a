#pragma once
#include <cstdint>

namespace macaw::app {

/// Has blocks of up to 32 MiB that are freed serve those that ask next, and asks the system for large pages: one new
/// page of 4 KiB after the other takes a sixth of a short run's time.
void prepare_heap();

/// Bytes that a run may take unless --max-memory says more: 4 GiB, or 3/4 of the machine's memory if that is less.
[[nodiscard]] std::uint64_t default_memory_limit();

/// Memory of the process beyond `bytes` is an allocation that fails, which ends in a message and exit code 3. A lower
/// limit that the system has set stays. Nothing happens under sanitizers, which take memory of their own.
void limit_memory(std::uint64_t bytes);

/// Bytes that limit_memory() allows.
[[nodiscard]] std::uint64_t memory_limit();

}  // namespace macaw::app
