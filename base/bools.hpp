#pragma once
#include <macaw/tensor.hpp>

namespace macaw {

/// Makes 1 of every byte of a BOOL tensor that is not 0: objects of type bool hold nothing else, files and memories
/// may.
void normalise_bools(Tensor& tensor);

}  // namespace macaw
