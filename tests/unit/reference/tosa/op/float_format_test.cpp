#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/tosa/arith/float_format.hpp"
#include "reference/tosa/arith/float_tensor.hpp"
#include "tests/unit/reference/tosa/op/targets.hpp"

namespace macaw::tosa {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Named {
  const char* name;
  FloatFormat format;
  double greatest, least_normal, least;
};
// Greatest and least numbers: IEEE 754 binary16, bfloat16, OCP OFP8 1.0 table 1, OCP MX 1.0 tables 2 and 3.
const Named kFormats[] = {
    {"fp16", kFp16, 65504, 0x1p-14, 0x1p-24},   {"bf16", kBf16, 0x1.FEp127, 0x1p-126, 0x1p-133},
    {"fp8e4m3", kFp8E4M3, 448, 0x1p-6, 0x1p-9}, {"fp8e5m2", kFp8E5M2, 57344, 0x1p-14, 0x1p-16},
    {"fp6e2m3", kFp6E2M3, 7.5, 1, 0.125},       {"fp6e3m2", kFp6E3M2, 28, 0.25, 0.0625},
    {"fp4e2m1", kFp4E2M1, 6, 1, 0.5},
};

const DType kFormatTypes[] = {DType::kFP16,    DType::kBF16,    DType::kFP8E4M3, DType::kFP8E5M2,
                              DType::kFP6E2M3, DType::kFP6E3M2, DType::kFP4E2M1};
static_assert(std::size(kFormatTypes) == std::size(kFormats));

unsigned element_bits(const Tensor& tensor, std::size_t i) {
  return size_of(tensor.dtype()) == 2 ? tensor.data<std::uint16_t>()[i] : tensor.data<std::uint8_t>()[i];
}
void set_element_bits(Tensor& tensor, std::size_t i, unsigned bits) {
  if (size_of(tensor.dtype()) == 2) tensor.data<std::uint16_t>()[i] = static_cast<std::uint16_t>(bits);
  else tensor.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(bits);
}

bool same_number(double a, double b) {
  return a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b);
}

}  // namespace

TEST_CASE("every encoding of a narrow format comes back from its value") {
  for (const auto& [name, format, greatest, least_normal, least] : kFormats) {
    INFO(name);
    for (unsigned bits = 0; bits < 2 * format.sign(); ++bits) {
      const auto value = decode(format, bits);
      if (std::isnan(value)) {
        CHECK((bits & format.all_ones()) > format.greatest());
        CHECK(encode(format, value) == format.nan());
      } else if (encode(format, value) != bits) {
        FAIL_CHECK("encoding " << bits << " of " << value << " comes back as " << encode(format, value));
      }
    }
    CHECK(decode(format, format.greatest()) == greatest);
    CHECK(decode(format, 1u << format.mantissa_bits) == least_normal);
    CHECK(decode(format, 1) == least);
  }
}

TEST_CASE("values between two encodings round to the nearer one, ties to even") {
  for (const auto& [name, format, greatest, least_normal, least] : kFormats) {
    INFO(name);
    for (unsigned bits = 0; bits < format.greatest(); ++bits) {
      const double low = decode(format, bits), high = decode(format, bits + 1), middle = (low + high) / 2;
      const auto even = bits % 2 == 0 ? bits : bits + 1;
      const bool right = encode(format, middle) == even && encode(format, -middle) == (even | format.sign()) &&
                         encode(format, std::nextafter(middle, 0)) == bits &&
                         encode(format, std::nextafter(middle, kInfinity)) == bits + 1;
      if (!right) FAIL_CHECK("between " << low << " and " << high);
    }
  }
}

