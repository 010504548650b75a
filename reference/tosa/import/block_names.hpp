#pragma once
#include <macaw/tosa/graph.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace macaw::tosa {

/// Names of a graph's blocks. A file has regions of blocks; COND_IF and WHILE_LOOP name a region, meaning its first
/// block, or (older writers) a block of their own region. The graph has one list of blocks with unique names.
class BlockNames {
 public:
  struct Where {
    std::size_t region, block;
    std::string name;
  };
  void add_region(std::string name);
  void add_block(std::string name);  ///< of the last region
  /// The main block is the first of the region "main", or else of the first region; it is the first of order().
  Result<void> finish(const std::string& file);
  [[nodiscard]] const std::vector<Where>& order() const { return order_; }
  /// Rewrites the graph attributes of a block's operators to the unique names.
  Result<void> resolve(Block& block, std::size_t region, const std::string& file) const;

 private:
  struct Region {
    std::string name;
    std::vector<std::string> blocks, unique;
  };
  std::vector<Region> regions_;
  std::vector<Where> order_;
};

}  // namespace macaw::tosa
