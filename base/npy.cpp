#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <new>
#include <stdexcept>

#include <macaw/npy.hpp>

#include "base/npy_file.hpp"

namespace macaw {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// numpy aligns the data to 64 bytes.
constexpr std::size_t kHeaderAlignment = 64;
constexpr std::size_t kMaxRank = 64;

/// The header is a Python dictionary literal; this reads the subset numpy writes.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  struct Header {
    std::string descr;
    bool fortran_order = false;
    Shape shape;
  };

  Result<Header> parse() {
    Header header;
    bool has_descr = false, has_order = false, has_shape = false;
    if (!take('{')) return error("a dictionary");
    while (!take('}')) {
      MACAW_ASSIGN(const auto key, string());
      if (!take(':')) return error("':'");
      if (key == "descr") {
        if (peek() == '[')
          return fail(ErrorCode::kUnsupported, "structured arrays are not supported, expected a plain number type",
                      {.file = name_});
        MACAW_ASSIGN(header.descr, string());
        has_descr = true;
      } else if (key == "fortran_order") {
        if (take_word("True")) header.fortran_order = true;
        else if (!take_word("False")) return error("True or False");
        has_order = true;
      } else if (key == "shape") {
        MACAW_ASSIGN(header.shape, tuple());
        has_shape = true;
      } else {
        return error("descr, fortran_order or shape");
      }
      if (!take(',') && peek() != '}') return error("',' or '}'");
    }
    if (!has_descr || !has_order || !has_shape) return error("descr, fortran_order and shape");
    skip_space();
    if (at_ < text_.size()) return error("nothing behind the dictionary");
    return header;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  Result<std::string> string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return error("a quoted string");
    const auto end = text_.find(quote, ++at_);
    if (end == std::string_view::npos) return error("a closing quote");
    std::string value(text_.substr(at_, end - at_));
    at_ = end + 1;
    return value;
  }
  Result<Shape> tuple() {
    Shape shape;
    if (!take('(')) return error("a tuple");
    while (!take(')')) {
      skip_space();
      std::int64_t extent = 0;
      const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (status != std::errc{}) return error("an integer below 2^63");
      at_ = static_cast<std::size_t>(end - text_.data());
      if (shape.size() == kMaxRank) return error("at most 64 dimensions");
      shape.push_back(extent);
      if (!take(',') && peek() != ')') return error("',' or ')'");
    }
    return shape;
  }
  tl::unexpected<Error> error(std::string_view expected) const {
    return fail(ErrorCode::kInvalidFile, fmt::format("malformed npy header, expected {}", expected),
                {.file = name_, .byte_offset = at_});
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

/// Bytes of one element, or an error for types that no tensor can hold.
Result<std::size_t> element_size(const std::string& descr, const std::string& name) {
  const auto unsupported = [&](std::string_view why) {
    return fail(ErrorCode::kUnsupported, fmt::format("npy type '{}' is not supported: {}", descr, why), {.file = name});
  };
  if (descr.find('O') != std::string::npos) return unsupported("object arrays are pickled Python data");
  if (descr.size() < 3) return unsupported("expected byte order, kind and size");
  if (descr[0] == '>') return unsupported("expected little-endian data");
  if (std::string_view("<|=").find(descr[0]) == std::string_view::npos ||
      std::string_view("biufVSc").find(descr[1]) == std::string_view::npos)
    return unsupported("expected an integer, float, bool, void or bytes type");
  std::size_t size = 0;
  const auto [end, status] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), size);
  if (status != std::errc{} || end != descr.data() + descr.size()) return unsupported("expected a size in bytes");
  return size;
}

std::vector<std::byte> to_c_order(std::span<const std::byte> data, const Shape& shape, std::size_t size) {
  std::vector<std::byte> out(data.size());
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::size_t to = 0; to + size <= out.size(); to += size) {
    std::size_t from = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;)
      from = from * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(index[axis]);
    std::memcpy(out.data() + to, data.data() + from * size, size);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return out;
}

std::optional<DType> dtype_of(std::string_view descr) {
  static constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"|b1", DType::kBOOL},   {"|i1", DType::kINT8},    {"|u1", DType::kUINT8},   {"<i2", DType::kINT16},
      {"<u2", DType::kUINT16}, {"<i4", DType::kINT32},   {"<u4", DType::kUINT32},  {"<i8", DType::kINT64},
      {"<f2", DType::kFP16},   {"<f4", DType::kFP32},    {"<f8", DType::kFP64},    {"<V2", DType::kBF16},
      {"|V2", DType::kBF16},   {"|V1", DType::kFP8E4M3}, {"<V1", DType::kFP8E4M3},
  };
  for (const auto& [text, dtype] : kTypes)
    if (descr == text) return dtype;
  return std::nullopt;
}

