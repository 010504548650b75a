#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/kernels/move/move.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/elementwise/broadcast_rule.hpp"

namespace macaw::tosa::SELECT {
namespace {

constexpr Argument kArguments[] = {
    input("input1").type("bool_t").shape("shape1"),
    input("input2").type("in_out_t").shape("shape2"),
    input("input3").type("in_out_t").shape("shape3"),
    output("output").type("in_out_t").shape("shape"),
};

/// Bitwise, so that the loop has no branch. Of an operand that does not advance there is one element.
template <class T, bool kAdvanceYes, bool kAdvanceNo>
void choose(const std::uint8_t* choice, const T* yes, const T* no, T* out, std::int64_t count) {
  const T first_yes = *yes, first_no = *no;
  for (std::int64_t i = 0; i < count; ++i) {
    const T mask = choice[i] != 0 ? static_cast<T>(-1) : T{0};
    const T a = kAdvanceYes ? yes[i] : first_yes, b = kAdvanceNo ? no[i] : first_no;
    out[i] = static_cast<T>((a & mask) | (b & static_cast<T>(~mask)));
  }
}

template <class T>
void select(Call& call) {
  const BroadcastWalk walk(call.out(0).shape(), call.inputs);
  const auto* choice = call.in_data<std::uint8_t>(0).data();
  const auto* yes = call.in_data<T>(1).data();
  const auto* no = call.in_data<T>(2).data();
  auto* out = call.fill_data<T>(0).data();
  const bool every_choice = walk.advances(0), every_yes = walk.advances(1), every_no = walk.advances(2);
  const auto loop = every_yes && every_no ? best_version<choose<T, true, true>>(call.kernels)
                    : every_yes           ? best_version<choose<T, true, false>>(call.kernels)
                    : every_no            ? best_version<choose<T, false, true>>(call.kernels)
                                          : best_version<choose<T, false, false>>(call.kernels);
  split(call, walk.size(), kLeastElements, [&](std::size_t first, std::size_t end) {
    walk.for_each_run(first, end, [&](const BroadcastWalk::Run& run) {
      const auto* c = choice + run.in[0];
      const auto *a = yes + run.in[1], *b = no + run.in[2];
      auto* to = out + run.out;
      if (every_choice) loop(c, a, b, to, run.length);
      else if (*c ? every_yes : every_no) std::copy_n(*c ? a : b, run.length, to);
      else std::fill_n(to, run.length, *c ? *a : *b);
    });
  });
}

Result<void> kernel(Call& call) {
  with_element(call.out(0).dtype(), [&]<class T>(std::type_identity<T>) { select<T>(call); });
  return {};
}

constexpr TypeRow kRows[] = {
    row({kBOOL}).in(kProIntOrFp).by(kernel),
    row({kINT8}).in(kProInt).by(kernel),
    row({kINT16}).in(kProInt).by(kernel),
    row({kINT32}).in(kProInt).by(kernel),
    row({kINT64}).in(kExtInt64).since(1, 1).by(kernel),
    row({kFP16}).in(kProFp).by(kernel),
    row({kBF16}).in(kExtBf16).by(kernel),
    row({kFP32}).in(kProFp).by(kernel),
};
constexpr Check kChecks[] = {kBroadcastCheck};

}  // namespace

extern constexpr Definition kDefinition = {Op::kSELECT, kArguments, kInOutType, kRows, kChecks, broadcast_shapes};

}  // namespace macaw::tosa::SELECT
