#pragma once
#include <string>

namespace macaw::io {

/// A tensor's name as the name of a file without its ending: no path of its own, and no longer than file systems take.
/// Converters join the names of all layers that they fuse; what is cut off is kept apart by a hash at the end.
[[nodiscard]] std::string file_name_of(std::string tensor_name);

}  // namespace macaw::io
