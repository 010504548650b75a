#include "reports.h"

#include <ethosu_log.h>

#include <stdio.h>
#include <stdlib.h>

void macaw_ethosu_report(const macaw_device* device) {
  static unsigned jobs;
  const char* folder = getenv("MACAW_REPORT_DIR");
  char place[4096];
  if (!folder || !*folder) return;
  const int length = snprintf(place, sizeof place, "%s/job_%u", folder, ++jobs);
  if (length < 0 || (size_t)length >= sizeof place) LOG_ERR("MACAW_REPORT_DIR is too long");
  else if (macaw_device_report(device, place) != MACAW_DEVICE_OK) LOG_ERR("No report: %s", macaw_device_message());
}
