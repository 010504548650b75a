#pragma once
#include "tflite_generated.h"

namespace macaw::tflite {

/// Options of an operator, as the schema has them. Of kinds that the schema's part does not list there are none.
struct Options {
  schema::BuiltinOptionsUnion value;
};

}  // namespace macaw::tflite
