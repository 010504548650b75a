# Writes OUTPUT, a source file with the version text: VERSION, the commit of SOURCE if that is a git checkout, BUILD.
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --exclude "*" OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  set(commit "commit unknown")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT [[#include "app/version.hpp"

namespace macaw::app {

const char* const kVersion = "macaw @VERSION@ (@commit@, @BUILD@)";

}  // namespace macaw::app
]] @ONLY)
