#pragma once

namespace macaw::app {

/// "macaw 0.1.0 (412d9c7, Release, GNU 12.2.0)"; written by the build.
extern const char* const kVersion;

}  // namespace macaw::app
