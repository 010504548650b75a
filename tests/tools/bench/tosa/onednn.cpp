#include "tests/tools/bench/tosa/onednn.hpp"

#ifdef MACAW_HAVE_ONEDNN
#include <dlfcn.h>

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#endif

namespace macaw::bench {

#ifdef MACAW_HAVE_ONEDNN
namespace {

using Type = dnnl::memory::data_type;
using Layout = dnnl::memory::format_tag;

/// One thread, like the runs of the graphs: Debian's oneDNN computes with OpenMP, if it is loaded.
void use_one_thread() {
  if (auto* set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) set(1);
}

struct Execution {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::primitive primitive;
  std::unordered_map<int, dnnl::memory> arguments;

  void add(int argument, const dnnl::memory::desc& description) {
    dnnl::memory memory(description, engine);
    auto* bytes = static_cast<unsigned char*>(memory.get_data_handle());
    // Small numbers in either type: as float, the bit patterns of 1.
    const bool is_float = description.data_type() == Type::f32;
    for (std::size_t i = 0; i < description.get_size(); ++i) bytes[i] = is_float ? "\0\0\x80\x3f"[i % 4] : 1;
    arguments.emplace(argument, memory);
  }
};

std::function<void()> runner(std::shared_ptr<Execution> execution) {
  return [execution] {
    execution->primitive.execute(execution->stream, execution->arguments);
    execution->stream.wait();
  };
}

}  // namespace

std::function<void()> onednn_convolution(const ConvolutionShape& shape) {
  use_one_thread();
  auto execution = std::make_shared<Execution>();
  const auto narrow = shape.is_float ? Type::f32 : Type::s8, wide = shape.is_float ? Type::f32 : Type::s32;
  const auto pad = shape.kernel / 2;
  const dnnl::memory::desc in({1, shape.in_channels, shape.size, shape.size}, narrow, Layout::nhwc);
  const dnnl::memory::desc weights({shape.out_channels, shape.in_channels, shape.kernel, shape.kernel}, narrow,
                                   Layout::any);
  const dnnl::memory::desc bias({shape.out_channels}, wide, Layout::x);
  const dnnl::memory::desc out({1, shape.out_channels, shape.size, shape.size}, wide, Layout::nhwc);
  const dnnl::convolution_forward::primitive_desc description({dnnl::prop_kind::forward_inference,
                                                               dnnl::algorithm::convolution_direct,
                                                               in,
                                                               weights,
                                                               bias,
                                                               out,
                                                               {1, 1},
                                                               {pad, pad},
                                                               {pad, pad}},
                                                              execution->engine);
  execution->primitive = dnnl::convolution_forward(description);
  execution->add(DNNL_ARG_SRC, description.src_desc());
  execution->add(DNNL_ARG_WEIGHTS, description.weights_desc());
  execution->add(DNNL_ARG_BIAS, description.bias_desc());
  execution->add(DNNL_ARG_DST, description.dst_desc());
  return runner(execution);
}

std::function<void()> onednn_matmul(std::int64_t m, std::int64_t k, std::int64_t n, bool is_float) {
  use_one_thread();
  auto execution = std::make_shared<Execution>();
  const auto narrow = is_float ? Type::f32 : Type::s8, wide = is_float ? Type::f32 : Type::s32;
  const dnnl::memory::desc a({m, k}, narrow, Layout::ab), b({k, n}, narrow, Layout::ab), c({m, n}, wide, Layout::ab);
  const dnnl::matmul::primitive_desc description({a, b, c}, execution->engine);
  execution->primitive = dnnl::matmul(description);
  execution->add(DNNL_ARG_SRC, a);
  execution->add(DNNL_ARG_WEIGHTS, b);
  execution->add(DNNL_ARG_DST, c);
  return runner(execution);
}
#else
std::function<void()> onednn_convolution(const ConvolutionShape&) { return {}; }
std::function<void()> onednn_matmul(std::int64_t, std::int64_t, std::int64_t, bool) { return {}; }
#endif

}  // namespace macaw::bench
