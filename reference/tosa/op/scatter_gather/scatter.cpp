#include <cstring>

#include "reference/tosa/kernels/move/move.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/scatter_gather/rows.hpp"

namespace macaw::tosa::SCATTER {
namespace {

constexpr Check kIndexOnce = found_by_kernel("indices", "an index must not appear twice in a batch");

constexpr Argument kArguments[] = {
    input("values_in").type("in_out_t").shape("[N,K,C]").rank(3),
    input("indices").type("index_t").shape("[N,W]").rank(2),
    input("input").type("in_out_t").shape("[N,W,C]").rank(3),
    output("values_out").type("in_out_t").shape("[N,K,C]").rank(3),
};

template <class Index>
struct Scatter {
  static Result<void> kernel(Call& call) {
    const auto &shape = call.in(0).shape(), &in_shape = call.in(2).shape();
    const auto rows = shape[1];
    const auto row_bytes = static_cast<std::size_t>(shape[2]) * size_of(call.in(0).dtype());
    const auto* index = call.in_data<Index>(1).data();
    const auto* in = call.in(2).bytes().data();
    auto* out = call.out(0).uninitialized_bytes().data();
    copy_all(call, call.in(0).bytes().data(), call.in(0).bytes().size(), out);
    std::vector<bool> written(static_cast<std::size_t>(shape[0] * rows));
    bool inside_all = true, once = true;
    for (std::int64_t n = 0; n < in_shape[0]; ++n)
      for (std::int64_t w = 0; w < in_shape[1]; ++w, ++index, in += row_bytes) {
        const bool inside = *index >= 0 && *index < rows;
        inside_all &= inside;
        if (!inside || row_bytes == 0) continue;
        const auto row = static_cast<std::size_t>(n * rows + *index);
        once &= !written[row];
        written[row] = true;
        std::memcpy(out + row * row_bytes, in, row_bytes);
      }
    call.require(inside_all, kIndexInRange);
    call.require(once, kIndexOnce);
    return {};
  }
};

constexpr Check kChecks[] = {kIndexInRange, kIndexOnce};

}  // namespace

extern constexpr Definition kDefinition = {Op::kSCATTER, kArguments, kIndexedTypes, kIndexedRows<Scatter>, kChecks};

}  // namespace macaw::tosa::SCATTER