TEST_CASE("values beyond the greatest number become infinity, NaN or the greatest number") {
  for (const auto& [name, format, greatest, least_normal, least] : kFormats) {
    INFO(name);
    const auto ulp = greatest - decode(format, format.greatest() - 1);
    const auto middle = greatest + ulp / 2;
    CHECK(decode(format, encode(format, std::nextafter(middle, 0))) == greatest);
    const auto beyond = [&](double value) { return static_cast<double>(decode(format, encode(format, value))); };
    using Specials = FloatFormat::Specials;
    for (const auto value : {std::nextafter(middle, kInfinity), 1e300, kInfinity}) {
      const auto expected = format.specials == Specials::kIeee      ? kInfinity
                            : format.specials == Specials::kNanOnly ? std::nan("")
                                                                    : greatest;
      CHECK(same_number(beyond(value), expected));
      CHECK(same_number(beyond(-value), -expected));
    }
    CHECK(same_number(beyond(std::numeric_limits<double>::denorm_min()), 0.0));
    CHECK(same_number(beyond(-least / 2), -0.0));
    CHECK(beyond(std::nextafter(least / 2, 1)) == least);
  }
}

TEST_CASE("ue8m0 is a power of two") {
  CHECK(decode_ue8m0(127) == 1);
  CHECK(decode_ue8m0(0) == 0x1p-127f);
  CHECK(decode_ue8m0(254) == 0x1p127f);
  CHECK(std::isnan(decode_ue8m0(255)));
}

TEST_CASE("tensors of every type load and store their values") {
  for (const auto dtype : {DType::kFP16, DType::kBF16, DType::kFP8E4M3, DType::kFP8E5M2}) {
    INFO(to_string(dtype));
    const auto count = std::int64_t{1} << (8 * size_of(dtype));
    Tensor all(dtype, {count}), back(dtype, {count});
    for (std::int64_t i = 0; i < count; ++i)
      for (std::size_t byte = 0; byte < size_of(dtype); ++byte)
        all.bytes()[static_cast<std::size_t>(i) * size_of(dtype) + byte] = static_cast<std::byte>(i >> (8 * byte));
    std::vector<float> values(static_cast<std::size_t>(count));
    load_floats<float>(all, values);
    store_floats<float>(values, back);
    std::int64_t other = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i) * size_of(dtype);
      const bool equal = std::equal(all.bytes().begin() + static_cast<std::ptrdiff_t>(at),
                                    all.bytes().begin() + static_cast<std::ptrdiff_t>(at + size_of(dtype)),
                                    back.bytes().begin() + static_cast<std::ptrdiff_t>(at));
      other += !equal && !std::isnan(values[static_cast<std::size_t>(i)]);
    }
    CHECK(other == 0);
    const auto precise = to_precise(all);
    CHECK(precise.dtype() == DType::kFP64);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!same_number(precise.data<double>()[i], values[i])) FAIL_CHECK("element " << i);
  }
}

