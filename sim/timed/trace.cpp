#include "sim/timed/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace macaw::npu::timed {
namespace {

void trace_all(const sc_core::sc_object& object, sc_core::sc_trace_file* file) {
  object.trace(file);
  for (const sc_core::sc_object* child : object.get_child_objects()) trace_all(*child, file);
}

/// Trace file of SystemC for the traced simulation; only the one whose context is entered exists.
std::filesystem::path traced;

}  // namespace

SpanCount::SpanCount(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
  SC_METHOD(apply);
  sensitive << next_;
  dont_initialize();
}

void SpanCount::add(Ticks begin, Ticks end) {
  if (end <= begin) return;
  changes_.emplace(begin, true);
  changes_.emplace(end, false);
  notify_next();
}

void SpanCount::notify_next() {
  const Ticks at = changes_.top().first;
  next_.notify(delay_until(at));
}

void SpanCount::apply() {
  for (; !changes_.empty() && changes_.top().first <= now(); changes_.pop()) {
    if (changes_.top().second) ++value_;
    else --value_;
  }
  if (!changes_.empty()) notify_next();
}

void SpanCount::trace(sc_core::sc_trace_file* file) const { sc_core::sc_trace(file, value_, name()); }

// SystemC divides by zero when it closes a trace whose file it could not open, so such a trace is not closed.
void VcdFile::Close::operator()(sc_core::sc_trace_file* file) const {
  std::error_code ignored;
  if (std::filesystem::exists(traced, ignored)) sc_core::sc_close_vcd_trace_file(file);
}

VcdFile::VcdFile(std::filesystem::path file, std::uint64_t max_bytes, io::TemporaryFile beside)
    : file_(std::move(file)),
      max_bytes_(max_bytes),
      beside_(std::move(beside)),
      part_(io::TemporaryFile::adopt(beside_.path().string() + ".vcd")) {}

tl::unexpected<Error> VcdFile::write_error() const {
  return fail(ErrorCode::kIo, fmt::format("cannot write: {}", errno ? std::strerror(errno) : "unknown cause"),
              {.file = file_.string()});
}

Result<std::unique_ptr<VcdFile>> VcdFile::create(const std::filesystem::path& file, std::uint64_t max_bytes) {
  MACAW_ASSIGN(auto beside, io::TemporaryFile::create(file));
  std::unique_ptr<VcdFile> vcd(new VcdFile(file, max_bytes, std::move(beside)));
  errno = 0;
  vcd->out_.open(vcd->beside_.path(), std::ios::binary | std::ios::trunc);
  if (!vcd->out_) return vcd->write_error();
  return vcd;
}

VcdFile::Trace VcdFile::open(const sc_core::sc_object& top) const {
  traced = part();
  Trace trace(sc_core::sc_create_vcd_trace_file(beside_.path().c_str()));
  trace->set_time_unit(1, sc_core::SC_PS);
  trace_all(top, trace.get());
  return trace;
}

Result<void> VcdFile::check_size() const {
  std::error_code missing;
  const auto current = std::filesystem::file_size(part(), missing);
  const auto before = std::filesystem::file_size(beside_.path(), missing);
  if (!missing && current + before > max_bytes_)
    return fail(ErrorCode::kUnsupported, fmt::format("the waveform is longer than {} bytes", max_bytes_),
                {.file = file_.string()});
  return {};
}

Result<void> VcdFile::add(Trace trace, Cycles offset) {
  trace.reset();
  MACAW_CHECK(check_size());
  std::ifstream in(part(), std::ios::binary);
  errno = 0;
  // SystemC does not report whether it could write: a complete trace ends with a time.
  if (!append(in, ticks(offset))) return write_error();
  std::error_code ignored;
  std::filesystem::remove(part(), ignored);
  return {};
}

// Copies everything except the date from the first trace, because it would make equal runs differ; from the others,
// values and times.
bool VcdFile::append(std::istream& in, Ticks offset) {
  bool header = true, date = false, ends_with_time = false;
  for (std::string line; std::getline(in, line);) {
    if (header) {
      date |= line == "$date";
      if (!has_header_ && !date) out_ << line << '\n';
      if (date && line == "$end") date = false;
      if (line.starts_with("$enddefinitions")) {
        header = false;
        if (has_header_) out_ << '#' << (last_ = std::max(last_, offset)) << '\n';
      }
    } else if (line.starts_with('#')) {
      std::uint64_t time = 0;
      std::from_chars(line.data() + 1, line.data() + line.size(), time);
      last_ = std::max(last_, Ticks(time) + offset);
      out_ << '#' << last_ << '\n';
      ends_with_time = true;
    } else if (!line.empty()) {
      // The initial values, which are enclosed in keywords, are changes when they are appended to a file.
      const bool value = line[0] == '0' || line[0] == '1' || line[0] == 'b';
      if (value || !has_header_) out_ << line << '\n';
      ends_with_time = false;
    }
  }
  has_header_ = true;
  return ends_with_time && in.eof() && out_;
}

Result<void> VcdFile::finish() {
  errno = 0;
  out_.close();
  if (!out_) return write_error();
  return beside_.publish();
}

}  // namespace macaw::npu::timed
