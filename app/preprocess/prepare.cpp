#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/preprocess/preprocess.hpp"
#include "base/file.hpp"

namespace macaw::app {
namespace {

using Affine = Preprocessing::Affine;
using Colour = Preprocessing::Colour;

tl::unexpected<Error> mismatch(std::string text, const std::string& file) {
  return fail(ErrorCode::kMismatch, std::move(text), {.file = file});
}

/// Height, width and channels that an input takes.
struct PictureShape {
  std::size_t height = 0, width = 0, channels = 0;
};

Result<PictureShape> picture_shape(const InputPort& port, bool channels_first, const std::string& file) {
  Shape shape = port.shape.value_or(Shape{});
  if (shape.size() == 4 && shape[0] == 1) shape.erase(shape.begin());
  if (shape.size() == 2) shape.insert(channels_first ? shape.begin() : shape.end(), 1);
  const bool is_known = std::ranges::all_of(shape, [](std::int64_t extent) { return extent > 0; });
  if (shape.size() != 3 || !is_known)
    return mismatch(fmt::format("a picture, but input '{}' has the shape {}; expected [1, height, width, channels], or "
                                "[1, channels, height, width] with layout \"nchw\"",
                                port.name, port.shape ? to_string(*port.shape) : "unknown"),
                    file);
  if (channels_first) std::ranges::rotate(shape, shape.begin() + 1);
  PictureShape result{static_cast<std::size_t>(shape[0]), static_cast<std::size_t>(shape[1]),
                      static_cast<std::size_t>(shape[2])};
  if (result.channels == 1 || result.channels == 3) return result;
  return mismatch(fmt::format("a picture, but input '{}' of shape {} has {} channels; expected 1 or 3 (is the layout "
                              "\"{}\"?)",
                              port.name, to_string(*port.shape), result.channels, channels_first ? "nhwc" : "nchw"),
                  file);
}

/// Grey by ITU-R BT.601, rounded to whole steps as imaging programs do.
Samples with_channels(const Samples& given, std::size_t channels, bool reversed) {
  Samples result{.height = given.height, .width = given.width, .channels = channels, .values = {}};
  result.values.reserve(given.height * given.width * channels);
  for (std::size_t i = 0; i < given.height * given.width; ++i) {
    const float* pixel = &given.values[i * given.channels];
    if (channels == given.channels) {
      for (std::size_t c = 0; c < channels; ++c) result.values.push_back(pixel[reversed ? channels - 1 - c : c]);
    } else if (channels == 3) {
      result.values.insert(result.values.end(), 3, pixel[0]);
    } else {
      const double grey = 0.299 * double{pixel[0]} + 0.587 * double{pixel[1]} + 0.114 * double{pixel[2]};
      result.values.push_back(static_cast<float>(std::floor(grey + 0.5)));
    }
  }
  return result;
}

/// The middle of a picture with the aspect ratio of `height` to `width`.
Samples cropped(const Samples& given, std::size_t height, std::size_t width) {
  std::size_t rows = given.height, columns = given.width;
  if (rows * width > columns * height) rows = std::max<std::size_t>(1, columns * height / width);
  else columns = std::max<std::size_t>(1, rows * width / height);
  Samples result{.height = rows, .width = columns, .channels = given.channels, .values = {}};
  const auto top = (given.height - rows) / 2, left = (given.width - columns) / 2;
  for (std::size_t y = 0; y < rows; ++y) {
    const auto first =
        given.values.begin() + static_cast<std::ptrdiff_t>(((top + y) * given.width + left) * given.channels);
    result.values.insert(result.values.end(), first, first + static_cast<std::ptrdiff_t>(columns * given.channels));
  }
  return result;
}

/// The two neighbours of an element along one axis, and the weight of the second.
struct Place {
  std::size_t low = 0, high = 0;
  float share = 0;
};

/// Pixel centres are at halves, as in TensorFlow 2 and PyTorch without antialiasing.
std::vector<Place> places(std::size_t from, std::size_t to, bool nearest) {
  std::vector<Place> list;
  const double step = static_cast<double>(from) / static_cast<double>(to);
  for (std::size_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * step;
    if (nearest) {
      const auto place = std::min(static_cast<std::size_t>(centre), from - 1);
      list.push_back({place, place, 0});
      continue;
    }
    const double at = std::clamp(centre - 0.5, 0.0, static_cast<double>(from - 1));
    const auto low = static_cast<std::size_t>(at);
    list.push_back({low, std::min(low + 1, from - 1), static_cast<float>(at - static_cast<double>(low))});
  }
  return list;
}

Samples resized(const Samples& given, std::size_t height, std::size_t width, bool nearest) {
  const auto rows = places(given.height, height, nearest), columns = places(given.width, width, nearest);
  Samples result{.height = height, .width = width, .channels = given.channels, .values = {}};
  result.values.reserve(height * width * given.channels);
  const auto value = [&](std::size_t y, std::size_t x, std::size_t c) {
    return given.values[(y * given.width + x) * given.channels + c];
  };
  for (const auto& y : rows)
    for (const auto& x : columns)
      for (std::size_t c = 0; c < given.channels; ++c) {
        const float top = value(y.low, x.low, c) + (value(y.low, x.high, c) - value(y.low, x.low, c)) * x.share;
        const float bottom = value(y.high, x.low, c) + (value(y.high, x.high, c) - value(y.high, x.low, c)) * x.share;
        result.values.push_back(top + (bottom - top) * y.share);
      }
  return result;
}

float scaled(float value, const Affine& affine, std::size_t channel) {
  const auto of = [&](const std::vector<double>& list) { return list.size() == 1 ? list[0] : list[channel]; };
  return static_cast<float>((double{value} - of(affine.mean)) * of(affine.scale));
}

}  // namespace

Result<Tensor> prepare_picture(const Samples& samples, const InputPort& port, const Preprocessing::Picture& settings,
                               const std::string& file) {
  MACAW_ASSIGN(const auto wanted, picture_shape(port, settings.channels_first, file));
  if (settings.colour != Colour::kOfInput && (settings.colour == Colour::kGrey) != (wanted.channels == 1))
    return mismatch(fmt::format("colour: input '{}' has {} channels, which is not what the preprocessing makes",
                                port.name, wanted.channels),
                    file);
  for (const auto* list : {&settings.affine.mean, &settings.affine.scale})
    if (list->size() != 1 && list->size() != wanted.channels)
      return mismatch(fmt::format("mean and scale: {} numbers for {} channels", list->size(), wanted.channels), file);
  auto picture = with_channels(samples, wanted.channels, settings.colour == Colour::kBgr);
  if (settings.fit == Preprocessing::Fit::kCrop) picture = cropped(picture, wanted.height, wanted.width);
  if (picture.height != wanted.height || picture.width != wanted.width) {
    if (settings.resize == Preprocessing::Resize::kNone)
      return mismatch(fmt::format("{} x {} pixels, but input '{}' takes {} x {}; set 'resize' to resize it",
                                  picture.width, picture.height, port.name, wanted.width, wanted.height),
                      file);
    picture = resized(picture, wanted.height, wanted.width, settings.resize == Preprocessing::Resize::kNearest);
  }
  MACAW_ASSIGN(auto tensor, Tensor::create(DType::kFP32, *port.shape));
  const auto values = tensor.data<float>();
  const auto pixels = wanted.height * wanted.width;
  for (std::size_t i = 0; i < pixels; ++i)
    for (std::size_t c = 0; c < wanted.channels; ++c)
      values[settings.channels_first ? c * pixels + i : i * wanted.channels + c] =
          scaled(picture.values[i * wanted.channels + c], settings.affine, c);
  return tensor;
}

Result<Tensor> prepare_sound(const Samples& samples, const InputPort& port, const Preprocessing::Sound& settings,
                             const std::string& file) {
  if (settings.rate && *settings.rate != samples.rate)
    return mismatch(
        fmt::format("{} samples per second; expected {} (recordings are not resampled)", samples.rate, *settings.rate),
        file);
  if (!port.shape || !element_count(*port.shape))
    return mismatch(fmt::format("input '{}' has no static shape: give it as .npy", port.name), file);
  MACAW_ASSIGN(auto tensor, Tensor::create(DType::kFP32, *port.shape));
  const auto values = tensor.data<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    double sum = 0;
    for (std::size_t c = 0; i < samples.width && c < samples.channels; ++c)
      sum += double{samples.values[i * samples.channels + c]};
    values[i] = scaled(static_cast<float>(sum / static_cast<double>(samples.channels)), settings.affine, 0);
  }
  return tensor;
}

