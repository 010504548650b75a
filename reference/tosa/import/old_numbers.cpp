#include "reference/tosa/import/old_numbers.hpp"

#include <algorithm>

// Files of 1.1 that Macaw wrote with numbers of its own are stamped 1.1.0 draft, do not say which software wrote them,
// as those of today do, and have every name of a region and block behind its contents, as no other known writer puts
// them: Arm's libraries and flatc begin a block with its name (tosa_serialization_lib,
// src/tosa_serialization_handler.cpp and python/serializer/tosa_serializer.py). Up to the last number of 1.0 all of
// them mean the same.

namespace macaw::tosa {
namespace {

/// Calls holds(element) until it is false; the lists of a flatbuffer may be absent.
template <class List, class F>
bool all_of(const List* list, F holds) {
  return !list || std::all_of(list->begin(), list->end(), holds);
}

/// Flatbuffers are written from the end: what was written later has the lower address.
template <class List>
bool named_last(const flatbuffers::String* name, const List* contents) {
  return name && all_of(contents, [&](const auto* part) {
           return reinterpret_cast<const std::uint8_t*>(name) < reinterpret_cast<const std::uint8_t*>(part);
         });
}

bool is_old_layout(const v1::TosaGraph& graph) {
  return all_of(graph.regions(), [](const auto* region) {
    return named_last(region->name(), region->blocks()) &&
           all_of(region->blocks(), [](const auto* block) { return named_last(block->name(), block->operators()); });
  });
}

bool is_of_1_0(const v1::TosaGraph& graph) {
  return all_of(graph.regions(), [](const auto* region) {
    return all_of(region->blocks(), [](const auto* block) {
      return all_of(block->operators(), [](const auto* op) { return op->op() <= v1::Op::CONST_SHAPE; }) &&
             all_of(block->tensors(), [](const auto* tensor) { return tensor->type() <= v1::DType::FP8E5M2; });
    });
  });
}

}  // namespace

Result<void> check_numbers(const v1::TosaGraph& graph, const std::string& name) {
  const auto& version = *graph.version();
  const bool stamped = version._major() == 1 && version._minor() == 1 && version._patch() == 0 && version._draft() &&
                       !graph.software_version();
  if (!stamped || is_of_1_0(graph) || !is_old_layout(graph)) return {};
  return fail(ErrorCode::kUnsupported,
              "a graph of the TOSA 1.1 draft with the operator and type numbers that Macaw used before Arm's were "
              "public (docs/FORMATS.md): write it again",
              {.file = name});
}

}  // namespace macaw::tosa
