#include "app/platform/streams.hpp"

namespace macaw::app::platform {

// A module always has its three streams, receives no signals, and maps no files.
void prepare_standard_descriptors() {}
void end_on_closed_pipe() {}
void end_on_lost_pages(std::string) {}

}  // namespace macaw::app::platform
