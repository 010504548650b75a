#pragma once
#include <utility>
#include <vector>

#include "reference/tosa/import/block_names.hpp"
#include "reference/tosa/import/flatbuffer_reading.hpp"
#include "reference/tosa/import/import.hpp"
#include "reference/tosa/import/outer_values.hpp"

namespace macaw::tosa {

/// Whether more was read than lists without overlap can contain (each element of a list takes at most 8 times its bytes
/// in the file, and constants made from an attribute a little more).
inline bool overlaps(const BlockBuilder& builder, std::size_t file_size) {
  return builder.held_bytes() / 64 > file_size;
}

template <class GraphTable>
BlockNames block_names(const GraphTable& graph) {
  BlockNames names;
  if (graph.regions())
    for (const auto* region : *graph.regions()) {
      names.add_region(text(region->name()));
      if (region->blocks())
        for (const auto* block : *region->blocks()) names.add_block(text(block->name()));
    }
  return names;
}

/// Reads the blocks of a graph. A Schema knows the generated types of one version: verify(), graph(), check(), dtype(),
/// add_operator() and add_shapes().
template <class Schema>
class GraphImporter {
 public:
  GraphImporter(std::string name, const FileBytes& file)
      : name_(std::move(name)), file_size_(file.bytes.size()), budget_{file_size_, file.bytes, file.how} {}

  template <class GraphTable>
  Result<Graph> read(const GraphTable& in, const Version& version) {
    Graph graph;
    graph.version = version;
    BlockNames names = block_names(in);
    MACAW_CHECK(names.finish(name_));
    const auto& order = names.order();
    const auto table = [&](const BlockNames::Where& at) -> const auto& {
      return *in.regions()->Get(static_cast<unsigned>(at.region))->blocks()->Get(static_cast<unsigned>(at.block));
    };
    std::vector<BlockBuilder> builders;
    builders.reserve(order.size());
    for (const auto& at : order) MACAW_CHECK(read_values(builders.emplace_back(name_, at.name), table(at)));
    const OuterValues outer = values_of(builders);
    for (std::size_t b = 0; b < order.size(); ++b) {
      if (b > 0) builders[b].look_outside(outer);
      MACAW_CHECK(read_operators(builders[b], table(order[b])));
      MACAW_CHECK(names.resolve(builders[b].block(), order[b].region, name_));
    }
    builders.front().declare_variables();
    MACAW_CHECK(bind_outer_values(builders));
    for (auto& builder : builders) {
      MACAW_ASSIGN(auto block, builder.finish());
      graph.blocks.push_back(std::move(block));
    }
    return graph;
  }

 private:
  template <class BlockTable>
  Result<void> read_values(BlockBuilder& builder, const BlockTable& in) {
    if (in.tensors())
      for (const auto* tensor : *in.tensors())
        MACAW_CHECK(add_tensor(builder, *tensor, Schema::dtype(static_cast<std::uint32_t>(tensor->type())), budget_));
    MACAW_CHECK(Schema::add_shapes(builder, in, budget_));
    MACAW_ASSIGN(builder.block().inputs, find_all(builder, in.inputs(), "block " + builder.block().name));
    return {};
  }

  static OuterValues values_of(const std::vector<BlockBuilder>& builders) {
    OuterValues values;
    if (builders.size() > 1)
      for (const auto& builder : builders)
        for (auto value : builder.block().values) {
          value.data = nullptr;
          values.emplace(value.name, std::move(value));
        }
    return values;
  }

  template <class BlockTable>
  Result<void> read_operators(BlockBuilder& builder, const BlockTable& in) {
    if (in.operators()) {
      std::size_t index = 0;
      for (const auto* op : *in.operators()) {
        MACAW_CHECK(Schema::add_operator(builder, *op, fmt::format("operator {}", index++)));
        if (overlaps(builder, file_size_))
          return builder.error(ErrorCode::kInvalidFile, "the file's attribute lists overlap");
      }
    }
    MACAW_ASSIGN(builder.block().outputs, find_all(builder, in.outputs(), "block " + builder.block().name));
    return {};
  }

  std::string name_;
  std::size_t file_size_;
  DataBudget budget_;
};

/// `name` is used in messages.
template <class Schema>
Result<Graph> import_graph(const FileBytes& file, const Version& version, const std::string& name) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(file.bytes.data());
  flatbuffers::Verifier verifier(data, flatbuffer_size(file.bytes));
  if (!Schema::verify(verifier))
    return fail(ErrorCode::kInvalidFile, fmt::format("not a sound flatbuffer of TOSA {}", to_string(version)),
                Place{name, "", {}, {}});
  const auto& graph = Schema::graph(data);
  MACAW_CHECK(Schema::check(graph, name));
  return GraphImporter<Schema>(name, file).read(graph, version);
}

}  // namespace macaw::tosa
