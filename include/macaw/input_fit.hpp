#pragma once
#include <macaw/npy.hpp>

#include <optional>
#include <string>
#include <string_view>

// Arrays that are given for inputs, and whether they are what the inputs take. Every program judges them by this.
namespace macaw {

/// Conversions that a caller allows although they are probably mistakes.
struct InputFit {
  bool reshape = false;      ///< the right number of elements in another arrangement
  bool reinterpret = false;  ///< elements of another type of the right size
};

/// Whether elements of one shape are, in their order, those of the other without a doubt about what is meant: extents
/// of 1 more or less, or neighbouring dimensions made one ([3072] or [32, 96] for [1, 32, 32, 3], not [1, 3, 32, 32]).
[[nodiscard]] bool same_arrangement(const Shape& a, const Shape& b);

/// kMismatch, in words that name both, if a shape of as many elements is another arrangement.
[[nodiscard]] Result<void> check_arrangement(std::string_view input, const Shape& given, const Shape& expected,
                                             InputFit allowed);
/// kMismatch, in words that name both, if elements of one type are not those of the other. Types that numpy does not
/// have come as integers of their bits.
[[nodiscard]] Result<void> check_type(std::string_view input, DType given, DType expected, InputFit allowed);

/// Type and shape that an input accepts.
struct InputPort {
  std::string name;
  DType dtype = DType::kINT8;
  std::optional<Shape> shape;  ///< absent: any
  bool any_sign = false;       ///< the network states no type: integers of either sign are taken as bytes
};

/// The array as a tensor of the input's type and shape. kMismatch if it has another number of elements, elements of
/// another size, or what the checks above refuse; `file` is the place of errors.
[[nodiscard]] Result<Tensor> fit_input(const NpyArray& array, const InputPort& port, InputFit allowed,
                                       const std::string& file);

}  // namespace macaw
