#include "reference/op/tensor/fourier.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input_real", "in_out_t", "[N,H,W]", 3, 3},
    {Category::kAttribute, "local_bound", "bool_t"},
    {Category::kOutput, "output_real", "in_out_t", "[N,H,W/2 + 1]", 3, 3},
    {Category::kOutput, "output_imag", "in_out_t", "[N,H,W/2 + 1]", 3, 3},
};
constexpr std::string_view kTypes[] = {"in_out_t"};

Shape output_shape(const View& v) {
  const auto& in = v.in_shape(0);
  return {in[0], in[1], in[2] / 2 + 1};
}

// The sines of these frequencies are all zero.
bool is_real(std::int64_t k, std::int64_t n) { return k == 0 || 2 * k == n; }

// In double in every run: the rounding of the fast algorithm is then below that of the output.
Result<void> kernel(Call& call) {
  const auto &shape = call.in(0).shape(), &out_shape = call.out(0).shape();
  const Fourier fourier{shape[1], shape[2], out_shape[2], false};
  const auto real = dot_product_input<double>(call, 0);
  const std::vector<double> imag(static_cast<std::size_t>(shape[1] * shape[2]));
  FloatOutput<double> out_real(call.out(0)), out_imag(call.out(1));
  auto *to_real = out_real.data(), *to_imag = out_imag.data();
  for (std::int64_t n = 0; n < shape[0]; ++n) {
    const auto* in = real.data() + n * shape[1] * shape[2];
    if (call.bounds) fourier.direct(in, imag.data(), to_real, to_imag, true);
    else fourier.transform(in, imag.data(), to_real, to_imag);
    for (std::int64_t ky = 0; ky < shape[1]; ++ky)
      for (std::int64_t kx = 0; kx < out_shape[2]; ++kx)
        if (is_real(ky, shape[1]) && is_real(kx, shape[2])) to_imag[ky * out_shape[2] + kx] = 0;
    to_real += out_shape[1] * out_shape[2];
    to_imag += out_shape[1] * out_shape[2];
  }
  return {};
}

constexpr TypeRow kRows[] = {{{DType::kFP32}, all_of(Profile::kExtFft), 0, kernel}};
constexpr Check kChecks[] = {
    kFourierLevel,
    kPowerOfTwoHeight,
    kPowerOfTwoWidth,
    {Rule::kErrorIf, "output_real", "the outputs must have the input's batches and height and W/2 + 1 columns",
     [](const View& v) { return v.out_shape(0) != output_shape(v) || v.out_shape(1) != output_shape(v); }},
};

Result<std::vector<Shape>> shapes(const View& v) { return std::vector<Shape>{output_shape(v), output_shape(v)}; }

}  // namespace

extern constexpr Definition kRFFT2D = {Op::kRFFT2D, kArguments, kTypes, kRows, kChecks, shapes};

}  // namespace macaw::tosa
