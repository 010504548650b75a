#pragma once
#include "reference/tosa/op/declare.hpp"

namespace macaw::tosa {

// Arguments and type variables that most element-wise operators share (tosa.xml).
inline constexpr Argument kUnaryArguments[] = {
    input("input1").type("in_out_t").shape("shape"),
    output("output").type("in_out_t").shape("shape"),
};
inline constexpr Argument kActivationArguments[] = {
    input("input").type("in_out_t").shape("shape"),
    output("output").type("in_out_t").shape("shape"),
};
inline constexpr Argument kBinaryArguments[] = {
    input("input1").type("in_out_t").shape("shape1"),
    input("input2").type("in_out_t").shape("shape2"),
    output("output").type("in_out_t").shape("shape"),
};
inline constexpr Argument kComparisonArguments[] = {
    input("input1").type("in_t").shape("shape1"),
    input("input2").type("in_t").shape("shape2"),
    output("output").type("out_t").shape("shape"),
};
inline constexpr std::string_view kInOutType[] = {"in_out_t"};
inline constexpr std::string_view kInAndOutTypes[] = {"in_t", "out_t"};

}  // namespace macaw::tosa
