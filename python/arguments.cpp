#include <fmt/format.h>

#include <charconv>

#include <macaw/npu/artifact.hpp>

#include "python/native.hpp"

namespace macaw::python {

namespace {

/// Memory of the caller, by the index of its address.
std::span<const std::byte> memory_of(const json& index, const json& size, const std::uint64_t* addresses) {
  return {reinterpret_cast<const std::byte*>(addresses[index.get<std::size_t>()]), size.get<std::size_t>()};
}

double number_of(const json& value) {
  const auto& text = value.get_ref<const std::string&>();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::invalid_argument || end != text.data() + text.size())
    throw Failure{{ErrorCode::kUsage, fmt::format("'{}' is not a number", text), {}}};
  return number;
}

}  // namespace

std::string text_of(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) text += static_cast<char>(0xc0 | byte >> 6);
    text += static_cast<char>(byte < 0x80 ? byte : 0x80 | (byte & 0x3f));
  }
  return text;
}

std::string bytes_of(const json& value) {
  const auto& text = value.get_ref<const std::string&>();
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // Two bytes of UTF-8 are a character from 0x80 to 0xff; the caller sends no other.
    bytes += static_cast<char>(byte < 0x80 ? byte : (byte & 0x03) << 6 | (text[++i] & 0x3f));
  }
  return bytes;
}

std::string text_of(double number) { return fmt::format("{}", number); }

GivenArray::GivenArray(const json& value, const std::uint64_t* addresses)
    : name_(value[3].is_null() ? "" : bytes_of(value[3])) {
  if (value[1].is_null()) {
    const bool is_mismatch = value[0] == to_string(ErrorCode::kMismatch);
    error_ = {is_mismatch ? ErrorCode::kMismatch : ErrorCode::kUnsupported, value[2].get<std::string>(), {}};
    return;
  }
  type_ = value[1].get<std::string>();
  shape_ = value[2].get<Shape>();
  bytes_ = memory_of(value[0], value[4], addresses);
}

Result<NpyArray> GivenArray::contents(const std::string& place) const {
  if (error_) return fail(error_->code, place + error_->message);
  return NpyArray{type_, shape_, {bytes_.begin(), bytes_.end()}};
}

NpyArray GivenArray::part(std::size_t index) const {
  const auto size = bytes_.size() / static_cast<std::size_t>(shape_[0]);
  const auto bytes = bytes_.subspan(index * size, size);
  return {type_, Shape(shape_.begin() + 1, shape_.end()), {bytes.begin(), bytes.end()}};
}

std::vector<std::string> Arguments::bytes_list(const char* key) const {
  std::vector<std::string> list;
  for (const auto& text : values_.at(key)) list.push_back(bytes_of(text));
  return list;
}

double Arguments::number(const char* key) const { return number_of(values_.at(key)); }

std::map<std::string, double> Arguments::numbers(const char* key) const {
  std::map<std::string, double> numbers;
  for (const auto& pair : values_.at(key)) numbers[bytes_of(pair[0])] = number_of(pair[1]);
  return numbers;
}

std::span<const std::byte> Arguments::contents(const char* key) const {
  const auto& value = values_.at(key);
  return memory_of(value[0], value[1], addresses_);
}

std::vector<GivenArray> Arguments::arrays(const json& list) const {
  std::vector<GivenArray> arrays;
  for (const auto& value : list) arrays.emplace_back(value, addresses_);
  return arrays;
}

InputFit Arguments::fit() const { return {.reshape = get<bool>("reshape"), .reinterpret = get<bool>("reinterpret")}; }

npu::Artifact Arguments::artifact() const {
  const auto method = bytes("method");
  if (has("artifact")) return unwrap(npu::parse_artifact(contents("artifact"), "artifact", method));
  return unwrap(npu::load_artifact(bytes("artifact_file"), method));
}

}  // namespace macaw::python
