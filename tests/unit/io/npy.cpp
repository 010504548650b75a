#include <catch2/catch.hpp>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include <fmt/format.h>
#include <macaw/npy.hpp>

#include "reference/io/file.hpp"

using namespace macaw;

namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    char name[] = "/tmp/macaw_io_XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  CHECK(code("{'descr': '|O', 'fortran_order': False, 'shape': ()}") == ErrorCode::kUnsupported);
  CHECK(code("{'descr': '>i4', 'fortran_order': False, 'shape': (0,)}") == ErrorCode::kUnsupported);
  CHECK(code("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (0,)}") == ErrorCode::kUnsupported);
}

TEST_CASE("every prefix and many mutations of an npz end in a result") {
  const TemporaryFolder folder;
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
