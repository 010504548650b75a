#include "workflow/compare/inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>

#include <macaw/npu/element_type.hpp>
#include <macaw/tosa/index_ranges.hpp>
#include <macaw/tosa/input_ports.hpp>

#include "base/number_text.hpp"
#include "base/tensor_elements.hpp"

namespace macaw::compare {
namespace {

Result<Tensor> retyped(const Tensor& given, const tosa::Value& value) {
  const auto width = size_of(value.dtype);
  const auto shape = value.is_static() ? *value.shape : given.shape();
  MACAW_ASSIGN(const auto count, element_count(shape, width));
  if (count != given.size() || width != size_of(given.dtype()) ||
      is_block_scale(value.dtype) != is_block_scale(given.dtype()))
    return fail(ErrorCode::kMismatch, fmt::format("input '{}' is {} {}, expected {} elements of {} bytes, got {} of {}",
                                                  value.name, to_string(value.dtype), macaw::to_string(shape), count,
                                                  width, given.size(), size_of(given.dtype())));
  MACAW_ASSIGN(auto tensor, Tensor::create(value.dtype, shape));
  std::ranges::copy(given.bytes(), tensor.bytes().begin());
  return tensor;
}

// mt19937 is fixed by the standard, its distributions are not: bytes are taken from the engine itself.
void fill_random(std::span<std::byte> bytes, std::mt19937& engine) {
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    const auto word = static_cast<std::uint32_t>(engine());
    std::memcpy(bytes.data() + i, &word, std::min<std::size_t>(4, bytes.size() - i));
  }
}

/// Brings random bytes into the range of a type that uses fewer bits than it is stored in.
void restrict_range(Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kBOOL:
      for (auto& b : tensor.bytes()) b &= std::byte{1};
      break;
    case DType::kINT4:
      for (auto& v : tensor.data<std::int8_t>())
        v = static_cast<std::int8_t>(static_cast<std::int8_t>(static_cast<unsigned>(v) << 4) >> 4);
      break;
    case DType::kINT48:
      for (auto& v : tensor.data<std::int64_t>())
        v = static_cast<std::int64_t>(static_cast<std::uint64_t>(v) << 16) >> 16;
      break;
    default: break;
  }
}

/// Calls f with the elements of a tensor of integers; others have no indices.
template <class F>
void with_integers(Tensor& tensor, F&& f) {
  if (!integer_limits(tensor.dtype(), false)) return;
  (void)io::with_elements(tensor, [&](auto elements) {
    if constexpr (std::is_integral_v<typename decltype(elements)::value_type>) f(elements);
    return true;
  });
}

/// Draws indices in place of what a tensor holds.
void draw_indices(Tensor& tensor, const IndexRange& range, std::mt19937& engine) {
  constexpr std::uint64_t kMostShuffled = 1 << 20;
  const auto count = static_cast<std::uint64_t>(range.most) - static_cast<std::uint64_t>(range.least) + 1;
  std::vector<std::int64_t> shuffled;
  if (range.distinct && count <= kMostShuffled)
    for (auto value = range.least; value <= range.most; ++value) shuffled.push_back(value);
  with_integers(tensor, [&](auto elements) {
    using T = typename decltype(elements)::value_type;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      std::int64_t value = range.least + static_cast<std::int64_t>(engine() % count);
      if (i < shuffled.size()) {
        std::swap(shuffled[i], shuffled[i + engine() % (shuffled.size() - i)]);
        value = shuffled[i];
      }
      elements[i] = static_cast<T>(value);
    }
  });
}

/// Indices for each input that has a range, drawn apart from the others, whose bytes stay those of the seed.
void draw_indices(std::vector<Tensor>& inputs, const IndexRanges& ranges, std::uint32_t seed) {
  for (std::size_t i = 0; i < inputs.size() && i < ranges.size(); ++i) {
    if (!ranges[i]) continue;
    std::mt19937 engine(seed + 0x9E3779B9u * static_cast<std::uint32_t>(i + 1));
    draw_indices(inputs[i], *ranges[i], engine);
  }
}

}  // namespace

Result<StatedRanges> parse_ranges(const std::vector<std::string>& texts) {
  StatedRanges ranges;
  for (const auto& text : texts) {
    const auto equals = text.rfind('='), colon = text.rfind(':');
    const bool is_split = equals != text.npos && colon != text.npos && equals < colon;
    const std::string_view word = text;
    const auto least =
        is_split ? io::number_of<std::int64_t>(word.substr(equals + 1, colon - equals - 1)) : std::nullopt;
    const auto most = is_split ? io::number_of<std::int64_t>(word.substr(colon + 1)) : std::nullopt;
    // The width is computed without overflow: values are drawn from 32 random bits.
    if (!least || !most || *least > *most ||
        static_cast<std::uint64_t>(*most) - static_cast<std::uint64_t>(*least) >= std::uint64_t{1} << 32)
      return fail(
          ErrorCode::kUsage,
          fmt::format("--range {}: expected IN=LEAST:MOST, two integers with MOST - LEAST from 0 to 4294967295", text));
    ranges[text.substr(0, equals)] = {*least, *most};
  }
  return ranges;
}

