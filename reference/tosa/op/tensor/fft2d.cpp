#include "reference/tosa/kernels/window/fourier.hpp"
#include "reference/tosa/op/tensor/fourier_rules.hpp"

namespace macaw::tosa::FFT2D {
namespace {

constexpr Argument kArguments[] = {
    input("input_real").type("in_out_t").shape("[N,H,W]").rank(3),
    input("input_imag").type("in_out_t").shape("[N,H,W]").rank(3),
    attribute("inverse").type("bool_t"),
    attribute("local_bound").type("bool_t"),
    output("output_real").type("in_out_t").shape("[N,H,W]").rank(3),
    output("output_imag").type("in_out_t").shape("[N,H,W]").rank(3),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_out_t"};

struct Transform {
  template <class T>
  static Result<void> run(Call& call) {
    const auto& shape = call.in(0).shape();
    const Fourier fourier{shape[1], shape[2], shape[2], call.attr(Attr::k_inverse) != 0, shape[0], &call};
    const auto real = dot_product_input<T>(call, 0), imag = dot_product_input<T>(call, 1);
    auto *out_real = call.fill_data<T>(0).data(), *out_imag = call.fill_data<T>(1).data();
    for (std::int64_t at = 0; at < call.in(0).size(); at += shape[1] * shape[2])
      fourier.run(real.data() + at, imag.data() + at, out_real + at, out_imag + at);
    return {};
  }
};

constexpr TypeRow kRows[] = {row({kFP32}).in(kExtFft).by(float_kernel<Transform>)};
constexpr Check kChecks[] = {kFourierLevel<V>, kPowerOfTwoHeight<V>, kPowerOfTwoWidth<V>};

}  // namespace

extern constexpr Definition kDefinition = {Op::kFFT2D, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa::FFT2D
