#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <macaw/input_fit.hpp>

#include "app/preprocess/samples.hpp"

namespace macaw::app {

/// How pictures and recordings are converted to inputs: a file of --preprocess (docs/FORMATS.md).
struct Preprocessing {
  enum class Resize : std::uint8_t { kNone, kNearest, kBilinear };
  enum class Fit : std::uint8_t { kStretch, kCrop };
  enum class Colour : std::uint8_t { kOfInput, kGrey, kRgb, kBgr };

  /// value = (sample - mean) * scale, by channel or the same for all.
  struct Affine {
    std::vector<double> mean{0}, scale{1};
  };
  struct Picture {
    Resize resize = Resize::kNone;
    Fit fit = Fit::kStretch;
    Colour colour = Colour::kOfInput;
    bool channels_first = false;
    Affine affine;
  };
  struct Sound {
    std::optional<double> rate;
    Affine affine;
  };

  std::optional<Picture> picture;
  std::optional<Sound> sound;
};

/// Errors: kIo, kInvalidFile.
[[nodiscard]] Result<Preprocessing> load_preprocessing(const std::filesystem::path& file);
[[nodiscard]] Result<Preprocessing> parse_preprocessing(std::string_view toml, const std::string& file);

/// Whether the name ends as those of the files that read_media() reads: .png, .jpg, .jpeg, .wav.
[[nodiscard]] bool is_media(const std::filesystem::path& file);

/// Reads a picture or recording as FP32 in the input's shape, which must be known. kMismatch if the preprocessing gives
/// another shape.
[[nodiscard]] Result<Tensor> read_media(const std::filesystem::path& file, const InputPort& port,
                                        const Preprocessing& preprocessing);

/// The steps of read_media() after decoding.
[[nodiscard]] Result<Tensor> prepare_picture(const Samples& samples, const InputPort& port,
                                             const Preprocessing::Picture& settings, const std::string& file);
[[nodiscard]] Result<Tensor> prepare_sound(const Samples& samples, const InputPort& port,
                                           const Preprocessing::Sound& settings, const std::string& file);

}  // namespace macaw::app
