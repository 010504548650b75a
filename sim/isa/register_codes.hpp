#pragma once
#include <macaw/npu/operation.hpp>

#include <utility>

// Register field codes whose meanings differ from the enumerators. Missing codes are reserved or not supported by
// Macaw.
namespace macaw::npu {

template <class T>
struct Code {
  unsigned code;
  T value;
};

namespace codes {

/// Round modes (u55_u65 5.2). U85 operands have only the first two.
inline constexpr Code<Rounding> kRoundingU65[] = {
    {0, Rounding::kDoubleSymmetric}, {1, Rounding::kTruncateToZero}, {2, Rounding::kNatural}};
inline constexpr Code<Rounding> kRoundingU85[] = {{0, Rounding::kDoubleSymmetric},  {1, Rounding::kNatural},
                                                  {2, Rounding::kDoubleAsymmetric}, {3, Rounding::kSymmetric},
                                                  {4, Rounding::kTruncateToZero},   {5, Rounding::kTruncateToLower}};

inline constexpr Code<AccFormat> kAccFormatU65[] = {{0, AccFormat::kI32}, {1, AccFormat::kI40}, {2, AccFormat::kF16}};
inline constexpr Code<AccFormat> kAccFormatU85[] = {{0, AccFormat::kI32}, {1, AccFormat::kI48}};

inline constexpr Code<ClipRange> kClipU65[] = {{0, ClipRange::kOfmPrecision},
                                               {2, ClipRange::kForceUint8},
                                               {3, ClipRange::kForceInt8},
                                               {5, ClipRange::kForceInt16}};
inline constexpr Code<ClipRange> kClipU85[] = {{0, ClipRange::kOfmPrecision}, {1, ClipRange::kNone}};

/// U55/U65: the function and, for a table, its index.
using TableFunction = std::pair<ActivationFunction, int>;
inline constexpr Code<TableFunction> kFunctionU65[] = {
    {0, {ActivationFunction::kNone, 0}},    {3, {ActivationFunction::kTanh, 0}},
    {4, {ActivationFunction::kSigmoid, 0}}, {16, {ActivationFunction::kTable, 0}},
    {17, {ActivationFunction::kTable, 1}},  {18, {ActivationFunction::kTable, 2}},
    {19, {ActivationFunction::kTable, 3}},  {20, {ActivationFunction::kTable, 4}},
    {21, {ActivationFunction::kTable, 5}},  {22, {ActivationFunction::kTable, 6}},
    {23, {ActivationFunction::kTable, 7}}};

/// U85: the function and the form of its table.
using FormFunction = std::pair<ActivationFunction, TableForm>;
inline constexpr Code<FormFunction> kFunctionU85[] = {
    {0, {ActivationFunction::kNone, TableForm::kFromOfm}},    {1, {ActivationFunction::kTable, TableForm::kU8U8}},
    {4, {ActivationFunction::kTable, TableForm::kS8S8}},      {5, {ActivationFunction::kTable, TableForm::kS8S16}},
    {7, {ActivationFunction::kTable, TableForm::kS8S32}},     {8, {ActivationFunction::kTable, TableForm::kS16S16}},
    {9, {ActivationFunction::kTable, TableForm::kS16S32}},    {10, {ActivationFunction::kTanh, TableForm::kTanh}},
    {11, {ActivationFunction::kSigmoid, TableForm::kSigmoid}}};

/// U85: height and width of the OFM micro-block; its depth follows from the accelerator.
using UblockShape = std::pair<int, int>;
inline constexpr Code<UblockShape> kUblock[] = {{0, {1, 1}}, {1, {1, 2}}, {2, {1, 4}},
                                                {3, {2, 2}}, {4, {2, 4}}, {5, {4, 4}}};

}  // namespace codes
}  // namespace macaw::npu
