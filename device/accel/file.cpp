#include "device/accel/file.hpp"

#include "device/accel/uapi.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace macaw::accel {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{1} << 32;  // of a buffer object

/// Prints a line where the kernel writes one to its log.
void log(std::string_view text) { fmt::print(stderr, "macaw-accel: {}\n", text); }

/// Reads bytes from an address that may be invalid: returns 0 or EFAULT, without a signal.
int take(std::uint64_t from, void* to, std::size_t size) {
  const iovec local{to, size}, remote{reinterpret_cast<void*>(from), size};
  return size == 0 || process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size) ? 0 : EFAULT;
}

int give(const void* from, std::uint64_t to, std::size_t size) {
  const iovec local{const_cast<void*>(from), size}, remote{reinterpret_cast<void*>(to), size};
  return size == 0 || process_vm_writev(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size) ? 0 : EFAULT;
}

/// Copies a structure to a caller whose own has `size` bytes, those that the driver does not know as zeros.
int give_struct(const void* from, std::size_t known, std::uint64_t to, std::uint64_t size) {
  constexpr std::array<std::byte, kPage> kZeros{};
  if (const int error = give(from, to, std::min<std::size_t>(known, size))) return error;
  for (std::uint64_t at = known; at < size; at += kZeros.size())
    if (const int error = give(kZeros.data(), to + at, std::min<std::size_t>(kZeros.size(), size - at))) return error;
  return 0;
}

/// Copies as much as there is room for, and sets `length` to the whole length.
int give_text(std::string_view text, std::uint64_t to, std::uint64_t& length) {
  const auto room = length;
  length = text.size();
  return to == 0 ? 0 : give(text.data(), to, std::min<std::uint64_t>(room, text.size()));
}

int version(uapi::Version& v) {
  v.major = 1;
  v.minor = v.patch = 0;
  for (const int error : {give_text("ethosu", v.name, v.name_length), give_text("", v.date, v.date_length),
                          give_text("Arm Ethos-U Accel driver", v.description, v.description_length)})
    if (error != 0) return error;
  return 0;
}

}  // namespace

File::~File() {
  for (const auto& [id, perfmon] : perfmons_) npu_.remove(perfmon);
  for (auto& [handle, buffer] : buffers_) release(buffer);
  close(descriptor_);
}

void File::release(Buffer& buffer) {
  npu_.detach(buffer.address);
  munmap(buffer.bytes, buffer.size);
  // A program may still have mapped other buffers, which live as long as the file.
  if ((buffer.flags & uapi::kNoMmap) != 0)
    fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(buffer.offset),
              static_cast<off_t>(buffer.size));
}

File::Buffer* File::find(std::uint32_t handle) {
  const auto at = buffers_.find(handle);
  return at == buffers_.end() ? nullptr : &at->second;
}

int File::check_map(std::uint64_t offset, std::uint64_t length) const {
  for (const auto& [handle, buffer] : buffers_) {
    if (buffer.offset != offset) continue;
    return (buffer.flags & uapi::kNoMmap) != 0 || (length + kPage - 1) / kPage * kPage > buffer.size ? EINVAL : 0;
  }
  return EINVAL;
}

int File::create(std::uint64_t size, std::uint32_t flags, std::uint32_t& handle) {
  if (size > kLargest) return ENOMEM;
  Buffer buffer;
  buffer.size = (size + kPage - 1) / kPage * kPage;
  buffer.flags = flags;
  buffer.offset = end_;
  if (ftruncate(descriptor_, static_cast<off_t>(end_ + buffer.size)) != 0) return ENOMEM;
  // mmap() is the one in preload.cpp, which does not know this buffer yet.
  void* bytes = reinterpret_cast<void*>(
      syscall(SYS_mmap, nullptr, buffer.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, end_));
  if (bytes == MAP_FAILED) return ENOMEM;
  end_ += buffer.size;
  buffer.bytes = static_cast<std::byte*>(bytes);
  buffer.address = npu_.attach(buffer.bytes, buffer.size);
  handle = next_handle_++;
  buffers_.emplace(handle, std::move(buffer));
  return 0;
}

