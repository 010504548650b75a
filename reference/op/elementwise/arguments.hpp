#pragma once
#include "reference/op/def.hpp"

namespace macaw::tosa {

// Arguments and type variables that most element-wise operators share (tosa.xml).
inline constexpr Argument kUnaryArguments[] = {
    {Category::kInput, "input1", "in_out_t", "shape"},
    {Category::kOutput, "output", "in_out_t", "shape"},
};
inline constexpr Argument kActivationArguments[] = {
    {Category::kInput, "input", "in_out_t", "shape"},
    {Category::kOutput, "output", "in_out_t", "shape"},
};
inline constexpr Argument kBinaryArguments[] = {
    {Category::kInput, "input1", "in_out_t", "shape1"},
    {Category::kInput, "input2", "in_out_t", "shape2"},
    {Category::kOutput, "output", "in_out_t", "shape"},
};
inline constexpr Argument kComparisonArguments[] = {
    {Category::kInput, "input1", "in_t", "shape1"},
    {Category::kInput, "input2", "in_t", "shape2"},
    {Category::kOutput, "output", "out_t", "shape"},
};
inline constexpr std::string_view kInOutType[] = {"in_out_t"};
inline constexpr std::string_view kInAndOutTypes[] = {"in_t", "out_t"};

}  // namespace macaw::tosa