bool is_media(const std::filesystem::path& file) {
  auto ending = file.extension().string();
  for (auto& c : ending) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg" || ending == ".wav";
}

Result<Tensor> read_media(const std::filesystem::path& file, const InputPort& port,
                          const Preprocessing& preprocessing) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  const auto name = file.string();
  const auto begins = [&](std::initializer_list<unsigned> first) {
    return bytes.size() >= first.size() &&
           std::equal(first.begin(), first.end(), bytes.begin(),
                      [](unsigned a, std::byte b) { return a == std::to_integer<unsigned>(b); });
  };
  if (begins({'R', 'I', 'F', 'F'})) {
    if (!preprocessing.sound)
      return fail(ErrorCode::kUsage, "a recording, but the file of --preprocess has no table [sound]", {.file = name});
    MACAW_ASSIGN(const auto samples, decode_wav(bytes, name));
    return prepare_sound(samples, port, *preprocessing.sound, name);
  }
  const bool is_png = begins({0x89, 'P', 'N', 'G'});
  if (!is_png && !begins({0xFF, 0xD8}))
    return fail(ErrorCode::kInvalidFile, "not a PNG, JPEG or WAV file, although its name says so", {.file = name});
  if (!preprocessing.picture)
    return fail(ErrorCode::kUsage, "a picture, but the file of --preprocess has no table [picture]", {.file = name});
  MACAW_ASSIGN(const auto samples, is_png ? decode_png(bytes, name) : decode_jpeg(bytes, name));
  return prepare_picture(samples, port, *preprocessing.picture, name);
}

}  // namespace macaw::app
