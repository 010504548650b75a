#pragma once
#include <string>
#include <vector>

#include "base/tflite/options.hpp"

namespace macaw::reduce {

/// A .tflite whose parts can be changed.
using TfliteModel = tflite::schema::ModelT;

/// A constant's first `extent` elements along an axis, with the quantisation of the channels that stay. False where it
/// has fewer, or elements that are not whole bytes.
bool cut_constant(TfliteModel& model, int tensor, std::size_t axis, std::int32_t extent);

/// A model whose inputs, or constants of some operators, were made smaller gets the shapes that follow for everything
/// behind them: filters, biases and other constants keep their first elements. `names` are of its operators. False
/// where an operator does not take such shapes, or is not among those whose rule is here.
bool fit_shapes(TfliteModel& model, const std::vector<std::string>& names);

}  // namespace macaw::reduce
