#include "device/network/network.hpp"

#include <algorithm>

#include <fmt/format.h>

using namespace macaw;

struct macaw_network_session {
  explicit macaw_network_session(const macaw_network& of) : network(of) {}
  /// Reads the contents before the first run.
  Result<void> start() {
    MACAW_ASSIGN(state, network.prepared.initial_variables());
    return {};
  }

  const macaw_network& network;
  std::vector<Tensor> state;  ///< in the order of Artifact::variables
};

namespace {

using c_call::wanted;
using network_library::guarded;

/// Checks the index of a variable and its size in bytes.
Result<void> check_state(const macaw_network_session* session, std::size_t index, std::size_t size,
                         const void* contents) {
  MACAW_CHECK(wanted(session, "the session"));
  MACAW_CHECK(wanted(contents, "the contents"));
  const auto& sizes = session->network.state_sizes;
  if (index >= sizes.size())
    return fail(ErrorCode::kUsage, fmt::format("the network has {} variables, none of index {}", sizes.size(), index));
  if (size != sizes[index])
    return fail(ErrorCode::kMismatch, fmt::format("variable {} has {} bytes, not {}", index, sizes[index], size));
  return {};
}

}  // namespace

size_t macaw_network_state_count(const macaw_network* network) { return network ? network->state_sizes.size() : 0; }

macaw_network_status macaw_network_state(const macaw_network* network, size_t index, macaw_network_tensor* tensor) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(network, "the network"));
    MACAW_CHECK(wanted(tensor, "the place for the variable"));
    return network_library::describe("variable", network->artifact().variables, network->state_sizes, index, *tensor);
  });
}

macaw_network_status macaw_network_session_create(const macaw_network* network, macaw_network_session** session) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(session, "the place for the session"));
    *session = nullptr;
    MACAW_CHECK(wanted(network, "the network"));
    auto created = std::make_unique<macaw_network_session>(*network);
    MACAW_CHECK(created->start());
    *session = created.release();
    return {};
  });
}

void macaw_network_session_destroy(macaw_network_session* session) { delete session; }

macaw_network_status macaw_network_session_run(macaw_network_session* session, const void* const* inputs,
                                               size_t input_count, void* const* outputs, size_t output_count,
                                               int threads) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(session, "the session"));
    MACAW_ASSIGN(session->state,
                 session->network.run(inputs, input_count, outputs, output_count, threads, session->state));
    return {};
  });
}

macaw_network_status macaw_network_session_reset(macaw_network_session* session) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(wanted(session, "the session"));
    return session->start();
  });
}

macaw_network_status macaw_network_session_get_state(const macaw_network_session* session, size_t index, void* contents,
                                                     size_t size) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(check_state(session, index, size, contents));
    std::ranges::copy(session->state[index].bytes(), static_cast<std::byte*>(contents));
    return {};
  });
}

macaw_network_status macaw_network_session_set_state(macaw_network_session* session, size_t index, const void* contents,
                                                     size_t size) {
  return guarded([&]() -> Result<void> {
    MACAW_CHECK(check_state(session, index, size, contents));
    std::copy_n(static_cast<const std::byte*>(contents), size, session->state[index].bytes().data());
    return {};
  });
}