int File::create_stream(std::uint32_t size, std::uint64_t data, std::uint32_t& handle) {
  std::vector<std::uint32_t> words(size / 4);
  if (const int error = take(data, words.data(), words.size() * 4)) return error;
  StreamFacts facts;
  if (const auto problem = check_stream(words, facts); !problem.empty()) {
    log(fmt::format("the command stream of {} bytes is refused (EINVAL): {}", size, problem));
    return EINVAL;
  }
  if (const int error = create(size, uapi::kNoMmap, handle)) return error;
  auto& buffer = buffers_.at(handle);
  buffer.stream = facts;
  buffer.stream_size = size;
  if (!words.empty()) std::memcpy(buffer.bytes, words.data(), words.size() * 4);
  return 0;
}

int File::close_handle(std::uint32_t handle) {
  auto* buffer = find(handle);
  if (buffer == nullptr) return EINVAL;
  release(*buffer);
  buffers_.erase(handle);
  return 0;
}

// The checks have the order of ethosu_ioctl_submit_job() (drivers/accel/ethosu/ethosu_job.c of torvalds/linux at
// 146cc263). A job has ended when the call returns, whereas the kernel would have queued it.
int File::submit(const uapi::Submit& submit) {
  std::vector<uapi::Job> all;
  for (std::uint32_t n = 0; n < submit.job_count; ++n)
    if (const int error = take(submit.jobs + n * sizeof(uapi::Job), &all.emplace_back(), sizeof(uapi::Job)))
      return error;
  for (const auto& job : all) {
    const std::uint32_t sram = npu_.setup().sram_size;
    if (job.region_bo_handles[uapi::kSramRegion] != 0 && job.sram_size != 0) return EINVAL;
    if (job.sram_size > sram) return EINVAL;
    const auto* stream = find(job.cmd_bo);
    if (stream == nullptr) return ENOENT;
    if (!stream->stream) return EINVAL;
    Npu::Job run{.stream = stream->address,
                 .stream_size = stream->stream_size,
                 .uses_sram = job.sram_size != 0,
                 .perfmon = find_perfmon(submit.perfmon_id)};
    for (std::size_t i = 0; i < uapi::kRegions; ++i) {
      const auto handle = job.region_bo_handles[i];
      const auto needed = stream->stream->region_size[i];
      if (handle == 0) {
        if (needed == 0) continue;
        if (i == uapi::kSramRegion) {
          if (needed <= sram) continue;
          log(fmt::format("cmd stream region {} size greater than SRAM size ({} > {})", i, needed, sram));
          return EINVAL;
        }
      }
      if (handle != 0 && needed == 0) {
        log(fmt::format("Cmdstream BO handle {} set for unused region {}", handle, i));
        return EINVAL;
      }
      const auto* buffer = find(handle);
      if (buffer == nullptr) {
        log(fmt::format("Invalid BO handle {} for region {}", handle, i));
        return ENOENT;
      }
      if (buffer->stream) {
        log(fmt::format("Cmdstream BO handle {} used for region {}", handle, i));
        return EINVAL;
      }
      if (needed > buffer->size) {
        log(fmt::format("cmd stream region {} size greater than BO size ({} > {})", i, needed, buffer->size));
        return EOVERFLOW;
      }
      run.base[i] = buffer->address;
      run.has_base[i] = true;
    }
    if (const auto problem = npu_.run(run); !problem.empty()) log(problem);
  }
  return 0;
}

std::shared_ptr<Perfmon> File::find_perfmon(std::uint32_t id) const {
  const auto at = perfmons_.find(id);
  return at == perfmons_.end() ? nullptr : at->second;
}

