#include "app/custom_op_option.hpp"

#include <macaw/tosa/custom.hpp>

namespace macaw::app {

void add_custom_op_option(Command command, std::vector<std::string>& libraries) {
  command
      .add_option("--custom-op-lib,--custom_op_lib_path", libraries,
                  "Shared library with operators for CUSTOM (include/macaw/plugin/custom_op.h); may be given again")
      .one_value();
}

Result<void> load_custom_ops(const std::vector<std::string>& libraries) {
  for (const auto& library : libraries) MACAW_CHECK(tosa::load_custom_ops(library));
  return {};
}

}  // namespace macaw::app
