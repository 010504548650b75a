/* A program that uses /dev/accel/accel0 as a program on Linux 6.19 does, by the kernel's own numbers: it knows nothing of Macaw.
   client run STREAM REGION=FILE[:SIZE]... -- OUT REGION:OFFSET:BYTES...   runs a job and writes bytes of its regions to OUT
   client teflon STREAM COEFS|- IO_BYTES OUT OFFSET=FILE...  makes the calls of Mesa's Teflon delegate, for two inferences
   client check STREAM          makes a buffer object of a command stream; prints the errno
   client calls                 tries the calls in ways that a driver has to refuse or answer */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct npu_info { uint32_t id, config, sram_size, pmu_counters; };
struct dev_query { uint32_t type, size; uint64_t pointer; };
struct bo_create { uint64_t size; uint32_t flags, handle; };
struct bo_wait { uint32_t handle, pad; int64_t timeout_ns; };
struct bo_mmap_offset { uint32_t handle, pad; uint64_t offset; };
struct cmdstream { uint32_t size, flags; uint64_t data; uint32_t handle, pad; };
struct job { uint32_t cmd_bo, sram_size, region[8]; };
struct submit { uint64_t jobs; uint32_t job_count, perfmon_id; };
struct perfmon { uint32_t id, count; uint16_t events[8]; };
struct perfmon_values { uint32_t id, pad; uint64_t values; };
struct perfmon_global { uint32_t flags, id; };
struct gem_close { uint32_t handle, pad; };
struct version {
  int major, minor, patch;
  size_t name_len; char *name; size_t date_len; char *date; size_t desc_len; char *desc;
};
#define VERSION _IOWR('d', 0x00, struct version)
#define GEM_CLOSE _IOW('d', 0x09, struct gem_close)
#define DEV_QUERY _IOWR('d', 0x40, struct dev_query)
#define BO_CREATE _IOWR('d', 0x41, struct bo_create)
#define BO_WAIT _IOWR('d', 0x42, struct bo_wait)
#define BO_MMAP_OFFSET _IOWR('d', 0x43, struct bo_mmap_offset)
#define CMDSTREAM _IOWR('d', 0x44, struct cmdstream)
#define SUBMIT _IOWR('d', 0x45, struct submit)
#define PERFMON_CREATE _IOWR('d', 0x46, struct perfmon)
#define PERFMON_DESTROY _IOWR('d', 0x47, uint32_t)
#define PERFMON_GET_VALUES _IOWR('d', 0x48, struct perfmon_values)
#define PERFMON_SET_GLOBAL _IOWR('d', 0x49, struct perfmon_global)

static int device;

