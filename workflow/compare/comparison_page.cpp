#include "workflow/compare/comparison.hpp"

namespace macaw::compare {
namespace {

using Json = nlohmann::json;

Json values(const Tensor& tensor) {
  auto list = Json::array();
  for (std::int64_t i = 0; i < tensor.size(); ++i) list.push_back(integer_at(tensor, i));
  return list;
}

}  // namespace

Json page_json(const Comparison& comparison) {
  auto page = to_json(comparison);
  page["expected"] = comparison.kind;
  page["text"] = to_text(comparison, false);
  page["pictures"] = Json::array();
  for (const auto& run : comparison.runs)
    for (const auto& picture : run.pictures)
      page["pictures"].push_back({{"run", run.inputs},
                                  {"tensor", picture.tensor},
                                  {"shape", picture.expected.shape()},
                                  {"expected", values(picture.expected)},
                                  {"sim", values(picture.actual)}});
  return page;
}

}  // namespace macaw::compare