std::optional<IndexRange> integer_limits(DType dtype, bool any_sign) {
  const auto bits = [&](int count) -> IndexRange {
    const auto half = std::int64_t{1} << (count - 1);
    return {-half, any_sign ? 2 * half - 1 : half - 1};
  };
  switch (dtype) {
    case DType::kINT4: return bits(4);
    case DType::kINT8: return bits(8);
    case DType::kINT16: return bits(16);
    case DType::kINT32: return bits(32);
    case DType::kINT48: return bits(48);
    case DType::kINT64:
      return IndexRange{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    case DType::kUINT8: return IndexRange{0, 0xff};
    case DType::kUINT16: return IndexRange{0, 0xffff};
    case DType::kUINT32: return IndexRange{0, 0xffffffff};
    default: return std::nullopt;
  }
}

Result<IndexRanges> with_stated(IndexRanges ranges, const std::vector<InputPort>& inputs, const StatedRanges& stated) {
  std::vector<std::string> names;
  for (const auto& input : inputs) names.push_back(input.name);
  ranges.resize(names.size());
  for (const auto& [name, range] : stated) {
    const auto found = std::ranges::find(names, name);
    auto index = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) index = io::number_of<std::size_t>(name).value_or(names.size());
    if (index >= names.size())
      return fail(ErrorCode::kUsage,
                  fmt::format("--range: no input is called '{}'; expected one of {}", name, fmt::join(names, ", ")));
    const auto limits = integer_limits(inputs[index].dtype, inputs[index].any_sign);
    if (!limits || range.least < limits->least || range.most > limits->most)
      return fail(ErrorCode::kUsage,
                  fmt::format("--range {}={}:{}: the input is {}, which {}", name, range.least, range.most,
                              to_string(inputs[index].dtype),
                              limits ? fmt::format("has values from {} to {}", limits->least, limits->most)
                                     : std::string("does not hold integers")));
    const bool distinct = ranges[index] && ranges[index]->distinct;
    ranges[index] = range;
    ranges[index]->distinct = distinct;
  }
  return ranges;
}

void limit_to_ranges(std::vector<Tensor>& inputs, const IndexRanges& ranges) {
  for (std::size_t i = 0; i < inputs.size() && i < ranges.size(); ++i) {
    if (!ranges[i]) continue;
    with_integers(inputs[i], [&](auto elements) {
      using T = typename decltype(elements)::value_type;
      for (auto& element : elements)
        element = static_cast<T>(std::clamp(static_cast<std::int64_t>(element), ranges[i]->least, ranges[i]->most));
    });
  }
}

Result<std::vector<Tensor>> graph_inputs(const tosa::Graph& graph, const std::vector<Tensor>& tensors) {
  const auto& block = graph.main();
  if (tensors.size() != block.inputs.size())
    return fail(ErrorCode::kMismatch,
                fmt::format("{} inputs given, the graph has {}", tensors.size(), block.inputs.size()));
  std::vector<Tensor> typed;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    MACAW_ASSIGN(auto tensor, retyped(tensors[i], block.values[block.inputs[i]]));
    typed.push_back(std::move(tensor));
  }
  return typed;
}

Result<std::vector<Tensor>> random_inputs(const tosa::Graph& graph, std::uint32_t seed, const StatedRanges& stated) {
  MACAW_ASSIGN(const auto ranges, with_stated(tosa::index_ranges(graph), tosa::input_ports(graph), stated));
  std::mt19937 engine(seed);
  std::vector<Tensor> inputs;
  for (const auto id : graph.main().inputs) {
    const auto& value = graph.main().values[id];
    if (!value.is_static())
      return fail(ErrorCode::kUnsupported,
                  fmt::format("input '{}' has no static shape: give it as a file", value.name));
    MACAW_ASSIGN(auto tensor, Tensor::create(value.dtype, *value.shape));
    fill_random(tensor.bytes(), engine);
    restrict_range(tensor);
    inputs.push_back(std::move(tensor));
  }
  draw_indices(inputs, ranges, seed);
  return inputs;
}

Result<std::vector<Tensor>> random_inputs(const npu::Artifact& artifact, std::uint32_t seed,
                                          const StatedRanges& stated) {
  std::vector<InputPort> ports;
  for (const auto& input : artifact.inputs)
    ports.push_back({.name = input.name, .dtype = npu::element_type(input), .shape = {}, .any_sign = !input.dtype});
  MACAW_ASSIGN(const auto ranges, with_stated(index_ranges(artifact), ports, stated));
  return random_inputs(artifact, seed, ranges);
}

Result<std::vector<Tensor>> random_inputs(const npu::Artifact& artifact, std::uint32_t seed,
                                          const IndexRanges& ranges) {
  std::mt19937 engine(seed);
  std::vector<Tensor> inputs;
  for (const auto& input : artifact.inputs) {
    const auto dtype = input.dtype.value_or(input.element_size == 1   ? DType::kINT8
                                            : input.element_size == 2 ? DType::kINT16
                                            : input.element_size == 4 ? DType::kINT32
                                                                      : DType::kINT64);
    if (size_of(dtype) != input.element_size)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("input '{}' has elements of {} bytes", input.name, input.element_size));
    MACAW_ASSIGN(auto tensor, Tensor::create(dtype, input.shape));
    fill_random(tensor.bytes(), engine);
    restrict_range(tensor);
    inputs.push_back(std::move(tensor));
  }
  draw_indices(inputs, ranges, seed);
  return inputs;
}

Result<void> require_valid(const tosa::Verdict& verdict, const std::string& file) {
  if (verdict.status() == tosa::Status::kValid) return {};
  return fail(verdict.status() == tosa::Status::kError ? ErrorCode::kInvalidGraph : ErrorCode::kUnpredictable,
              verdict.first()->to_string(), {.file = file});
}

}  // namespace macaw::compare