static void fail(const char *what) {
  fprintf(stderr, "client: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int call(unsigned long request, void *argument) { return ioctl(device, request, argument) == 0 ? 0 : errno; }

static uint32_t buffer(uint64_t size, unsigned char **bytes) {
  struct bo_create bo = {size, 0, 0};
  struct bo_mmap_offset map = {0};
  if (call(BO_CREATE, &bo)) fail("BO_CREATE");
  map.handle = bo.handle;
  if (call(BO_MMAP_OFFSET, &map)) fail("BO_MMAP_OFFSET");
  *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, device, (off_t)map.offset);
  if (*bytes == MAP_FAILED) fail("mmap");
  return bo.handle;
}

static unsigned char *contents(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  unsigned char *bytes;
  struct stat facts;
  if (!file || fstat(fileno(file), &facts)) fail(path);
  *size = (size_t)facts.st_size;
  bytes = malloc(*size + 1);
  if (fread(bytes, 1, *size, file) != *size) fail(path);
  fclose(file);
  return bytes;
}

static int make_stream(const char *path, uint32_t *handle) {
  size_t size;
  unsigned char *words = contents(path, &size);
  struct cmdstream stream = {(uint32_t)size, 0, (uintptr_t)words, 0, 0};
  const int error = call(CMDSTREAM, &stream);
  *handle = stream.handle;
  free(words);
  return error;
}

static int run(int count, char **arguments) {
  struct npu_info info = {0};
  struct dev_query query = {0, sizeof info, (uintptr_t)&info};
  struct job job = {0};
  struct submit submit = {(uintptr_t)&job, 1, 0};
  unsigned char *bytes[8] = {0};
  int i, error;
  FILE *out;
  if (call(DEV_QUERY, &query)) fail("DEV_QUERY");
  printf("id %#x, %u MACs, %u bytes of SRAM\n", info.id, 1u << (info.config & 15), info.sram_size);
  if ((error = make_stream(arguments[0], &job.cmd_bo)) != 0) {
    errno = error;
    fail("CMDSTREAM_BO_CREATE");
  }
  for (i = 1; i < count && strcmp(arguments[i], "--") != 0; ++i) {
    char path[4096];
    unsigned region;
    unsigned long long size = 0;
    size_t length;
    unsigned char *from;
    if (sscanf(arguments[i], "%u=%4095[^:]:%llu", &region, path, &size) < 2 || region > 7) return 2;
    if (strcmp(path, "sram") == 0) {
      job.sram_size = info.sram_size;
      continue;
    }
    from = contents(path, &length);
    if (size < length) size = length;
    job.region[region] = buffer(size, &bytes[region]);
    memcpy(bytes[region], from, length);
    free(from);
  }
  if ((error = call(SUBMIT, &submit)) != 0) {
    errno = error;
    fail("SUBMIT");
  }
  out = fopen(arguments[++i], "wb");
  if (!out) fail(arguments[i]);
  while (++i < count) {
    unsigned region;
    unsigned long long offset, size;
    struct bo_wait wait = {0, 0, INT64_MAX};
    if (sscanf(arguments[i], "%u:%llu:%llu", &region, &offset, &size) != 3 || !bytes[region]) return 2;
    wait.handle = job.region[region];
    if (call(BO_WAIT, &wait)) fail("BO_WAIT");
    fwrite(bytes[region] + offset, 1, size, out);
  }
  return fclose(out) == 0 ? 0 : 1;
}

/* Mesa waits for a buffer and maps it anew for each access, and keeps all maps. */
static unsigned char *map_again(uint32_t handle, uint64_t size) {
  struct bo_wait wait = {handle, 0, INT64_MAX};
  struct bo_mmap_offset map = {handle, 0, 0};
  void *bytes;
  if (call(BO_WAIT, &wait)) fail("BO_WAIT");
  if (call(BO_MMAP_OFFSET, &map)) fail("BO_MMAP_OFFSET");
  bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, device, (off_t)map.offset);
  if (bytes == MAP_FAILED) fail("mmap");
  return bytes;
}

static uint32_t create(uint64_t size) {
  struct bo_create bo = {size, 0, 0};
  if (call(BO_CREATE, &bo)) fail("BO_CREATE");
  return bo.handle;
}

static void close_buffer(uint32_t handle) {
  struct gem_close closed = {handle, 0};
  if (handle && call(GEM_CLOSE, &closed)) fail("GEM_CLOSE");
}

static void check_driver(void) {
  struct version version = {0};
  char name[16] = {0}, date[16], description[64];
  if (call(VERSION, &version) || version.name_len >= sizeof name || version.desc_len >= sizeof description) fail("VERSION");
  version.name = name;
  version.date = date;
  version.desc = description;
  if (call(VERSION, &version) || strcmp(name, "ethosu") != 0) fail("VERSION");
}

// Long: the calls of a whole program in their order.
static int teflon(int count, char **arguments) {
  struct npu_info info = {0};
  struct perfmon monitor = {0, 2, {32, 35}}; /* NPU_IDLE, NPU_ACTIVE */
  uint64_t values[3] = {0};
  struct perfmon_values values_of = {0, 0, (uintptr_t)values};
  struct dev_query query = {0, sizeof info, (uintptr_t)&info};
  const uint64_t io_size = strtoull(arguments[2], NULL, 0);
  unsigned char *bytes, *first = malloc(io_size);
  uint32_t stream, coefs = 0, io;
  int i, turn, error;
  FILE *out;
  check_driver();
  if (call(DEV_QUERY, &query)) fail("DEV_QUERY");
  if ((error = make_stream(arguments[0], &stream)) != 0) {
    errno = error;
    fail("CMDSTREAM_BO_CREATE");
  }
  if (strcmp(arguments[1], "-") != 0) {
    size_t size;
    bytes = contents(arguments[1], &size);
    coefs = create(size);
    memcpy(map_again(coefs, size), bytes, size);
    free(bytes);
  }
  io = create(io_size);
  if (call(PERFMON_CREATE, &monitor) || monitor.count != 3) fail("PERFMON_CREATE");
  for (turn = 0; turn < 2; ++turn) {
    struct job job = {stream, coefs ? info.sram_size : 0, {coefs, io}};
    struct submit submit = {(uintptr_t)&job, 1, monitor.id};
    memset(map_again(io, io_size), 0xa5, io_size);
    for (i = 4; i < count; ++i) {
      size_t size;
      char *path;
      const unsigned long long offset = strtoull(arguments[i], &path, 0);
      bytes = contents(path + 1, &size);
      memcpy(map_again(io, io_size) + offset, bytes, size);
      free(bytes);
    }
    if ((error = call(SUBMIT, &submit)) != 0) {
      errno = error;
      fail("SUBMIT");
    }
    bytes = map_again(io, io_size);
    if (turn == 0) memcpy(first, bytes, io_size);
    else if (memcmp(first, bytes, io_size) != 0) {
      fprintf(stderr, "client: the second inference differs\n");
      return 1;
    }
  }
  values_of.id = monitor.id;
  if (call(PERFMON_GET_VALUES, &values_of)) fail("PERFMON_GET_VALUES");
  printf("PMU: cycles=%llu, npu-active=%llu, npu-idle=%llu\n", (unsigned long long)values[2], (unsigned long long)values[1],
         (unsigned long long)values[0]);
  if (call(PERFMON_DESTROY, &monitor.id)) fail("PERFMON_DESTROY");
  close_buffer(io);
  close_buffer(coefs);
  close_buffer(stream);
  out = fopen(arguments[3], "wb");
  if (!out) fail(arguments[3]);
  fwrite(bytes, 1, io_size, out);
  free(first);
  return fclose(out) == 0 ? 0 : 1;
}

