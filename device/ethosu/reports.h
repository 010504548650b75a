/* Reports of jobs, where the environment names a folder. */
#ifndef MACAW_ETHOSU_REPORTS_H
#define MACAW_ETHOSU_REPORTS_H

#include <macaw/device.h>

/** Report of the job that has just ended to MACAW_REPORT_DIR/job_N, N counting from 1 in the process. */
void macaw_ethosu_report(const macaw_device* device);

#endif
