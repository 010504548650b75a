#pragma once
#include <string>

namespace macaw::app::platform {

/// Gives descriptors 0 to 2 that are closed a file that cannot be used, so that no other file gets the number, and
/// makes writing to a closed pipe, or beyond the largest file that is allowed, an error of that write.
void prepare_standard_descriptors();

/// Ends the program as a reader of its output that has seen enough ends it ("| head"). Returns where the system has no
/// signals.
void end_on_closed_pipe();

/// Ends the program with kInvalid and the text on stderr where the system takes pages of a mapped file away.
void end_on_lost_pages(std::string text);

}  // namespace macaw::app::platform