/// Values in a row of an array of a block-scaled type, where the scales follow them; -1 if there is no such row.
std::int64_t values_in_row(std::int64_t extent) {
  const auto scales = extent / (kInnermostBlockSize + 1) + (extent % (kInnermostBlockSize + 1) != 0);
  return scale_shape({extent - scales}).front() == scales ? extent - scales : -1;
}

/// Calls copy(offset in the array, offset in the tensor, bytes) for the values and for the scales of every row.
template <class F>
void for_each_row(const Tensor& tensor, F copy) {
  const auto width = size_of(tensor.dtype());
  const auto row = (tensor.shape().empty() ? 1 : static_cast<std::size_t>(tensor.shape().back())) * width;
  const auto values = static_cast<std::size_t>(tensor.size()) * width, count = row == 0 ? 0 : values / row;
  const auto scales = count == 0 ? 0 : (tensor.bytes().size() - values) / count;
  for (std::size_t i = 0; i < count; ++i) {
    copy(i * (row + scales), i * row, row);
    copy(i * (row + scales) + row, values + i * scales, scales);
  }
}

Result<Tensor> to_block_scaled(const NpyArray& array, DType dtype, const std::string& name) {
  auto shape = array.shape;
  const auto values = shape.empty() ? -1 : values_in_row(shape.back());
  if (values < 0)
    return fail(ErrorCode::kMismatch,
                fmt::format("shape {} cannot be {}: expected a last extent of C + C / 32, the scales after the values",
                            to_string(array.shape), to_string(dtype)),
                {.file = name});
  shape.back() = values;
  MACAW_ASSIGN(auto tensor, Tensor::create(dtype, std::move(shape), TensorMemory::ZeroFill::kLazy));
  auto* to = tensor.uninitialized_bytes().data();
  for_each_row(tensor, [&](std::size_t in_array, std::size_t in_tensor, std::size_t size) {
    std::copy_n(array.bytes.begin() + static_cast<std::ptrdiff_t>(in_array), size, to + in_tensor);
  });
  return tensor;
}

/// An array without its bytes, and where they begin in the file.
struct NpyLayout {
  NpyArray array;
  std::size_t begin = 0, element_size = 0;
  bool fortran_order = false;
};

Result<NpyLayout> parse_layout(std::span<const std::byte> bytes, const std::string& name) {
  const auto invalid = [&](std::string message, std::uint64_t offset) {
    return fail(ErrorCode::kInvalidFile, std::move(message), {.file = name, .byte_offset = offset});
  };
  if (bytes.size() < 10 || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    return invalid("not an npy file, expected the magic \\x93NUMPY", 0);
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(bytes[i]); };
  const auto major = at(6);
  if (major < 1 || major > 3) return invalid(fmt::format("npy format version {}, expected 1 to 3", major), 6);
  const std::size_t start = major == 1 ? 10 : 12;
  if (bytes.size() < start) return invalid("truncated npy header", 8);
  const std::size_t length = major == 1 ? at(8) | at(9) << 8 : at(8) | at(9) << 8 | at(10) << 16 | at(11) << 24;
  if (length > bytes.size() - start)
    return invalid(fmt::format("npy header of {} bytes in a file of {}", length, bytes.size()), 8);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + start, length);
  MACAW_ASSIGN(auto header, HeaderParser(text, name).parse());
  MACAW_ASSIGN(const auto size, element_size(header.descr, name));
  auto count = element_count(header.shape, size);
  if (!count) {
    count.error().place.file = name;
    return tl::unexpected(count.error());
  }
  const auto data = bytes.subspan(start + length);
  const auto expected = static_cast<std::uint64_t>(*count) * size;
  if (data.size() != expected)
    return invalid(fmt::format("npy data of {} bytes, expected {} for '{}' {}", data.size(), expected, header.descr,
                               to_string(header.shape)),
                   start + length);
  const bool is_fortran = header.fortran_order && header.shape.size() > 1 && expected > 0;
  return NpyLayout{{std::move(header.descr), std::move(header.shape), {}}, start + length, size, is_fortran};
}

}  // namespace

Result<NpyArray> parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  MACAW_ASSIGN(auto layout, parse_layout(bytes, name));
  auto& array = layout.array;
  const auto data = bytes.subspan(layout.begin);
  if (layout.fortran_order) array.bytes = to_c_order(data, array.shape, layout.element_size);
  else array.bytes.assign(data.begin(), data.end());
  return std::move(array);
}

