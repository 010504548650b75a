#pragma once
#include <cstdint>

namespace macaw::app {

/// Lets the heap reuse freed blocks of up to 32 MiB and requests large pages from the system: page faults of 4 KiB
/// pages take a sixth of a short run's time.
void prepare_heap();

/// Default of --max-memory in bytes: 4 GiB, or 3/4 of the machine's memory if that is less.
[[nodiscard]] std::uint64_t default_memory_limit();

/// Makes allocations beyond `bytes` fail, which ends in a message and exit code 3. A lower limit of the system remains.
/// No effect under sanitizers, which need memory of their own.
void limit_memory(std::uint64_t bytes);

/// Bytes that limit_memory() allows.
[[nodiscard]] std::uint64_t memory_limit();

}  // namespace macaw::app
