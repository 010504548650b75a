#include <fmt/format.h>
#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "app/preprocess/samples.hpp"

namespace macaw::app {
namespace {

Result<void> check_size(std::size_t height, std::size_t width, const std::string& file) {
  if (height > 0 && width > 0 && width <= kMostSamples / height) return {};
  return fail(ErrorCode::kUnsupported,
              fmt::format("a picture of {} x {} pixels; expected 1 to {} pixels", width, height, kMostSamples),
              {.file = file});
}

/// Leaves out the fourth channel where there is one.
Samples to_samples(std::span<const std::uint8_t> pixels, std::size_t height, std::size_t width, std::size_t stored,
                   std::size_t channels) {
  Samples samples{.height = height, .width = width, .channels = channels, .values = {}};
  samples.values.reserve(height * width * channels);
  for (std::size_t i = 0; i < height * width; ++i)
    for (std::size_t c = 0; c < channels; ++c) samples.values.push_back(pixels[i * stored + c]);
  return samples;
}

/// A PNG without the chunks by which libpng would change samples to those of sRGB: they are taken as they are stored,
/// as TensorFlow and Pillow do.
std::vector<std::byte> without_colour_spaces(std::span<const std::byte> bytes) {
  constexpr std::size_t kSignature = 8, kAround = 12;  // length, name and checksum
  constexpr std::array<std::string_view, 4> kNames{"gAMA", "cHRM", "iCCP", "sRGB"};
  std::size_t at = std::min(kSignature, bytes.size());
  std::vector<std::byte> kept(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
  while (at < bytes.size()) {
    auto chunk = bytes.subspan(at);
    std::string_view name;
    if (chunk.size() >= kAround) {
      std::size_t length = 0;
      for (std::size_t i = 0; i < 4; ++i) length = length << 8U | std::to_integer<std::size_t>(chunk[i]);
      name = {reinterpret_cast<const char*>(chunk.data()) + 4, 4};
      chunk = chunk.first(std::min(kAround + length, chunk.size()));
    }
    if (std::ranges::find(kNames, name) == kNames.end()) kept.insert(kept.end(), chunk.begin(), chunk.end());
    at += chunk.size();
  }
  return kept;
}

}  // namespace

Result<Samples> decode_png(std::span<const std::byte> bytes, const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const auto invalid = [&] {
    return fail(ErrorCode::kInvalidFile, fmt::format("invalid PNG file: {}", image.message), {.file = file});
  };
  const auto stored = without_colour_spaces(bytes);
  if (!png_image_begin_read_from_memory(&image, stored.data(), stored.size())) return invalid();
  const std::unique_ptr<png_image, void (*)(png_imagep)> owner(&image, png_image_free);
  MACAW_CHECK(check_size(image.height, image.width, file));
  if (image.format & PNG_FORMAT_FLAG_LINEAR)
    return fail(ErrorCode::kUnsupported, "a PNG with 16 bits per channel; expected 8", {.file = file});
  // Transparency is read and left out: without it libpng would blend the pixels with a background.
  const bool has_colour = image.format & PNG_FORMAT_FLAG_COLOR;
  image.format = has_colour ? PNG_FORMAT_RGBA : PNG_FORMAT_GA;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr)) return invalid();
  return to_samples(pixels, image.height, image.width, has_colour ? 4 : 2, has_colour ? 3 : 1);
}

Result<Samples> decode_jpeg(std::span<const std::byte> bytes, const std::string& file) {
  const std::unique_ptr<void, int (*)(tjhandle)> decoder(tjInitDecompress(), tjDestroy);
  const auto invalid = [&] {
    return fail(ErrorCode::kInvalidFile, fmt::format("invalid JPEG file: {}", tjGetErrorStr2(decoder.get())),
                {.file = file});
  };
  if (!decoder) return fail(ErrorCode::kUnsupported, "the JPEG decoder cannot be started", {.file = file});
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0, height = 0, subsampling = 0, colours = 0;
  if (tjDecompressHeader3(decoder.get(), data, bytes.size(), &width, &height, &subsampling, &colours) != 0)
    return invalid();
  if (width <= 0 || height <= 0)
    return fail(ErrorCode::kInvalidFile, "invalid JPEG file: its header states no size", {.file = file});
  MACAW_CHECK(check_size(static_cast<std::size_t>(height), static_cast<std::size_t>(width), file));
  if (colours == TJCS_CMYK || colours == TJCS_YCCK)
    return fail(ErrorCode::kUnsupported, "a JPEG in CMYK; expected RGB, YCbCr or grey", {.file = file});
  const bool is_grey = colours == TJCS_GRAY;
  const auto rows = static_cast<std::size_t>(height), columns = static_cast<std::size_t>(width);
  const std::size_t channels = is_grey ? 1 : 3;
  std::vector<std::uint8_t> pixels(rows * columns * channels);
  // The exact transform, which is the same on every processor; a file with too many scans is refused.
  if (tjDecompress2(decoder.get(), data, bytes.size(), pixels.data(), width, 0, height, is_grey ? TJPF_GRAY : TJPF_RGB,
                    TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS | TJFLAG_STOPONWARNING) != 0)
    return invalid();
  return to_samples(pixels, rows, columns, channels, channels);
}

}  // namespace macaw::app
