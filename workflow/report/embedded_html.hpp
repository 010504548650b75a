#pragma once
#include <string_view>

namespace macaw::report {

// The files of workflow/report/html, built in so that the program needs no other file.
extern const std::string_view kReportPage, kReportScript;

}  // namespace macaw::report
