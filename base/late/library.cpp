#include "base/late/npz_functions.hpp"

const macaw::NpzFunctions macaw_npz_functions = {macaw_build, macaw::parse_npz, macaw::read_npz, macaw::write_npz};