Result<NpyArray> parse_npy(std::vector<std::byte>&& bytes, const std::string& name) {
  MACAW_ASSIGN(auto layout, parse_layout(bytes, name));
  if (layout.fortran_order) return parse_npy(std::span<const std::byte>(bytes), name);
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(layout.begin));
  layout.array.bytes = std::move(bytes);
  return std::move(layout.array);
}

Result<NpyArray> read_npy(const std::filesystem::path& file) {
  MACAW_ASSIGN(auto bytes, io::read_file(file));
  return parse_npy(std::move(bytes), file.string());
}

std::vector<std::byte> format_npy(const NpyArray& array) {
  std::string shape = "(";
  for (const auto extent : array.shape) shape += fmt::format("{}, ", extent);
  if (array.shape.size() > 1) shape.resize(shape.size() - 2);
  if (array.shape.size() == 1) shape.pop_back();
  shape += ")";
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", array.descr, shape);
  constexpr std::size_t kPrefix = 10;
  header.append(kHeaderAlignment - (kPrefix + header.size() + 1) % kHeaderAlignment, ' ');
  header += '\n';
  std::vector<std::byte> out(kPrefix + header.size() + array.bytes.size());
  std::memcpy(out.data(), kMagic.data(), kMagic.size());
  out[6] = std::byte{1};
  out[7] = std::byte{0};
  out[8] = static_cast<std::byte>(header.size() & 0xFF);
  out[9] = static_cast<std::byte>(header.size() >> 8);
  std::memcpy(out.data() + kPrefix, header.data(), header.size());
  std::copy(array.bytes.begin(), array.bytes.end(), out.begin() + static_cast<std::ptrdiff_t>(kPrefix + header.size()));
  return out;
}

Result<Tensor> to_tensor(const NpyArray& array, std::optional<DType> dtype, const std::string& name) {
  MACAW_ASSIGN(const auto size, element_size(array.descr, name));
  if (!dtype) dtype = dtype_of(array.descr);
  if (!dtype)
    return fail(ErrorCode::kUnsupported, fmt::format("npy type '{}' has no tensor type", array.descr), {.file = name});
  if (size != size_of(*dtype))
    return fail(ErrorCode::kMismatch,
                fmt::format("npy type '{}' has {} bytes per element, expected {} for {}", array.descr, size,
                            size_of(*dtype), to_string(*dtype)),
                {.file = name});
  // Any other byte in a bool would be undefined behaviour later.
  if (*dtype == DType::kBOOL &&
      std::any_of(array.bytes.begin(), array.bytes.end(), [](std::byte b) { return b > std::byte{1}; }))
    return fail(ErrorCode::kInvalidFile, "a bool array holds a byte other than 0 and 1", {.file = name});
  if (is_block_scale(*dtype)) return to_block_scaled(array, *dtype, name);
  MACAW_ASSIGN(auto tensor, Tensor::create(*dtype, array.shape, TensorMemory::ZeroFill::kLazy));
  std::copy(array.bytes.begin(), array.bytes.end(), tensor.uninitialized_bytes().begin());
  return tensor;
}

Result<Tensor> read_tensor(const std::filesystem::path& file, std::optional<DType> dtype) {
  MACAW_ASSIGN(const auto array, read_npy(file));
  return to_tensor(array, dtype, file.string());
}

NpyArray to_npy(const Tensor& tensor) {
  NpyArray array{std::string(info(tensor.dtype()).npy), tensor.shape(), {tensor.bytes().begin(), tensor.bytes().end()}};
  if (!is_block_scale(tensor.dtype())) return array;
  if (array.shape.empty()) array.shape.push_back(1);
  array.shape.back() += scale_shape(array.shape).back();
  for_each_row(tensor, [&](std::size_t in_array, std::size_t in_tensor, std::size_t size) {
    std::ranges::copy(tensor.bytes().subspan(in_tensor, size),
                      array.bytes.begin() + static_cast<std::ptrdiff_t>(in_array));
  });
  return array;
}

Result<void> write_tensor(const std::filesystem::path& file, const Tensor& tensor) {
  io::FileSet files;
  MACAW_CHECK(io::add_tensor(files, file, tensor));
  return files.publish();
}

Result<void> io::add_tensor(FileSet& files, const std::filesystem::path& file, const Tensor& tensor) {
  if (is_block_scale(tensor.dtype())) return files.add(file, format_npy(to_npy(tensor)));
  return files.add(file, format_npy({std::string(info(tensor.dtype()).npy), tensor.shape(), {}}), tensor.bytes());
}

}  // namespace macaw
