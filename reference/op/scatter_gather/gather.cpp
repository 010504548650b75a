#include <cstring>

#include "reference/op/scatter_gather/rows.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "values", "in_out_t", "[N,K,C]", 3, 3},
    {Category::kInput, "indices", "index_t", "[N,W]", 2, 2},
    {Category::kOutput, "output", "in_out_t", "[N,W,C]", 3, 3},
};

template <class Index>
struct Gather {
  static Result<void> kernel(Call& call) {
    const auto &shape = call.in(0).shape(), &out_shape = call.out(0).shape();
    const auto rows = shape[1];
    const auto row_bytes = static_cast<std::size_t>(shape[2]) * size_of(call.in(0).dtype());
    const auto* values = call.in(0).bytes().data();
    const auto* index = call.in_data<Index>(1).data();
    auto* out = call.out(0).bytes().data();
    bool holds = true;
    for (std::int64_t n = 0; n < out_shape[0]; ++n)
      for (std::int64_t w = 0; w < out_shape[1]; ++w, ++index, out += row_bytes) {
        const bool inside = *index >= 0 && *index < rows;
        holds &= inside;
        if (inside && row_bytes > 0)
          std::memcpy(out, values + static_cast<std::size_t>(n * rows + *index) * row_bytes, row_bytes);
      }
    call.require(holds, kIndexInRange);
    return {};
  }
};

constexpr Check kChecks[] = {kIndexInRange};

}  // namespace

extern constexpr Definition kGATHER = {Op::kGATHER, kArguments, kIndexedTypes, kIndexedRows<Gather>, kChecks};

}  // namespace macaw::tosa
