#include <catch2/catch.hpp>

#include <cstring>
#include <memory>

#include <macaw/npy.hpp>

#include "base/file_name.hpp"
#include "base/near_names.hpp"

// Limits of arrays, names and views, each with what lies just behind it.
using namespace macaw;

namespace {

std::vector<std::byte> npy(int version, const std::string& header, std::size_t data) {
  const std::size_t start = version == 1 ? 10 : 12;
  std::vector<std::byte> bytes(start + header.size() + data);
  std::memcpy(bytes.data(), "\x93NUMPY", 6);
  bytes[6] = static_cast<std::byte>(version);
  for (std::size_t i = 8; i < start; ++i) bytes[i] = static_cast<std::byte>(header.size() >> (8 * (i - 8)));
  std::memcpy(bytes.data() + start, header.data(), header.size());
  return bytes;
}

std::string header_of(const std::string& shape, const std::string& descr = "|u1") {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

bool reads(int version, const std::string& header, std::size_t data) {
  return parse_npy(npy(version, header, data), "x.npy").has_value();
}

}  // namespace

TEST_CASE("npy files of versions 1 to 3 are read, with headers of any length") {
  for (int version = 0; version <= 5; ++version) {
    INFO(version);
    CHECK(reads(version, header_of("(3,)"), 3) == (version >= 1 && version <= 3));
  }
  const std::string wide = header_of("(3,)") + std::string(70000, ' ');
  CHECK(reads(2, wide, 3));
  auto cut = npy(2, header_of("()"), 1);
  for (std::size_t size = 0; size < cut.size(); ++size) CHECK_FALSE(parse_npy(std::span(cut).first(size), "x.npy"));
}

TEST_CASE("npy data have the bytes of their shape, no more and no fewer") {
  for (const std::size_t bytes : {5u, 6u, 7u}) CHECK(reads(1, header_of("(2, 3)"), bytes) == (bytes == 6));
  for (const std::size_t bytes : {0u, 1u}) CHECK(reads(1, header_of("(2, 0)"), bytes) == (bytes == 0));
  CHECK(reads(1, header_of("(2,)", "<i8"), 16));
  CHECK_FALSE(reads(1, header_of("(2,)", "<i8"), 15));
}

TEST_CASE("npy arrays have up to 64 dimensions and descriptions of three letters or more") {
  const auto shape = [](int rank) {
    std::string text = "(";
    for (int i = 0; i < rank; ++i) text += "1, ";
    return text + ")";
  };
  CHECK(reads(1, header_of(shape(64)), 1));
  CHECK_FALSE(reads(1, header_of(shape(65)), 1));
  for (const char* descr : {"u1", "|u", "", "|z1", "|u1x", "!u1", "|ux"}) {
    INFO(descr);
    CHECK_FALSE(reads(1, header_of("()", descr), 1));
  }
  for (const char* descr : {"|u1", "<u1", "=u1", "|b1", "|V1", "|S1"}) CHECK(reads(1, header_of("()", descr), 1));
}

TEST_CASE("the data of an npy file begin at a multiple of 64 bytes, with a line's end before them") {
  for (int rank = 0; rank <= 40; ++rank) {
    NpyArray array{"|u1", Shape(static_cast<std::size_t>(rank), 1), {std::byte{42}}};
    const auto bytes = format_npy(array);
    INFO(rank);
    CHECK(bytes.size() % 64 == 1);
    CHECK(bytes[bytes.size() - 2] == std::byte{'\n'});
    CHECK(bytes.back() == std::byte{42});
    const auto read = parse_npy(bytes, "x.npy");
    REQUIRE(read);
    CHECK((read->shape == array.shape && read->bytes == array.bytes && read->descr == "|u1"));
  }
}

TEST_CASE("bytes of truth are 0 and 1, and a type has its width") {
  for (int value = 0; value < 256; ++value)
    CHECK(to_tensor({"|b1", {1}, {static_cast<std::byte>(value)}}, std::nullopt, "x").has_value() == (value <= 1));
  const NpyArray four{"<i4", {1}, std::vector<std::byte>(4)};
  CHECK(to_tensor(four, DType::kINT32, "x"));
  CHECK(to_tensor(four, DType::kFP32, "x"));
  for (const auto dtype : {DType::kINT8, DType::kINT16, DType::kINT64})
    CHECK(to_tensor(four, dtype, "x").error().code == ErrorCode::kMismatch);
}

TEST_CASE("a view is of bytes that begin at a multiple of 8, and a copy of others") {
  alignas(8) static const std::array<std::byte, 64> bytes{std::byte{1}, std::byte{2}, std::byte{3}};
  const auto owner = std::make_shared<int>();
  for (std::size_t from = 0; from < 17; ++from) {
    const auto part = std::span(bytes).subspan(from, 8);
    const auto view = Tensor::view(DType::kINT64, {1}, part, owner);
    REQUIRE(view);
    INFO(from);
    CHECK(std::ranges::equal(std::as_const(*view).bytes(), part));
    const auto at = reinterpret_cast<std::uintptr_t>(std::as_const(*view).bytes().data());
    CHECK(at % 8 == 0);
    CHECK((std::as_const(*view).bytes().data() == part.data()) == (from % 8 == 0));
  }
  CHECK_FALSE(Tensor::view(DType::kINT64, {1}, std::span(bytes).first(7), owner));
  CHECK_FALSE(Tensor::view(DType::kINT64, {1}, std::span(bytes).first(9), owner));
}

TEST_CASE("tensors are equal in type, shape and bytes") {
  Tensor tensor(DType::kINT8, {2, 3});
  CHECK(tensor == Tensor(DType::kINT8, {2, 3}));
  CHECK_FALSE(tensor == Tensor(DType::kINT8, {3, 2}));
  CHECK_FALSE(tensor == Tensor(DType::kINT8, {6}));
  CHECK_FALSE(tensor == Tensor(DType::kUINT8, {2, 3}));
  Tensor other = tensor;
  other.bytes().back() = std::byte{1};
  CHECK_FALSE(tensor == other);
  tensor.reshape({3, 2});
  CHECK(tensor == Tensor(DType::kINT8, {3, 2}));
  CHECK_THROWS(tensor.reshape({3, 3}));
}

TEST_CASE("a name is near up to a letter, and one more for four of its own") {
  const auto near = [](const std::string& name, const std::string& known) {
    return io::near_names(name, std::vector<std::string>(13, known)).find("; did you mean '" + known + "'") == 0;
  };
  CHECK(near("abc", "abx"));
  CHECK_FALSE(near("abc", "axx"));
  CHECK(near("abcd", "abxx"));
  CHECK_FALSE(near("abcd", "axxx"));
  CHECK(near("abcdefgh", "abcdexxx"));
  CHECK_FALSE(near("abcdefgh", "abcdxxxx"));
  CHECK(near("abc", "xxxxxxabcxxxxxx"));
  CHECK_FALSE(near("ab", "xxxxxxabxxxxxx"));
  CHECK(near("AbC", "aBx"));
  CHECK(near(std::string(200, 'a'), std::string(200, 'a')));
  CHECK_FALSE(near(std::string(201, 'a'), std::string(201, 'a')));
}

TEST_CASE("near names are three, nearest first, and all known ones are told up to twelve") {
  CHECK(io::near_names("abcdefgh", std::vector<std::string>{"abcdefxx", "abcdefgh", "abcdefgx", "abcdefghi"}) ==
        "; did you mean 'abcdefgh', 'abcdefgx' or 'abcdefghi'?");
  for (const std::size_t count : {11u, 12u, 13u})
    CHECK(io::near_names("zzz", std::vector<std::string>(count, "abcdef")).empty() == (count > 12));
}

TEST_CASE("a file's name has up to 180 bytes, cut between characters") {
  CHECK(io::file_name_of(std::string(180, 'x')) == std::string(180, 'x'));
  const auto cut = io::file_name_of(std::string(181, 'x'));
  CHECK(cut.size() == 180);
  CHECK(cut.substr(0, 164) == std::string(163, 'x') + "~");
  for (std::size_t before = 0; before < 4; ++before) {
    std::string name(before, 'a');
    while (name.size() < 300) name += "\xf0\x9f\x98\x80";  // four bytes each
    const auto shown = io::file_name_of(name);
    const auto tilde = shown.rfind('~');
    INFO(before);
    CHECK(tilde % 4 == before);
    CHECK(tilde <= 163);
    CHECK(tilde > 159);
    CHECK(shown.size() == tilde + 17);
  }
}
