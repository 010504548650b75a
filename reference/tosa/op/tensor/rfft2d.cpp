#include "reference/tosa/kernels/window/fourier.hpp"
#include "reference/tosa/op/tensor/fourier_rules.hpp"

namespace macaw::tosa::RFFT2D {
namespace {

constexpr Argument kArguments[] = {
    input("input_real").type("in_out_t").shape("[N,H,W]").rank(3),
    attribute("local_bound").type("bool_t"),
    output("output_real").type("in_out_t").shape("[N,H,W/2 + 1]").rank(3),
    output("output_imag").type("in_out_t").shape("[N,H,W/2 + 1]").rank(3),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_out_t"};

Shape output_shape(const V& v) {
  const auto& in = v.shape("input_real");
  return {in[0], in[1], in[2] / 2 + 1};
}

// The sines of these frequencies are all zero.
bool is_real(std::int64_t k, std::int64_t n) { return k == 0 || 2 * k == n; }

struct Transform {
  template <class T>
  static Result<void> run(Call& call) {
    const auto &shape = call.in(0).shape(), &out_shape = call.out(0).shape();
    const Fourier fourier{shape[1], shape[2], out_shape[2], false, shape[0], &call};
    const auto real = dot_product_input<T>(call, 0);
    auto *out_real = call.fill_data<T>(0).data(), *out_imag = call.fill_data<T>(1).data();
    for (std::int64_t n = 0; n < shape[0]; ++n) {
      fourier.run<T>(real.data() + n * shape[1] * shape[2], nullptr, out_real, out_imag);
      for (std::int64_t ky = 0; ky < shape[1]; ++ky)
        for (std::int64_t kx = 0; kx < out_shape[2]; ++kx)
          if (is_real(ky, shape[1]) && is_real(kx, shape[2])) out_imag[ky * out_shape[2] + kx] = 0;
      out_real += out_shape[1] * out_shape[2];
      out_imag += out_shape[1] * out_shape[2];
    }
    return {};
  }
};

constexpr TypeRow kRows[] = {row({kFP32}).in(kExtFft).by(float_kernel<Transform>)};
constexpr Check kChecks[] = {
    kFourierLevel<V>,
    kPowerOfTwoHeight<V>,
    kPowerOfTwoWidth<V>,
    error_if("output_real", "the outputs must have the input's batches and height and W/2 + 1 columns",
             [](const V& v) {
               return v.shape("output_real") != output_shape(v) || v.shape("output_imag") != output_shape(v);
             }),
};

Result<std::vector<Shape>> shapes(const V& v) { return std::vector<Shape>{output_shape(v), output_shape(v)}; }

}  // namespace

extern constexpr Definition kDefinition = {Op::kRFFT2D, kArguments, kTypes, kRows, kChecks, named<shapes>};

}  // namespace macaw::tosa::RFFT2D
