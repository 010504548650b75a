#include "workflow/inference/price.hpp"

#include <array>

#include <fmt/format.h>

namespace macaw::inference {
namespace {

constexpr std::string_view kCountedCore = "cortex-m55", kCountedCompiler = "gcc-O2", kAnyCompiler = "any";

/// A class and a type as a table has them, and what stands between them and those that are wanted.
struct Wanted {
  std::string_view cls, type;
};

double cycles_of(const CostRow& row, const OperatorWork& work) {
  return row.fixed + row.element * work.elements + row.mac * work.macs;
}

Range range_of(const CostRow& row, const OperatorWork& work) {
  const double cycles = cycles_of(row, work);
  return {cycles * row.low, cycles, cycles * row.high};
}

const CostRow* find_row(const LibraryTable& library, Wanted wanted, std::string_view core, std::string_view compiler) {
  for (const auto& row : library.costs)
    if (row.cls == wanted.cls && row.type == wanted.type && row.core == core && row.compiler == compiler) return &row;
  return nullptr;
}

Price times(Price price, const PlatformEntry& entry) {
  if (price.cycles) price.cycles = *price.cycles * entry.range;
  price.source += fmt::format("; as {}: {}", entry.as, entry.source);
  return price;
}

/// Prices of one library's own rows.
class Pricing {
 public:
  Pricing(const CostTables& tables, const LibraryTable& library, const OperatorWork& work)
      : tables_(tables), library_(library), work_(work) {}

  [[nodiscard]] std::optional<Price> price(Wanted wanted, const std::string& core, const std::string& compiler) const {
    if (const auto found = on_core(wanted, core, compiler)) return found;
    const auto* other = tables_.find("core", core);
    if (other == nullptr || other->as.empty()) return std::nullopt;
    if (const auto found = on_core(wanted, other->as, compiler)) return times(*found, *other);
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::optional<Price> on_core(Wanted wanted, const std::string& core,
                                             const std::string& compiler) const {
    if (const auto found = by_compiler(wanted, core, compiler)) return found;
    const auto* other = tables_.find("compiler", compiler);
    if (other != nullptr && !other->as.empty())
      if (const auto found = by_compiler(wanted, core, other->as)) return times(*found, *other);
    if (const auto* scalar = tables_.find("scalar_core", core))
      if (const auto* row = find_row(library_, wanted, scalar->as, kAnyCompiler)) return times(plain(*row), *scalar);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Price> by_compiler(Wanted wanted, const std::string& core,
                                                 const std::string& compiler) const {
    for (const auto candidate : {std::string_view(compiler), kAnyCompiler})
      if (const auto* row = find_row(library_, wanted, core, candidate)) return plain(*row);
    // Another core than the one that all compilers were counted on: their ratio there.
    const auto* own = find_row(library_, wanted, core, kCountedCompiler);
    const auto* there = find_row(library_, wanted, kCountedCore, compiler);
    const auto* base = find_row(library_, wanted, kCountedCore, kCountedCompiler);
    if (own == nullptr || there == nullptr || base == nullptr) return std::nullopt;
    const double ratio = cycles_of(*there, work_) / cycles_of(*base, work_);
    Price price{range_of(*own, work_) * Range{ratio, ratio, ratio} * tables_.at("other_core", "ratio").range,
                own->source};
    price.source +=
        fmt::format("; {} takes {:.2f} times the cycles of {} on {}", compiler, ratio, kCountedCompiler, kCountedCore);
    return price;
  }

  [[nodiscard]] Price plain(const CostRow& row) const { return {range_of(row, work_), row.source}; }

  const CostTables& tables_;
  const LibraryTable& library_;
  const OperatorWork& work_;
};

/// The library and those that it names.
std::vector<const LibraryTable*> chain_of(const CostTables& tables, const std::string& library) {
  std::vector<const LibraryTable*> chain;
  const auto found = tables.libraries.find(library);
  if (found == tables.libraries.end()) return chain;
  chain.push_back(&found->second);
  for (const auto& name : found->second.otherwise)
    if (const auto other = tables.libraries.find(name); other != tables.libraries.end())
      chain.push_back(&other->second);
  return chain;
}

std::optional<Price> with_type(const CostTables& tables, const std::vector<const LibraryTable*>& chain,
                               const OperatorWork& work, std::string_view type, const Place& place) {
  for (const auto* library : chain) {
    const Pricing pricing(tables, *library, work);
    auto price = pricing.price({work.cls, type}, place.core, place.compiler);
    if (!price)
      if (const auto other = library->borrowed.find(work.cls); other != library->borrowed.end()) {
        price = pricing.price({other->second.as, type}, place.core, place.compiler);
        if (price) price = times(*price, other->second);
      }
    if (!price) continue;
    price->source = library->name + ": " + price->source;
    return price;
  }
  return std::nullopt;
}

}  // namespace

Price price_of(const CostTables& tables, const OperatorWork& work, const Place& place) {
  if (work.cls.empty()) return {std::nullopt, work.reason};
  const auto chain = chain_of(tables, place.library);
  if (const auto price = with_type(tables, chain, work, work.type, place)) return *price;
  if (const auto* other = tables.find("type", work.type))
    if (const auto price = with_type(tables, chain, work, other->as, place)) return times(*price, *other);
  return {std::nullopt,
          fmt::format("{} has no cost of class {} ({}) on {}", place.library, work.cls, work.type, place.core)};
}

}  // namespace macaw::inference
