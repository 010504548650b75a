#include <algorithm>
#include <atomic>

#include "reference/tosa/kernels/workers.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/scatter_gather/rows.hpp"

namespace macaw::tosa::GATHER {
namespace {

constexpr Argument kArguments[] = {
    input("values").type("in_out_t").shape("[N,K,C]").rank(3),
    input("indices").type("index_t").shape("[N,W]").rank(2),
    output("output").type("in_out_t").shape("[N,W,C]").rank(3),
};

template <class Index>
struct Gather {
  static Result<void> kernel(Call& call) {
    const auto &shape = call.in(0).shape(), &out_shape = call.out(0).shape();
    const auto rows = shape[1];
    const auto row_bytes = static_cast<std::size_t>(shape[2]) * size_of(call.in(0).dtype());
    const auto* values = call.in(0).bytes().data();
    const auto* index = call.in_data<Index>(1).data();
    auto* out = call.out(0).uninitialized_bytes().data();
    const auto width = out_shape[1];
    std::atomic<bool> holds = true;
    split(call, static_cast<std::size_t>(out_shape[0] * width),
          kLeastElements / std::max<std::size_t>(row_bytes, 1) + 1, [&](std::size_t first, std::size_t end) {
            for (auto i = first; i < end; ++i) {
              const auto batch = static_cast<std::int64_t>(i) / width;
              const bool inside = index[i] >= 0 && index[i] < rows;
              if (!inside) holds = false;
              auto* to = out + i * row_bytes;
              if (inside)
                std::copy_n(values + static_cast<std::size_t>(batch * rows + index[i]) * row_bytes, row_bytes, to);
              else std::fill_n(to, row_bytes, std::byte{});
            }
          });
    call.require(holds, kIndexInRange);
    return {};
  }
};

constexpr Check kChecks[] = {kIndexInRange};

}  // namespace

extern constexpr Definition kDefinition = {Op::kGATHER, kArguments, kIndexedTypes, kIndexedRows<Gather>, kChecks};

}  // namespace macaw::tosa::GATHER