// Like ethosu_perfmon.c of torvalds/linux at 67f8bc84.
int File::perfmon(unsigned number, void* argument) {
  constexpr std::uint32_t kLastEvent[] = {433, 671};  // of U65 and U85
  constexpr unsigned kProduct = 28;                   // of CONFIG; 1: U65
  switch (number) {
    case uapi::kPerfmonCreate: {
      auto& args = *static_cast<uapi::PerfmonCreate*>(argument);
      if (args.counter_count > npu_.counters()) return EINVAL;
      auto made = std::make_shared<Perfmon>();
      made->events.assign(args.events, args.events + args.counter_count);
      const auto last = kLastEvent[npu_.config() >> kProduct == 1 ? 0 : 1];
      if (std::ranges::any_of(made->events, [&](std::uint16_t event) { return event > last; })) return EINVAL;
      made->values.resize(++args.counter_count);
      args.id = 1;
      while (perfmons_.contains(args.id)) ++args.id;
      perfmons_[args.id] = std::move(made);
      return 0;
    }
    case uapi::kPerfmonDestroy: {
      const auto at = perfmons_.find(static_cast<uapi::PerfmonDestroy*>(argument)->id);
      if (at == perfmons_.end()) return EINVAL;
      npu_.remove(at->second);
      perfmons_.erase(at);
      return 0;
    }
    case uapi::kPerfmonGetValues: {
      const auto& args = *static_cast<uapi::PerfmonGetValues*>(argument);
      const auto found = find_perfmon(args.id);
      if (args.pad != 0 || !found) return EINVAL;
      npu_.stop(found);
      return give(found->values.data(), args.values, found->values.size() * sizeof(std::uint64_t));
    }
    case uapi::kPerfmonSetGlobal: {
      const auto& args = *static_cast<uapi::PerfmonSetGlobal*>(argument);
      const auto found = find_perfmon(args.id);
      if ((args.flags & ~uapi::kClearGlobal) != 0 || !found) return EINVAL;
      if (args.flags == uapi::kClearGlobal) {
        const auto old = npu_.global();
        if (!old) return EINVAL;
        npu_.set_global(nullptr);
        npu_.stop(old);
        return 0;
      }
      if (npu_.counts() || npu_.global()) return EBUSY;
      npu_.set_global(found);
      return 0;
    }
    default: return EINVAL;
  }
}

int File::call(unsigned number, void* argument) {
  switch (number) {
    case uapi::kVersion: return version(*static_cast<uapi::Version*>(argument));
    case uapi::kGemClose: return close_handle(static_cast<uapi::GemClose*>(argument)->handle);
    case uapi::kGetCap: static_cast<uapi::GetCap*>(argument)->value = 0; return 0;
    case uapi::kDevQuery: {
      auto& query = *static_cast<uapi::DevQuery*>(argument);
      const uapi::NpuInfo info{npu_.id(), npu_.config(), npu_.setup().sram_size, npu_.counters()};
      if (query.type != 0) return EINVAL;
      if (query.pointer == 0) {
        query.size = sizeof info;
        return 0;
      }
      return query.size < offsetof(uapi::NpuInfo, pmu_counters)
                 ? EINVAL
                 : give_struct(&info, sizeof info, query.pointer, query.size);
    }
    case uapi::kBoCreate: {
      auto& bo = *static_cast<uapi::BoCreate*>(argument);
      if (bo.size == 0 || (bo.flags & ~uapi::kNoMmap) != 0) return EINVAL;
      if (const int error = create(bo.size, bo.flags, bo.handle)) return error;
      bo.size = find(bo.handle)->size;
      return 0;
    }
    case uapi::kBoWait: {
      const auto& wait = *static_cast<uapi::BoWait*>(argument);
      if (wait.pad != 0) return EINVAL;
      return find(wait.handle) == nullptr ? EINVAL : 0;
    }
    case uapi::kBoMmapOffset: {
      auto& map = *static_cast<uapi::BoMmapOffset*>(argument);
      if (map.pad != 0) return EINVAL;
      const auto* buffer = find(map.handle);
      if (buffer == nullptr) return ENOENT;
      map.offset = buffer->offset;
      return 0;
    }
    case uapi::kCmdstreamBoCreate: {
      auto& bo = *static_cast<uapi::CmdstreamBoCreate*>(argument);
      if (bo.size == 0 || bo.data == 0 || bo.pad != 0 || bo.flags != 0) return EINVAL;
      return create_stream(bo.size, bo.data, bo.handle);
    }
    case uapi::kSubmit: return submit(*static_cast<uapi::Submit*>(argument));
    default: return perfmon(number, argument);
  }
}

// Like drm_ioctl(): a structure that is longer or shorter than the driver's is truncated or padded with zeros.
int File::ioctl(unsigned long request, void* argument) {
  alignas(8) std::array<std::byte, 4096> bytes{};
  if (_IOC_TYPE(request) != uapi::kDrm) return ENOTTY;
  const std::size_t size = std::min<std::size_t>(_IOC_SIZE(request), bytes.size());
  const auto at = reinterpret_cast<std::uint64_t>(argument);
  if (const int error = take(at, bytes.data(), size)) return error;
  if (const int error = call(_IOC_NR(request), bytes.data())) return error;
  return (_IOC_DIR(request) & _IOC_READ) != 0 ? give(bytes.data(), at, size) : 0;
}

}  // namespace macaw::accel
