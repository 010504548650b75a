#include <catch2/catch.hpp>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include <fmt/format.h>
#include <macaw/npy.hpp>

#include "base/file.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace macaw;

namespace {

std::vector<std::byte> npy_with_header(const std::string& header, std::size_t data = 0) {
  std::vector<std::byte> bytes(10 + header.size() + data);
  std::memcpy(bytes.data(), "\x93NUMPY\x01\x00", 8);
  bytes[8] = static_cast<std::byte>(header.size() & 0xFF);
  bytes[9] = static_cast<std::byte>(header.size() >> 8);
  std::memcpy(bytes.data() + 10, header.data(), header.size());
  return bytes;
}

Tensor numbered(DType dtype, Shape shape) {
  Tensor tensor(dtype, std::move(shape));
  std::byte next{0};
  for (auto& b : tensor.bytes())
    b = dtype == DType::kBOOL ? std::byte{1} : (next = std::byte(static_cast<int>(next) + 37));
  return tensor;
}

}  // namespace

TEST_CASE("a tensor survives npy") {
  for (const auto dtype : {DType::kBOOL, DType::kINT8, DType::kUINT8, DType::kINT16, DType::kINT32, DType::kINT64,
                           DType::kFP32, DType::kBF16, DType::kFP8E4M3}) {
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 3, 4}, Shape{0, 3}}) {
      const auto tensor = numbered(dtype, shape);
      const auto array = parse_npy(format_npy(to_npy(tensor)), "x.npy");
      REQUIRE(array);
      REQUIRE(to_tensor(*array, dtype, "x.npy").value() == tensor);
      REQUIRE(to_tensor(*array, std::nullopt, "x.npy").value() == tensor);
    }
  }
}

TEST_CASE("numpy accepts what is written") {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
    WARN("skipped: no numpy");
    return;
  }
  const macaw::test::TemporaryFolder folder;
  Tensor a(DType::kINT32, {2, 3});
  for (int i = 0; i < 6; ++i) a.data<std::int32_t>()[static_cast<std::size_t>(i)] = i * 1000 - 7;
  Tensor scalar(DType::kINT16, {});
  scalar.data<std::int16_t>()[0] = -3;
  REQUIRE(write_tensor(folder / "a.npy", a));
  REQUIRE(write_npz(folder / "b.npz", {{"a", to_npy(a)}, {"s", to_npy(scalar)}}));
  const auto script = fmt::format(
      "/usr/bin/python3 -c \"import numpy as n; a=n.load('{0}'); z=n.load('{1}'); "
      "assert a.dtype=='<i4' and a.tolist()==[[-7,993,1993],[2993,3993,4993]]; "
      "assert z['a'].tolist()==a.tolist() and z['s'].shape==() and z['s']==-3\"",
      (folder / "a.npy").string(), (folder / "b.npz").string());
  CHECK(std::system(script.c_str()) == 0);
}

TEST_CASE("an npz is byte-stable and reads back") {
  const macaw::test::TemporaryFolder folder;
  const std::map<std::string, NpyArray> arrays{{"x", to_npy(numbered(DType::kINT8, {7}))},
                                               {"y", {"|S4", {}, std::vector<std::byte>(4)}}};
  REQUIRE(write_npz(folder / "1.npz", arrays));
  REQUIRE(write_npz(folder / "2.npz", arrays));
  CHECK(io::read_file(folder / "1.npz").value() == io::read_file(folder / "2.npz").value());
  const auto npz = read_npz(folder / "1.npz");
  REQUIRE(npz);
  CHECK(npz->arrays.at("x").bytes == arrays.at("x").bytes);
  CHECK(npz->arrays.at("y").bytes.size() == 4);  // trailing zeros are data
}

TEST_CASE("Fortran order becomes C order") {
  auto bytes = npy_with_header("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }\n", 6);
  for (std::size_t i = 0; i < 6; ++i) bytes[bytes.size() - 6 + i] = static_cast<std::byte>(i);
  const auto array = parse_npy(bytes, "f.npy");
  REQUIRE(array);
  const std::vector<int> expected{0, 2, 4, 1, 3, 5};
  for (std::size_t i = 0; i < 6; ++i) CHECK(static_cast<int>(array->bytes[i]) == expected[i]);
}

TEST_CASE("malformed npy headers are coded errors") {
  const auto code = [](const std::string& header) { return parse_npy(npy_with_header(header), "h.npy").error().code; };
  CHECK(code("") == ErrorCode::kInvalidFile);
  CHECK(code("{'descr': '|i1'") == ErrorCode::kInvalidFile);
  CHECK(code("{'descr': '|i1', 'fortran_order': Maybe, 'shape': ()}") == ErrorCode::kInvalidFile);
  CHECK(code("{'descr': '|i1', 'fortran_order': False, 'shape': (-1,)}") == ErrorCode::kInvalidFile);
  CHECK(code("{'descr': '<i8', 'fortran_order': False, 'shape': (4611686018427387904, 4)}") == ErrorCode::kInvalidFile);
  CHECK(code("{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999999999999,)}") == ErrorCode::kInvalidFile);
  CHECK(code("{'descr': '|i1', 'fortran_order': False, 'shape': (1,)}") == ErrorCode::kInvalidFile);  // no data
  CHECK(code("{'descr': '|i1', 'fortran_order': False, 'shape': (0,)}}") == ErrorCode::kInvalidFile);
  CHECK(parse_npy(npy_with_header("{'descr': '|i1', 'fortran_order': False, 'shape': (0,)} \t\n"), "h.npy"));
  CHECK(code("{'descr': '|O', 'fortran_order': False, 'shape': ()}") == ErrorCode::kUnsupported);
  CHECK(code("{'descr': '>i4', 'fortran_order': False, 'shape': (0,)}") == ErrorCode::kUnsupported);
  CHECK(code("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (0,)}") == ErrorCode::kUnsupported);
}

