#pragma once
#include <macaw/npy.hpp>

#include <optional>
#include <string>
#include <string_view>

// Checks whether arrays that a caller passes match a network's inputs. Every program and interface uses these rules.
namespace macaw {

/// Conversions that a caller allows although they are probably mistakes.
struct InputFit {
  bool reshape = false;      ///< the right number of elements in a different shape
  bool reinterpret = false;  ///< elements of a different type of the same size
};

/// Whether two shapes arrange the elements unambiguously in the same order: they differ only by extents of 1 or by
/// merged neighbouring dimensions ([3072] or [32, 96] for [1, 32, 32, 3], not [1, 3, 32, 32]).
[[nodiscard]] bool same_arrangement(const Shape& a, const Shape& b);

/// kMismatch, with both shapes in the message, if the shapes have the same number of elements but arrange them
/// differently.
[[nodiscard]] Result<void> check_arrangement(std::string_view input, const Shape& given, const Shape& expected,
                                             InputFit allowed);
/// kMismatch, with both types in the message, if the types differ. Types that numpy lacks are accepted as integers of
/// the same width.
[[nodiscard]] Result<void> check_type(std::string_view input, DType given, DType expected, InputFit allowed);

/// Type and shape that an input accepts.
struct InputPort {
  std::string name;
  DType dtype = DType::kINT8;
  std::optional<Shape> shape;  ///< absent: any
  bool any_sign = false;       ///< the network states no type: integers of either sign are taken as bytes
};

/// Converts the array to a tensor of the input's type and shape. kMismatch if the number of elements or their size
/// differs, or one of the checks above fails; `file` is the place in errors.
[[nodiscard]] Result<Tensor> fit_input(const NpyArray& array, const InputPort& port, InputFit allowed,
                                       const std::string& file);

}  // namespace macaw
