#include "base/foreign_format.hpp"

#include <algorithm>

namespace macaw::io {
namespace {

struct Format {
  std::string_view suffix, magic, text;  ///< either is enough; an empty one is not compared
};
constexpr Format kFormats[] = {
    {".onnx", "", "an ONNX network; convert it to int8 .tflite (e.g. with onnx2tf) and compile that with Vela"},
    {".pt", "", "a PyTorch file; export it with ExecuTorch's Arm back end to .pte, or to TOSA"},
    {".pth", "", "a PyTorch file; export it with ExecuTorch's Arm back end to .pte, or to TOSA"},
    {".pt2", "", "an exported PyTorch program; lower it with ExecuTorch's Arm back end to .pte, or to TOSA"},
    {".keras", "",
     "a Keras network; convert it with tf.lite.TFLiteConverter to int8 .tflite and compile that with Vela"},
    {".h5", "\x89HDF\r\n\x1a\n",
     "a Keras network (HDF5); convert it with tf.lite.TFLiteConverter to int8 .tflite and compile that with Vela"},
    {".pb", "",
     "a TensorFlow graph; convert the SavedModel with tf.lite.TFLiteConverter to int8 .tflite and compile that with "
     "Vela"},
};

}  // namespace

std::string foreign_format(std::span<const std::byte> bytes, std::string_view name) {
  const auto begins_with = [&](std::string_view magic) {
    return !magic.empty() && bytes.size() >= magic.size() &&
           std::ranges::equal(bytes.first(magic.size()), magic, {}, [](std::byte b) { return static_cast<char>(b); });
  };
  for (const auto& format : kFormats)
    if (name.ends_with(format.suffix) || begins_with(format.magic)) return "this is " + std::string(format.text);
  return {};
}

}  // namespace macaw::io
