#include "reference/fast/window/fourier.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input_real", "in_out_t", "[N,H,W]", 3, 3},
    {Category::kInput, "input_imag", "in_out_t", "[N,H,W]", 3, 3},
    {Category::kAttribute, "inverse", "bool_t"},
    {Category::kAttribute, "local_bound", "bool_t"},
    {Category::kOutput, "output_real", "in_out_t", "[N,H,W]", 3, 3},
    {Category::kOutput, "output_imag", "in_out_t", "[N,H,W]", 3, 3},
};
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

constexpr TypeRow kRows[] = {{{DType::kFP32}, all_of(Profile::kExtFft), 0, float_kernel<Transform>}};
constexpr Check kChecks[] = {kFourierLevel, kPowerOfTwoHeight, kPowerOfTwoWidth};

}  // namespace

extern constexpr Definition kFFT2D = {Op::kFFT2D, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa
