#pragma once
#include <linux/ioctl.h>

#include <cstdint>

// The interface of Linux's driver for Ethos-U65 and U85 (include/uapi/drm/ethosu_accel.h), that of 6.19 with the
// performance monitors of later versions, and the calls of every DRM driver that its users make
// (include/uapi/drm/drm.h). Sizes and order of the members are the kernel's.
namespace macaw::accel::uapi {

constexpr unsigned kDrm = 'd';             ///< type of the ioctls of DRM
constexpr unsigned kFirstOfDriver = 0x40;  ///< number of a driver's first ioctl
constexpr int kRegions = 8, kSramRegion = 2;
constexpr std::uint32_t kNoMmap = 1;       ///< flag of a buffer object
constexpr std::uint32_t kClearGlobal = 1;  ///< flag of kPerfmonSetGlobal

enum Number : unsigned {
  kVersion = 0,
  kGemClose = 9,
  kGetCap = 12,
  kDevQuery = kFirstOfDriver,
  kBoCreate,
  kBoWait,
  kBoMmapOffset,
  kCmdstreamBoCreate,
  kSubmit,
  kPerfmonCreate,
  kPerfmonDestroy,
  kPerfmonGetValues,
  kPerfmonSetGlobal
};

struct Version {
  std::int32_t major, minor, patch;
  std::uint64_t name_length, name, date_length, date, description_length, description;
};
struct GemClose {
  std::uint32_t handle, pad;
};
struct GetCap {
  std::uint64_t capability, value;
};
struct NpuInfo {
  std::uint32_t id, config, sram_size, pmu_counters;
};
struct DevQuery {
  std::uint32_t type, size;
  std::uint64_t pointer;
};
struct BoCreate {
  std::uint64_t size;
  std::uint32_t flags, handle;
};
struct BoWait {
  std::uint32_t handle, pad;
  std::int64_t timeout_ns;
};
struct BoMmapOffset {
  std::uint32_t handle, pad;
  std::uint64_t offset;
};
struct CmdstreamBoCreate {
  std::uint32_t size, flags;
  std::uint64_t data;
  std::uint32_t handle, pad;
};
struct Job {
  std::uint32_t cmd_bo, sram_size, region_bo_handles[kRegions];
};
struct Submit {
  std::uint64_t jobs;
  std::uint32_t job_count, perfmon_id;
};
struct PerfmonCreate {
  std::uint32_t id, counter_count;
  std::uint16_t events[8];
};
struct PerfmonDestroy {
  std::uint32_t id;
};
struct PerfmonGetValues {
  std::uint32_t id, pad;
  std::uint64_t values;
};
struct PerfmonSetGlobal {
  std::uint32_t flags, id;
};
static_assert(sizeof(Version) == 64 && sizeof(CmdstreamBoCreate) == 24 && sizeof(Job) == 40 && sizeof(Submit) == 16 &&
              sizeof(PerfmonCreate) == 24 && sizeof(PerfmonGetValues) == 16);

}  // namespace macaw::accel::uapi
