#include <catch2/catch.hpp>

#include <macaw/npu/simulator.hpp>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "compiler/compile.hpp"
#include "models/graph_builder.hpp"
#include "tests/support/checked.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"

// Operators at the limits of their lowering: what is compiled computes what the interpreter does, what cannot be is
// refused.
using namespace macaw;
using macaw::test::checked;
using tosa::Attr;
using tosa::Op;
using tosa::test::tensor;

namespace {

using Numbers = std::vector<std::int64_t>;
using OneGraph = tosa::test::GraphBuilder;

/// "equal" to the interpreter, "other" values, or "refused".
std::string compiled_as(const tosa::Graph& graph, const std::vector<Tensor>& inputs, const char* name) {
  const auto& accelerator = *npu::find_accelerator(name);
  const auto compiled = npu::compile(graph, accelerator);
  if (!compiled) {
    CHECK(compiled.error().code == ErrorCode::kUnsupported);
    return "refused";
  }
  const auto want = checked(tosa::run(graph, inputs));
  REQUIRE(want.verdict.status() == tosa::Status::kValid);
  std::vector<npu::NamedTensor> named;
  for (const auto& input : inputs) named.push_back({"", input});
  const auto got = checked(npu::run_functional(npu::to_artifact(*compiled), accelerator, named));
  return std::ranges::equal(got.outputs.at(0).bytes(), want.outputs.at(0).bytes()) ? "equal" : "other";
}

constexpr const char* kOneOfEach[] = {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"};

template <class T>
Tensor scattered(DType dtype, Shape shape, int least, int most) {
  Tensor values(dtype, std::move(shape));
  for (std::size_t i = 0; i < values.data<T>().size(); ++i)
    values.data<T>()[i] =
        static_cast<T>(least + static_cast<int>(i * 7919 % static_cast<std::size_t>(most - least + 1)));
  return values;
}

/// A convolution of any kind with zero points of 0, and what it is of.
tosa::Graph convolution(Op op, const Shape& in, Tensor weights, Tensor bias, Shape out,
                        const std::vector<std::pair<Attr, Numbers>>& attributes, DType type = DType::kINT8) {
  const bool wide = type == DType::kINT16;
  OneGraph b;
  const auto x = b.input("x", type, in);
  const auto w = b.constant("w", std::move(weights)), c = b.constant("b", std::move(bias));
  const auto zx = b.constant("zx", Tensor(type, {1})), zw = b.constant("zw", Tensor(DType::kINT8, {1}));
  const auto sum = wide ? DType::kINT48 : DType::kINT32;
  const auto y = b.value("y", sum, out);
  auto& conv = b.add(op, {x, w, c, zx, zw}, {y});
  for (const auto& [name, values] : attributes) conv.set(name, values);
  conv.set(Attr::k_acc_type, static_cast<std::int64_t>(sum));
  conv.set(Attr::k_local_bound, std::int64_t{0});
  if (!wide) {
    b.output(y);
    return b.graph();
  }
  // U55 and U65 have no maps of 48 bits: one sum by 1 / 2^30.
  const auto m = b.constant("m", tensor<std::int16_t>(DType::kINT16, {1}, {1 << 14}));
  const auto s = b.constant("s", tensor<std::int8_t>(DType::kINT8, {1}, {44}));
  const auto zy = b.constant("zy", Tensor(DType::kINT48, {1})), zo = b.constant("zo", Tensor(DType::kINT16, {1}));
  const auto o = b.value("o", DType::kINT16, std::move(out));
  auto& rescale = b.add(Op::kRESCALE, {y, m, s, zy, zo}, {o});
  for (const auto flag : {Attr::k_scale32, Attr::k_per_channel, Attr::k_input_unsigned, Attr::k_output_unsigned})
    rescale.set(flag, std::int64_t{0});
  rescale.set(Attr::k_rounding_mode, static_cast<std::int64_t>(tosa::RoundingMode::kSingleRound));
  b.output(o);
  return b.graph();
}

}  // namespace

TEST_CASE("CONV3D takes the taps that lie in the input, before and behind it too") {
  for (const auto& [before, behind, dilation] :
       {std::tuple(0, 0, 1), {1, 1, 1}, {2, 0, 1}, {0, 2, 1}, {2, 2, 2}, {4, 0, 2}}) {
    const std::int64_t depth = 5 + before + behind - 2 * dilation;
    const auto graph =
        convolution(Op::kCONV3D, {1, 5, 3, 4, 8}, scattered<std::int8_t>(DType::kINT8, {4, 3, 2, 2, 8}, -99, 99),
                    scattered<std::int32_t>(DType::kINT32, {4}, -500, 500), {1, depth, 2, 3, 4},
                    {{Attr::k_pad, {before, behind, 0, 0, 0, 0}},
                     {Attr::k_stride, {1, 1, 1}},
                     {Attr::k_dilation, {dilation, 1, 1}}});
    for (const char* name : kOneOfEach) {
      CAPTURE(before, behind, dilation, name);
      CHECK(compiled_as(graph, {scattered<std::int8_t>(DType::kINT8, {1, 5, 3, 4, 8}, -128, 127)}, name) == "equal");
    }
  }
}

TEST_CASE("TRANSPOSE_CONV2D writes each phase of its stride, also where the last one is shorter") {
  struct Row {
    Numbers kernel, stride, pad;
  };
  for (const Row& row : {Row{{3, 3}, {2, 2}, {0, 0, 0, 0}},
                         {{2, 3}, {2, 3}, {0, 1, 0, 0}},
                         {{1, 1}, {2, 2}, {0, 0, 0, 0}},
                         {{4, 3}, {3, 2}, {-1, 0, 0, -1}},
                         {{2, 2}, {3, 1}, {1, 0, 0, 2}}}) {
    const auto extent = [&](std::size_t axis, std::int64_t in) {
      return (in - 1) * row.stride[axis] + row.pad[2 * axis] + row.pad[2 * axis + 1] + row.kernel[axis];
    };
    const auto graph =
        convolution(Op::kTRANSPOSE_CONV2D, {1, 3, 4, 8},
                    scattered<std::int8_t>(DType::kINT8, {4, row.kernel[0], row.kernel[1], 8}, -99, 99),
                    scattered<std::int32_t>(DType::kINT32, {4}, -500, 500), {1, extent(0, 3), extent(1, 4), 4},
                    {{Attr::k_out_pad, row.pad}, {Attr::k_stride, row.stride}});
    for (const char* name : kOneOfEach) {
      CAPTURE(row.kernel, row.stride, row.pad, name);
      CHECK(compiled_as(graph, {scattered<std::int8_t>(DType::kINT8, {1, 3, 4, 8}, -128, 127)}, name) == "equal");
    }
  }
}

TEST_CASE("sums of 16 bits are compiled as long as 40 bits hold them") {
  // -127 * -32768 is the greatest product of the one tap.
  constexpr std::int64_t kBeyond = (std::int64_t{1} << 39) - (127 << 15);
  for (const std::int64_t bias : {kBeyond - 1, kBeyond, 1 - kBeyond, -kBeyond}) {
    const auto graph =
        convolution(Op::kCONV2D, {1, 1, 3, 1}, tensor<std::int8_t>(DType::kINT8, {1, 1, 1, 1}, {-127}),
                    tensor<std::int64_t>(DType::kINT48, {1}, {bias}), {1, 1, 3, 1},
                    {{Attr::k_pad, {0, 0, 0, 0}}, {Attr::k_stride, {1, 1}}, {Attr::k_dilation, {1, 1}}}, DType::kINT16);
    const auto in = tensor<std::int16_t>(DType::kINT16, {1, 1, 3, 1}, {-32768, 0, 32767});
    CAPTURE(bias);
    CHECK(compiled_as(graph, {in}, "ethos-u55-128") == (std::abs(bias) < kBeyond ? "equal" : "refused"));
    CHECK(compiled_as(graph, {in}, "ethos-u85-256") == "equal");
  }
}

TEST_CASE("kernels have up to 64 rows and 4096 elements") {
  struct Row {
    std::int64_t height, width;
    const char* result;
  };
  for (const Row& row :
       {Row{64, 1, "equal"}, {65, 1, "refused"}, {64, 64, "equal"}, {16, 256, "equal"}, {17, 241, "refused"}}) {
    const auto graph = convolution(Op::kCONV2D, {1, row.height, row.width, 1},
                                   scattered<std::int8_t>(DType::kINT8, {1, row.height, row.width, 1}, -9, 9),
                                   Tensor(DType::kINT32, {1}), {1, 1, 1, 1},
                                   {{Attr::k_pad, {0, 0, 0, 0}}, {Attr::k_stride, {1, 1}}, {Attr::k_dilation, {1, 1}}});
    for (const char* name : kOneOfEach) {
      CAPTURE(row.height, row.width, name);
      CHECK(compiled_as(graph, {scattered<std::int8_t>(DType::kINT8, {1, row.height, row.width, 1}, -128, 127)},
                        name) == row.result);
    }
  }
}

TEST_CASE("a 16-bit table has slopes of 16 bits") {
  struct Row {
    int from, to;
    const char* result;
  };
  for (const Row& row : {Row{16384, -16384, "equal"},
                         {16384, -16385, "refused"},
                         {-16384, 16383, "equal"},
                         {-16384, 16384, "refused"},
                         {32767, -32768, "refused"}}) {
    OneGraph b;
    const auto x = b.input("x", DType::kINT16, {1, 1, 4, 8});
    Tensor entries(DType::kINT16, {513});
    for (std::size_t i = 0; i < 513; ++i)
      entries.data<std::int16_t>()[i] = static_cast<std::int16_t>(i < 257 ? row.from : row.to);
    const auto table = b.constant("table", std::move(entries));
    const auto y = b.value("y", DType::kINT32, {1, 1, 4, 8});
    b.add(Op::kTABLE, {x, table}, {y});
    b.output(y);
    CAPTURE(row.from, row.to);
    Tensor in(DType::kINT16, {1, 1, 4, 8});
    for (std::size_t i = 0; i < 32; ++i)
      in.data<std::int16_t>()[i] = static_cast<std::int16_t>(static_cast<int>(i) * 8 - 100);
    CHECK(compiled_as(b.graph(), {in}, "ethos-u85-256") == row.result);
  }
}

TEST_CASE("operands that both repeat are subtracted in their order") {
  for (const auto& [a, c] : {std::pair(Shape{1, 4, 1, 8}, Shape{1, 1, 5, 8}),
                             {Shape{1, 1, 5, 8}, Shape{1, 4, 1, 8}},
                             {Shape{1, 4, 5, 1}, Shape{1, 1, 1, 8}},
                             {Shape{1, 4, 5, 8}, Shape{1, 1, 5, 1}},
                             {Shape{1, 1, 5, 1}, Shape{1, 4, 5, 8}}}) {
    OneGraph b;
    const auto x = b.input("x", DType::kINT32, a), y = b.input("y", DType::kINT32, c);
    const auto z = b.value("z", DType::kINT32, {1, 4, 5, 8});
    b.add(Op::kSUB, {x, y}, {z});
    b.output(z);
    for (const char* name : kOneOfEach) {
      CAPTURE(a, c, name);
      CHECK(compiled_as(b.graph(),
                        {scattered<std::int32_t>(DType::kINT32, a, -9999, 9999),
                         scattered<std::int32_t>(DType::kINT32, c, -777, 777)},
                        name) == "equal");
    }
  }
}

TEST_CASE("a block of RESIZE reads no more columns than its buffer has, with the one before and the one behind") {
  for (const char* name : {"ethos-u85-128", "ethos-u85-256", "ethos-u85-512", "ethos-u85-1024", "ethos-u85-2048"})
    for (const std::int64_t down : {1, 3})
      for (const std::int64_t in : {40, 301}) {
        OneGraph b;
        const auto x = b.input("x", DType::kINT8, {1, 2, in, 16});
        const std::int64_t out = ((in - 1) * 4) / down + 1, border = (out - 1) * down - (in - 1) * 4;
        const auto scale = b.constant("scale", tosa::test::shape_tensor({1, 1, 4, down}));
        const auto offset = b.constant("offset", tosa::test::shape_tensor({0, 0}));
        const auto edge = b.constant("border", tosa::test::shape_tensor({0, border}));
        const auto y = b.value("y", DType::kINT32, {1, 2, out, 16});
        b.add(Op::kRESIZE, {x, scale, offset, edge}, {y})
            .set(Attr::k_mode, static_cast<std::int64_t>(tosa::ResizeMode::kBilinear));
        b.output(y);
        const auto& accelerator = *npu::find_accelerator(name);
        const auto compiled = npu::compile(b.graph(), accelerator);
        REQUIRE(compiled);
        int found = 0;
        for (const auto& step : compiled->network.steps) {
          const auto* layer = std::get_if<npu::Layer>(&step);
          if (!layer || layer->block.kind != npu::OpKind::kResize) continue;
          ++found;
          const auto& op = layer->block;
          const auto& r = op.resize_step;
          const std::int64_t advance = (op.block.w - 1) * (std::int64_t{r.one_step_int_x} * r.n_x + r.one_step_mod_x);
          const std::int64_t columns = (advance + r.n_x - 1) / r.n_x + 2;
          CAPTURE(name, down, in, op.block.w);
          CHECK(columns <= accelerator.ram.chain / 6 / (16 * op.ifm.bytes()));
        }
        CHECK(found > 0);
      }
}

TEST_CASE("padding is taken up to what its registers hold, 127 before and 255 behind") {
  struct Row {
    Numbers pad;
    const char* result;
  };
  for (const Row& row : {Row{{127, 255, 0, 0}, "equal"},
                         {{128, 0, 0, 0}, "refused"},
                         {{0, 256, 0, 0}, "refused"},
                         {{0, 0, 127, 255}, "equal"},
                         {{0, 0, 128, 0}, "refused"},
                         {{0, 0, 0, 256}, "refused"}}) {
    const auto graph = convolution(Op::kCONV2D, {1, 2, 2, 1}, scattered<std::int8_t>(DType::kINT8, {1, 1, 1, 1}, 3, 3),
                                   tensor<std::int32_t>(DType::kINT32, {1}, {5}),
                                   {1, 2 + row.pad[0] + row.pad[1], 2 + row.pad[2] + row.pad[3], 1},
                                   {{Attr::k_pad, row.pad}, {Attr::k_stride, {1, 1}}, {Attr::k_dilation, {1, 1}}});
    for (const char* name : kOneOfEach) {
      CAPTURE(row.pad, name);
      CHECK(compiled_as(graph, {scattered<std::int8_t>(DType::kINT8, {1, 2, 2, 1}, -9, 9)}, name) == row.result);
    }
  }
}

TEST_CASE("rows are gathered batch by batch, more or fewer than there are columns") {
  for (const std::int64_t rows : {1, 2, 5}) {
    OneGraph b;
    std::vector<std::int32_t> indices(static_cast<std::size_t>(2 * rows));
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int32_t>(i * 3 % 4);
    const auto x = b.input("x", DType::kINT8, {2, 4, 3});
    const auto at = b.constant("at", tensor<std::int32_t>(DType::kINT32, {2, rows}, indices));
    const auto y = b.value("y", DType::kINT8, {2, rows, 3});
    b.add(Op::kGATHER, {x, at}, {y});
    b.output(y);
    for (const char* name : kOneOfEach) {
      CAPTURE(rows, name);
      CHECK(compiled_as(b.graph(), {scattered<std::int8_t>(DType::kINT8, {2, 4, 3}, -100, 100)}, name) == "equal");
    }
  }
}

TEST_CASE("averages divide by the elements of the map, also where one axis or step is too long for the hardware") {
  struct Row {
    Numbers kernel, stride, pad;
  };
  for (const Row& row : {Row{{8, 8}, {1, 1}, {4, 4, 4, 4}},
                         {{9, 3}, {1, 1}, {4, 4, 1, 1}},
                         {{3, 9}, {1, 1}, {1, 1, 4, 4}},
                         {{9, 9}, {1, 1}, {8, 0, 0, 8}},
                         {{3, 3}, {4, 1}, {1, 1, 1, 1}},
                         {{2, 3}, {1, 4}, {1, 0, 1, 1}},
                         {{9, 2}, {2, 4}, {0, 0, 0, 1}}}) {
    const auto room = [&](std::size_t axis, std::int64_t in) {
      return in + row.pad[2 * axis] + row.pad[2 * axis + 1] - row.kernel[axis];
    };
    const std::int64_t height = 12 + row.kernel[0] % 2, width = 12;
    Shape in{1, height, width, 8};
    while (room(0, in[1]) % row.stride[0] != 0) ++in[1];
    while (room(1, in[2]) % row.stride[1] != 0) ++in[2];
    OneGraph b;
    const auto x = b.input("x", DType::kINT8, in);
    const auto zx = b.constant("zx", tensor<std::int8_t>(DType::kINT8, {1}, {-7}));
    const auto zy = b.constant("zy", tensor<std::int8_t>(DType::kINT8, {1}, {5}));
    const auto y =
        b.value("y", DType::kINT8, {1, room(0, in[1]) / row.stride[0] + 1, room(1, in[2]) / row.stride[1] + 1, 8});
    auto& pool = b.add(Op::kAVG_POOL2D, {x, zx, zy}, {y});
    pool.set(Attr::k_kernel, row.kernel);
    pool.set(Attr::k_stride, row.stride);
    pool.set(Attr::k_pad, row.pad);
    pool.set(Attr::k_acc_type, static_cast<std::int64_t>(DType::kINT32));
    b.output(y);
    for (const char* name : kOneOfEach) {
      CAPTURE(row.kernel, row.stride, row.pad, name);
      CHECK(compiled_as(b.graph(), {scattered<std::int8_t>(DType::kINT8, in, -128, 127)}, name) == "equal");
      // The hardware divides windows of up to 8 x 8 elements at steps of up to 3.
      for (const auto& step : checked(npu::compile(b.graph(), *npu::find_accelerator(name))).network.steps) {
        const auto* layer = std::get_if<npu::Layer>(&step);
        if (!layer || layer->block.pool != npu::PoolMode::kAverage) continue;
        const auto& k = layer->block.kernel;
        const bool padded = k.pad_top + k.pad_bottom + k.pad_left + k.pad_right > 0;
        if (padded) CHECK(std::max({k.height, k.width, k.stride_y + 5, k.stride_x + 5}) <= 8);
      }
    }
  }
}

TEST_CASE("shapes in a file have as many extents as the longest of their kind") {
  for (const std::size_t rank : {1u, 3u}) {
    OneGraph b;
    const auto x = b.input("x", DType::kINT8, {16}), y = b.input("y", DType::kINT8, Shape(rank, 2));
    const auto not_x = b.value("not x", DType::kINT8, {16}), not_y = b.value("not y", DType::kINT8, Shape(rank, 2));
    b.add(Op::kBITWISE_NOT, {x}, {not_x});
    b.add(Op::kBITWISE_NOT, {y}, {not_y});
    b.output(not_x);
    const auto npz = npu::to_npz(checked(npu::compile(b.graph(), *npu::find_accelerator("ethos-u55-128"))));
    CHECK(npz.at("input_shape").shape == Shape{2, static_cast<std::int64_t>(rank)});
    CHECK(npz.at("output_shape").shape == Shape{1, 1});
  }
}
