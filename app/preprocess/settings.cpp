#include <fmt/format.h>

#include <cmath>

#include "app/preprocess/preprocess.hpp"
#include "base/file.hpp"
#include "workflow/run/toml_reader.hpp"

namespace macaw::app {
namespace {

using run::TomlReader;

/// A word of a list of choices with the corresponding value of `values`.
template <class T>
Result<T> choice(const TomlReader& reader, std::string_view key,
                 std::initializer_list<std::pair<std::string_view, T>> words, T otherwise) {
  if (!reader.table.contains(key)) return otherwise;
  const auto word = reader.table[key].value_exact<std::string>();
  std::string expected;
  for (const auto& [name, value] : words) {
    if (word == name) return value;
    expected += fmt::format("{}\"{}\"", expected.empty() ? "" : ", ", name);
  }
  return reader.error(key, fmt::format("must be one of {}", expected));
}

/// One number, or one per channel.
Result<std::vector<double>> numbers(const TomlReader& reader, std::string_view key, double otherwise) {
  const auto wrong = [&] { return reader.error(key, "must be a finite number or a list of one for each channel"); };
  const auto node = reader.table[key];
  if (!node) return std::vector{otherwise};
  std::vector<double> list;
  const auto add = [&](const auto& value) {
    const auto number = value.is_number() ? value.template value<double>() : std::nullopt;
    if (number && std::isfinite(*number)) list.push_back(*number);
    return number && std::isfinite(*number);
  };
  if (const auto* array = node.as_array()) {
    for (const auto& value : *array)
      if (!add(value)) return wrong();
    if (list.empty()) return wrong();
  } else if (!add(node)) {
    return wrong();
  }
  return list;
}

Result<Preprocessing::Affine> read_affine(const TomlReader& reader) {
  Preprocessing::Affine affine;
  MACAW_ASSIGN(affine.mean, numbers(reader, "mean", 0));
  MACAW_ASSIGN(affine.scale, numbers(reader, "scale", 1));
  return affine;
}

Result<Preprocessing::Picture> read_picture(const TomlReader& reader) {
  using P = Preprocessing;
  MACAW_CHECK(reader.only({"resize", "fit", "colour", "layout", "mean", "scale"}));
  P::Picture picture;
  MACAW_ASSIGN(picture.resize,
               choice<P::Resize>(
                   reader, "resize",
                   {{"none", P::Resize::kNone}, {"nearest", P::Resize::kNearest}, {"bilinear", P::Resize::kBilinear}},
                   P::Resize::kNone));
  MACAW_ASSIGN(picture.fit, choice<P::Fit>(reader, "fit", {{"stretch", P::Fit::kStretch}, {"crop", P::Fit::kCrop}},
                                           P::Fit::kStretch));
  MACAW_ASSIGN(picture.colour,
               choice<P::Colour>(reader, "colour",
                                 {{"grey", P::Colour::kGrey}, {"rgb", P::Colour::kRgb}, {"bgr", P::Colour::kBgr}},
                                 P::Colour::kOfInput));
  MACAW_ASSIGN(picture.channels_first, choice<bool>(reader, "layout", {{"nhwc", false}, {"nchw", true}}, false));
  MACAW_ASSIGN(picture.affine, read_affine(reader));
  return picture;
}

Result<Preprocessing::Sound> read_sound(const TomlReader& reader) {
  MACAW_CHECK(reader.only({"rate", "mean", "scale"}));
  Preprocessing::Sound sound;
  if (reader.table.contains("rate")) {
    MACAW_ASSIGN(sound.rate, reader.positive("rate", 1));
  }
  MACAW_ASSIGN(sound.affine, read_affine(reader));
  if (sound.affine.mean.size() > 1 || sound.affine.scale.size() > 1)
    return reader.error("mean", "and 'scale' must be single numbers: a recording becomes one channel");
  return sound;
}

}  // namespace

Result<Preprocessing> parse_preprocessing(std::string_view text, const std::string& file) {
  MACAW_ASSIGN(const auto parsed, npu::parse_toml(text, file));
  const TomlReader top{parsed, file, "top level"};
  MACAW_CHECK(top.only({"picture", "sound"}));
  Preprocessing result;
  for (const auto* key : {"picture", "sound"})
    if (parsed.contains(key) && parsed.get_as<toml::table>(key) == nullptr) return top.error(key, "must be a table");
  if (const auto* table = parsed.get_as<toml::table>("picture")) {
    MACAW_ASSIGN(result.picture, read_picture({*table, file, "picture"}));
  }
  if (const auto* table = parsed.get_as<toml::table>("sound")) {
    MACAW_ASSIGN(result.sound, read_sound({*table, file, "sound"}));
  }
  return result;
}

Result<Preprocessing> load_preprocessing(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  return parse_preprocessing({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file.string());
}

}  // namespace macaw::app