TEST_CASE("narrow formats of whole tensors are those of single values, with every SIMD target") {
  // The bits of float in steps, which are odd so as to meet all low ones, and every middle of two numbers of a format.
  std::vector<float> values;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 4099)
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (const auto& [name, format, greatest, least_normal, least] : kFormats)
    for (unsigned bits = 0; bits < format.greatest(); ++bits) {
      const auto middle = decode(format, bits) + (decode(format, bits + 1) - decode(format, bits)) / 2;
      for (const auto value : {std::nextafter(middle, -1.0f), middle, std::nextafter(middle, 1e38f)})
        values.insert(values.end(), {value, -value});
    }
  for (int i = -260; i <= 260; ++i)  // of MXINT8 every number and every middle
    for (const auto value : {std::nextafter(static_cast<float>(i) / 128, -9.0f), static_cast<float>(i) / 128})
      values.insert(values.end(), {value, -value});
  for (const auto value : {65519.99609375f, 65520.0f, 0x1.FEFFFEp127f, 0x1.FFp127f, 464.0f, 464.00003f})
    values.insert(values.end(), {value, -value});
  for_each_target([&] {
    for (std::size_t f = 0; f < std::size(kFormats); ++f) {
      const auto& format = kFormats[f].format;
      INFO(kFormats[f].name);
      Tensor stored(kFormatTypes[f], {std::ssize(values)});
      store_floats<float>(values, stored);
      std::vector<float> loaded(values.size());
      load_floats<float>(stored, loaded);
      std::int64_t wrong = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto got = element_bits(stored, i);
        wrong += got != encode(format, values[i]) || !same_number(loaded[i], decode(format, got));
      }
      CHECK(wrong == 0);
      Tensor all(kFormatTypes[f], {2 * format.sign()});
      for (unsigned bits = 0; bits < 2 * format.sign(); ++bits) set_element_bits(all, bits, bits);
      std::vector<float> decoded(2 * format.sign());
      load_floats<float>(all, decoded);
      for (unsigned bits = 0; bits < 2 * format.sign(); ++bits)
        if (!same_number(decoded[bits], decode(format, bits)))
          FAIL_CHECK("encoding " << bits << " gives " << decoded[bits]);
    }
    Tensor stored(DType::kMXINT8, {std::ssize(values)});
    store_floats<float>(values, stored);
    std::vector<float> loaded(values.size());
    load_floats<float>(stored, loaded);
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto got = element_bits(stored, i);
      wrong += got != encode_mxint8(values[i]) || !same_number(loaded[i], decode_mxint8(got));
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("elements of a block-scaled tensor are values times the scales of their blocks") {
  for (const auto& type : kBlockScales) {
    INFO(to_string(type.dtype));
    // A short last block in every row, which only a graph in ERROR can have.
    Tensor tensor(type.dtype, {2, 70}), values(type.value, {2, 70}), scales(type.scale, {2, 3});
    std::vector<double> value(140), scale(6), loaded(140);
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<double>(i % 7) / 4 - 1;
    for (std::size_t i = 0; i < scale.size(); ++i) scale[i] = std::ldexp(1.0, static_cast<int>(i) - 3);
    store_floats<double>(value, values);
    store_floats<double>(scale, scales);
    std::ranges::copy(scales.bytes(), std::ranges::copy(values.bytes(), tensor.bytes().begin()).out);
    load_floats<double>(values, value);  // as rounded
    const auto precise = to_precise(tensor);
    CHECK(precise.dtype() == DType::kBS32_FP64_FP64);
    for (const auto& made : {tensor, precise}) {
      load_floats<double>(made, loaded);
      std::vector<float> narrow(140);
      load_floats<float>(made, narrow);
      for (std::size_t i = 0; i < loaded.size(); ++i) {
        const auto expected = value[i] * scale[i / 70 * 3 + i % 70 / 32];
        if (loaded[i] != expected || narrow[i] != static_cast<float>(expected)) FAIL_CHECK("element " << i);
      }
    }
  }
  Tensor all(DType::kBS32_FP8UE8M0_FP8E5M2, {32});
  all.bytes()[0] = std::byte{0x7B};   // 57344
  all.bytes()[1] = std::byte{0x01};   // 2^-16
  all.bytes()[32] = std::byte{0xFE};  // 2^127
  std::vector<float> loaded(32);
  load_floats<float>(all, loaded);
  CHECK(std::isinf(loaded[0]));
  CHECK(loaded[1] == 0x1p111f);
  all.bytes()[32] = std::byte{0x00};
  load_floats<float>(all, loaded);
  CHECK(loaded[1] == 0x1p-143f);
  all.bytes()[32] = std::byte{0xFF};
  load_floats<float>(all, loaded);
  CHECK(std::isnan(loaded[5]));
}

TEST_CASE("every NaN is stored as the positive quiet one") {
  Tensor tensor(DType::kFP32, {1});
  const float negative = -std::numeric_limits<float>::quiet_NaN();
  store_floats<float>(std::span(&negative, 1), tensor);
  CHECK(std::bit_cast<std::uint32_t>(tensor.data<float>()[0]) == 0x7FC00000u);
}

}  // namespace macaw::tosa
