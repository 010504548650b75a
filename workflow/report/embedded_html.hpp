#pragma once
#include <string_view>

namespace macaw::report {

// Pages of workflow/report/html with their style and scripts, built in so that the program needs no other file; "@RUN@"
// stands where the data goes.
extern const std::string_view kReportPage, kComparisonPage, kStudyPage, kEqualityPage, kAccuracyPage;

}  // namespace macaw::report