static void expect(const char *what, int got, int wanted) {
  printf("%s: %s\n", what, got == wanted ? "ok" : strerror(got));
  if (got != wanted) exit(1);
}

// Long: a list of calls and what each returns.
static int calls(void) {
  char name[8] = {0};
  struct version version = {0};
  struct dev_query query = {0};
  struct bo_create bo = {0, 0, 0}, hidden = {4096, 1, 0}, odd = {5000, 0, 0};
  struct bo_mmap_offset map = {0};
  struct bo_wait wait = {0};
  struct cmdstream stream = {4, 0, 8, 0, 0};
  struct submit submit = {0, 0, 1};
  struct job job = {0};
  struct gem_close closed = {0};
  struct perfmon monitor = {0, 2, {32, 35}};
  struct perfmon_values values = {0, 0, 8};
  struct perfmon_global global = {0, 0};
  uint32_t words[1] = {0}, longer[9] = {7, 7, 7, 7, 7, 7, 7, 7, 7};
  int copy;
  version.name_len = sizeof name;
  version.name = name;
  expect("VERSION", call(VERSION, &version), 0);
  expect("the driver is ethosu", strcmp(name, "ethosu"), 0);
  expect("DEV_QUERY of the size", call(DEV_QUERY, &query), 0);
  expect("the size of the answer", (int)query.size, 16);
  query.pointer = (uintptr_t)longer;
  query.size = sizeof longer;
  expect("DEV_QUERY with a longer structure", call(DEV_QUERY, &query), 0);
  expect("what the driver does not know is 0", longer[0] != 7 && longer[8] == 0 ? 0 : EIO, 0);
  query.pointer = 8;
  expect("DEV_QUERY to a wrong address", call(DEV_QUERY, &query), EFAULT);
  query.size = 8;
  expect("DEV_QUERY with too little room", call(DEV_QUERY, &query), EINVAL);
  query.type = 1;
  expect("DEV_QUERY of another type", call(DEV_QUERY, &query), EINVAL);
  expect("BO_CREATE of nothing", call(BO_CREATE, &bo), EINVAL);
  bo.size = 4096;
  bo.flags = 2;
  expect("BO_CREATE with a flag that is not known", call(BO_CREATE, &bo), EINVAL);
  expect("BO_CREATE", call(BO_CREATE, &odd), 0);
  expect("sizes are whole pages", (int)odd.size, 8192);
  expect("BO_CREATE without maps", call(BO_CREATE, &hidden), 0);
  map.handle = 77;
  expect("BO_MMAP_OFFSET of no buffer", call(BO_MMAP_OFFSET, &map), ENOENT);
  map.handle = hidden.handle;
  expect("BO_MMAP_OFFSET", call(BO_MMAP_OFFSET, &map), 0);
  expect("mmap of a buffer without maps",
         mmap(NULL, 4096, PROT_READ, MAP_SHARED, device, (off_t)map.offset) == MAP_FAILED ? errno : 0, EINVAL);
  map.handle = odd.handle;
  expect("BO_MMAP_OFFSET of another", call(BO_MMAP_OFFSET, &map), 0);
  expect("mmap of more than the buffer",
         mmap(NULL, 12288, PROT_READ, MAP_SHARED, device, (off_t)map.offset) == MAP_FAILED ? errno : 0, EINVAL);
  wait.handle = 77;
  expect("BO_WAIT for no buffer", call(BO_WAIT, &wait), EINVAL);
  wait.handle = odd.handle;
  expect("BO_WAIT", call(BO_WAIT, &wait), 0);
  expect("CMDSTREAM_BO_CREATE from a wrong address", call(CMDSTREAM, &stream), EFAULT);
  stream.data = (uintptr_t)words;
  expect("CMDSTREAM_BO_CREATE", call(CMDSTREAM, &stream), 0);
  expect("SUBMIT of no job with an unknown monitor", call(SUBMIT, &submit), 0);
  submit.perfmon_id = 0;
  submit.jobs = (uintptr_t)&job;
  submit.job_count = 1;
  expect("SUBMIT without a command stream", call(SUBMIT, &submit), ENOENT);
  job.cmd_bo = odd.handle;
  expect("SUBMIT of a buffer as command stream", call(SUBMIT, &submit), EINVAL);
  job.cmd_bo = stream.handle;
  job.region[0] = odd.handle;
  expect("SUBMIT with a buffer for a region that is not used", call(SUBMIT, &submit), EINVAL);
  job.region[0] = 0;
  job.sram_size = UINT32_MAX;
  expect("SUBMIT with more SRAM than there is", call(SUBMIT, &submit), EINVAL);
  submit.jobs = 8;
  expect("SUBMIT from a wrong address", call(SUBMIT, &submit), EFAULT);
  closed.handle = odd.handle;
  expect("PERFMON_CREATE", call(PERFMON_CREATE, &monitor), 0);
  expect("its counters, and the cycles", monitor.id == 1 && monitor.count == 3 ? 0 : EIO, 0);
  values.id = 1;
  expect("PERFMON_GET_VALUES to a wrong address", call(PERFMON_GET_VALUES, &values), EFAULT);
  values.pad = 1;
  expect("PERFMON_GET_VALUES with a reserved field", call(PERFMON_GET_VALUES, &values), EINVAL);
  expect("PERFMON_SET_GLOBAL of no monitor", call(PERFMON_SET_GLOBAL, &global), EINVAL);
  global.id = 1;
  global.flags = 1;
  expect("clearing a global monitor that is not set", call(PERFMON_SET_GLOBAL, &global), EINVAL);
  global.flags = 0;
  expect("PERFMON_SET_GLOBAL", call(PERFMON_SET_GLOBAL, &global), 0);
  expect("PERFMON_SET_GLOBAL again", call(PERFMON_SET_GLOBAL, &global), EBUSY);
  global.flags = 1;
  expect("clearing the global monitor", call(PERFMON_SET_GLOBAL, &global), 0);
  monitor.count = 9;
  expect("PERFMON_CREATE with too many counters", call(PERFMON_CREATE, &monitor), EINVAL);
  monitor.count = 1;
  monitor.events[0] = 672;
  expect("PERFMON_CREATE of an unknown event", call(PERFMON_CREATE, &monitor), EINVAL);
  expect("PERFMON_DESTROY", call(PERFMON_DESTROY, &monitor.id), 0);
  expect("PERFMON_DESTROY again", call(PERFMON_DESTROY, &monitor.id), EINVAL);
  expect("GEM_CLOSE", call(GEM_CLOSE, &closed), 0);
  expect("GEM_CLOSE again", call(GEM_CLOSE, &closed), EINVAL);
  expect("a request that is not known", call(_IO('d', 0x7f), NULL), EINVAL);
  copy = fcntl(device, F_DUPFD_CLOEXEC, 0);
  close(device);
  device = copy;
  expect("a duplicate of the descriptor", call(VERSION, &version), 0);
  close(device);
  expect("a descriptor that is closed", call(VERSION, &version), EBADF);
  return 0;
}

int main(int count, char **arguments) {
  uint32_t handle;
  device = open("/dev/accel/accel0", O_RDWR | O_CLOEXEC);
  if (device < 0) fail("/dev/accel/accel0");
  if (count > 4 && strcmp(arguments[1], "run") == 0) return run(count - 2, arguments + 2);
  if (count > 5 && strcmp(arguments[1], "teflon") == 0) return teflon(count - 2, arguments + 2);
  if (count == 3 && strcmp(arguments[1], "check") == 0) {
    printf("%d\n", make_stream(arguments[2], &handle));
    return 0;
  }
  if (count == 2 && strcmp(arguments[1], "calls") == 0) return calls();
  fprintf(stderr, "client: what to do?\n");
  return 2;
}
