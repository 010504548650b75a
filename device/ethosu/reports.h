/* Reports of jobs, if the environment names a folder. */
#ifndef MACAW_ETHOSU_REPORTS_H
#define MACAW_ETHOSU_REPORTS_H

#include <macaw/device.h>

/** Writes the report of the job that has just ended to MACAW_REPORT_DIR/job_N, N counting from 1 in the process. */
void macaw_ethosu_report(const macaw_device* device);

#endif
