#include "reference/fast/window/fourier.hpp"

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

constexpr TypeRow kRows[] = {{{DType::kFP32}, all_of(Profile::kExtFft), 0, float_kernel<Transform>}};
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
