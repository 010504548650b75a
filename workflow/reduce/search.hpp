#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "workflow/reduce/network.hpp"

namespace macaw::reduce {

/// Whether a network still fails as the first did. It is called by several threads, and may return early (with any
/// answer) once `cancelled` says so.
using StillFails = std::function<Result<bool>(const Network& network, const std::function<bool()>& cancelled)>;

/// Delta debugging (Zeller and Hildebrandt, Simplifying and isolating failure-inducing input, 2002): first operators,
/// then simpler networks of the same operators, until nothing simpler fails. Of candidates always the first that fails
/// is taken, so that the result is the same with any number of threads.
class Search {
 public:
  /// `improved` is called with each network that is taken, `stop` ends the search.
  Search(StillFails still_fails, unsigned jobs, std::function<void(const Network&)> improved,
         std::function<bool()> stop)
      : still_fails_(std::move(still_fails)), jobs_(jobs), improved_(std::move(improved)), stop_(std::move(stop)) {}

  /// The smallest network found, which is `network` itself where nothing smaller fails. Errors: those of StillFails.
  [[nodiscard]] Result<NetworkPtr> run(NetworkPtr network);

 private:
  struct Found {
    std::size_t index = 0;
    NetworkPtr network;
  };

  /// The first of the candidates that fails.
  [[nodiscard]] Result<std::optional<Found>> first(const std::vector<Candidate>& candidates);
  [[nodiscard]] Result<bool> drop_operators(NetworkPtr& network);
  [[nodiscard]] Result<bool> simplify(NetworkPtr& network);

  StillFails still_fails_;
  unsigned jobs_;
  std::function<void(const Network&)> improved_;
  std::function<bool()> stop_;
};

}  // namespace macaw::reduce
