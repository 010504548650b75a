#pragma once
#include <string>

namespace macaw::app::platform {

/// Opens unusable files for those of descriptors 0 to 2 that are closed, so that no other file gets their number.
/// Writing to a closed pipe, or beyond the file size limit, becomes an error of that write instead of a signal.
void prepare_standard_descriptors();

/// Ends the program by SIGPIPE, as for a reader that closes the pipe ("| head"). Returns if the system has no signals.
void end_on_closed_pipe();

/// Ends the program with kInvalid and the text on stderr if pages of a mapped file disappear.
void end_on_lost_pages(std::string text);

}  // namespace macaw::app::platform
