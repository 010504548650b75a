#include "reference/tosa/import/block_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace macaw::tosa {

void BlockNames::add_region(std::string name) { regions_.push_back({std::move(name), {}, {}}); }
void BlockNames::add_block(std::string name) { regions_.back().blocks.push_back(std::move(name)); }

Result<void> BlockNames::finish(const std::string& file) {
  const auto error = [&](std::string message) {
    return fail(ErrorCode::kInvalidFile, std::move(message), Place{file, "", {}, {}});
  };
  if (regions_.empty()) return error("the graph has no region");
  auto main = std::ranges::find(regions_, "main", &Region::name);
  if (main == regions_.end()) main = regions_.begin();
  if (main->blocks.empty()) return error(fmt::format("region \"{}\" has no block", main->name));
  const auto main_index = static_cast<std::size_t>(main - regions_.begin());
  std::set<std::string> taken;
  for (std::size_t r = 0; r < regions_.size(); ++r) {
    auto& region = regions_[r];
    std::set<std::string> in_region;
    for (std::size_t b = 0; b < region.blocks.size(); ++b) {
      if (!in_region.insert(region.blocks[b]).second)
        return error(fmt::format("region \"{}\" has two blocks named \"{}\"", region.name, region.blocks[b]));
      const auto& plain = b == 0 ? region.name : region.blocks[b];
      auto name = plain;
      for (std::size_t n = 0; !taken.insert(name).second; ++n) name = fmt::format("{}/{}.{}", region.name, plain, n);
      region.unique.push_back(name);
      Where where{r, b, name};
      if (r == main_index && b == 0) order_.insert(order_.begin(), std::move(where));
      else order_.push_back(std::move(where));
    }
  }
  return {};
}

Result<void> BlockNames::resolve(Block& block, std::size_t region, const std::string& file) const {
  for (std::size_t i = 0; i < block.operators.size(); ++i)
    for (const auto attribute : {Attr::k_then_graph, Attr::k_else_graph, Attr::k_cond_graph, Attr::k_body_graph}) {
      if (!block.operators[i].find(attribute)) continue;
      const auto& wanted = block.operators[i].get_string(attribute);
      const auto named = std::ranges::find(regions_, wanted, &Region::name);
      const auto& own = regions_[region];
      const auto inner = std::ranges::find(own.blocks, wanted);
      if (named != regions_.end() && !named->blocks.empty()) {
        block.operators[i].set(attribute, named->unique.front());
      } else if (inner != own.blocks.end()) {
        block.operators[i].set(attribute, own.unique[static_cast<std::size_t>(inner - own.blocks.begin())]);
      } else {
        return fail(ErrorCode::kInvalidGraph,
                    fmt::format("{} \"{}\" names no region and no block", to_string(attribute), wanted),
                    Place{file, describe(block, i), {}, {}});
      }
    }
  return {};
}

}  // namespace macaw::tosa