TEST_CASE("every prefix and many mutations of an npz end in a result") {
  const macaw::test::TemporaryFolder folder;
  REQUIRE(write_npz(folder / "seed.npz",
                    {{"x", to_npy(numbered(DType::kINT32, {9}))}, {"y", to_npy(numbered(DType::kINT8, {3, 3}))}}));
  const auto seed = io::read_file(folder / "seed.npz").value();
  for (std::size_t n = 0; n < seed.size(); ++n) CHECK_FALSE(parse_npz(std::span(seed).first(n), "prefix"));
  std::mt19937 random(1);
  int failed = 0;
  for (int i = 0; i < 3000; ++i) {
    auto bytes = seed;
    for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    failed += !parse_npz(bytes, "mutation");
  }
  CHECK(failed > 100);
}

TEST_CASE("files: missing, a folder, unwritable") {
  CHECK(io::read_file("/nonexistent/x.npy").error().code == ErrorCode::kIo);
  CHECK(io::read_file("/").error().code == ErrorCode::kIo);
  CHECK(io::write_file("/nonexistent/x.npy", std::string_view("x")).error().code == ErrorCode::kIo);
}

TEST_CASE("element counts are computed without overflow") {
  CHECK(element_count({2, 3, 4}).value() == 24);
  CHECK(element_count({}).value() == 1);
  CHECK(element_count({0, std::int64_t{1} << 62, 8}).error().code == ErrorCode::kInvalidFile);
  CHECK(element_count({std::int64_t{1} << 62, 4}).error().code == ErrorCode::kInvalidFile);
  CHECK_FALSE(Tensor::create(DType::kINT32, {std::int64_t{1} << 60}));
}

TEST_CASE("a block-scaled tensor has values and then scales, views of both and a byte count") {
  for (const auto& type : kBlockScales) {
    INFO(to_string(type.dtype));
    const auto width = static_cast<std::int64_t>(size_of(type.value));
    CHECK(size_of(type.scale) == size_of(type.value));
    const auto tensor = Tensor::create(type.dtype, {3, 64});
    REQUIRE(tensor);
    CHECK(tensor->size() == 192);
    CHECK(std::ssize(tensor->bytes()) == (192 + 6) * width);
    const auto values = tensor->values(), scales = tensor->scales();
    CHECK(values.dtype() == type.value);
    CHECK(values.shape() == Shape{3, 64});
    CHECK(values.bytes().data() == tensor->bytes().data());
    CHECK(scales.dtype() == type.scale);
    CHECK(scales.shape() == Shape{3, 2});
    CHECK(scales.bytes().data() == tensor->bytes().data() + 192 * width);
    CHECK(std::ssize(scales.bytes()) == 6 * width);
  }
  const auto bytes = [](const Shape& shape) { return byte_count(DType::kBS32_FP8UE8M0_MXINT8, shape); };
  CHECK(bytes({}).value() == 2);
  CHECK(bytes({2, 33}).value() == 66 + 4);
  CHECK(bytes({5, 0}).value() == 0);
  CHECK(bytes({std::int64_t{1} << 62}).error().code == ErrorCode::kInvalidFile);
  auto tensor = Tensor(DType::kBS32_FP8UE8M0_MXINT8, {2, 32});
  CHECK_THROWS(tensor.reshape({64, 1}));
  CHECK_NOTHROW(tensor.reshape({64}));
  CHECK_FALSE(Tensor::view(tensor.dtype(), {64}, std::as_const(tensor).bytes().first(64), nullptr));
}

TEST_CASE("rows of a block-scaled npy array are values and then their scales") {
  for (const auto dtype : {DType::kBS32_FP8UE8M0_FP4E2M1, DType::kBS32_FP64_FP64}) {
    INFO(to_string(dtype));
    const auto width = size_of(dtype);
    Tensor tensor(dtype, {2, 64});
    for (std::size_t i = 0; i < tensor.bytes().size(); ++i) tensor.bytes()[i] = static_cast<std::byte>(i / width);
    const auto array = to_npy(tensor);
    CHECK(array.descr == (width == 1 ? "|u1" : "<f8"));
    REQUIRE(array.shape == Shape{2, 66});
    const auto at = [&](std::size_t i) { return std::to_integer<int>(array.bytes[i * width]); };
    CHECK(at(0) == 0);
    CHECK(at(63) == 63);
    CHECK(at(64) == 128);  // scales of the first row
    CHECK(at(65) == 129);
    CHECK(at(66) == 64);
    CHECK(at(131) == 131);
    const auto back = to_tensor(array, dtype, "array");
    REQUIRE(back);
    CHECK(*back == tensor);
  }
  // Every extent that a file can have either is C + ceil(C / 32) for one C or an error.
  for (std::int64_t extent = 0, values = 0; extent < 200; ++extent) {
    const NpyArray array{"|u1", {extent}, std::vector<std::byte>(static_cast<std::size_t>(extent))};
    const auto tensor = to_tensor(array, DType::kBS32_FP8UE8M0_FP8E5M2, "array");
    if (extent % 33 == 1) {
      REQUIRE(!tensor);
      CHECK(tensor.error().code == ErrorCode::kMismatch);
    } else {
      REQUIRE(tensor);
      CHECK(tensor->shape() == Shape{values++});
      CHECK(to_npy(*tensor).shape == array.shape);
    }
  }
  CHECK_FALSE(to_tensor({"|u1", {}, {std::byte{}}}, DType::kBS32_FP8UE8M0_FP8E5M2, "scalar"));
  CHECK(to_npy(Tensor(DType::kBS32_FP8UE8M0_FP8E5M2, {})).shape == Shape{2});
}
