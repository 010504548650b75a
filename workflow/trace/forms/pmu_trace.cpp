#include <zlib.h>

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "workflow/trace/forms/trace.hpp"

namespace macaw::trace {
namespace {

/// Without file name and time, so that equal runs give equal bytes.
std::vector<std::byte> gzip(const std::string& text) {
  constexpr int kGzipHeader = 16 + MAX_WBITS, kMemory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipHeader, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib cannot start");
  std::vector<std::byte> out(deflateBound(&stream, text.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("zlib cannot compress");
  return out;
}

}  // namespace

std::vector<std::byte> pmu_trace(const npu::RunRecord& run) {
  constexpr std::uint64_t kWord = 4;
  auto events = nlohmann::json::array();
  const auto reached = [&](std::uint64_t cycle, std::uint64_t offset) {
    events.push_back({{"ph", "C"},
                      {"pid", "ethosu"},
                      {"tid", "qread"},
                      {"name", "qread"},
                      {"ts", cycle},
                      {"args", {{"qread", offset / kWord}}}});
  };
  for (std::size_t i = 0; i < run.operations.size(); ++i) {
    const auto& o = run.operations[i];
    reached(o.issued, o.offset);
    const bool last = i + 1 == run.operations.size() || run.operations[i + 1].step != o.step;
    if (last) reached(o.end, o.offset + kWord);
  }
  return gzip(nlohmann::json{{"traceEvents", std::move(events)}}.dump(-1, ' ', false,
                                                                      nlohmann::json::error_handler_t::replace));
}

}  // namespace macaw::trace
