#include "sim/functional/findings/inspector.hpp"

#include "sim/datapath/weight_order.hpp"
#include "tests/support/accelerator.hpp"

#include <catch2/catch.hpp>

// Rules for outstanding, written and repeated findings on every family, from operations that are handed to
// the inspector one by one.
using namespace macaw;
using namespace macaw::npu;
using macaw::test::accelerator;

namespace {

constexpr std::uint64_t kSize = 8192;
const char* const kFamilies[] = {"ethos-u55-128", "ethos-u65-256", "ethos-u85-256"};

/// 16 bytes of region 1 as a map of one pixel.
FeatureMap pixel(std::uint64_t base) {
  FeatureMap map;
  map.region = 1;
  map.is_signed = true;
  map.base.fill(base);
  map.h = map.w = map.width0 = map.height0 = map.height1 = 1;
  map.c = 16;
  map.stride_c = 1;
  map.stride_x = map.stride_y = 16;
  return map;
}

class InspectorBench {
 public:
  explicit InspectorBench(const char* name, bool written = true) : accelerator_(accelerator(name)) {
    artifact_.memories = {{.name = "arena", .size = kSize, .cleared = written}};
    artifact_.memories[0].initial.resize(1024);
    stream_.regions[1] = {0, 0, kSize};
    inspector.emplace(artifact_, accelerator_, [this](const Finding& finding) { found.push_back(finding); });
    inspector->start(stream_, 0);
  }

  void kernel(std::uint64_t from, std::uint64_t to) {
    BlockOperation op;
    op.family = accelerator_.family;
    op.kind = OpKind::kElementwise;
    op.elementwise = ElementwiseMode::kAbs;
    op.ifm = pixel(from);
    op.ofm = pixel(to);
    op.block = {2, 2, 16};
    if (op.family == Family::kU85) op.ublock = {2, 2, 8};
    run(op);
  }
  void run(const BlockOperation& op) { inspector->before({next_++, 0, 0, 1, op}, op, MemoryMap{}); }
  DmaOperation copy(std::uint64_t from, std::uint64_t to) const {
    DmaOperation op;
    op.family = accelerator_.family;
    op.src_region = op.dst_region = op.idx_region = 1;
    op.src = from;
    op.dst = to;
    op.len = 16;
    return op;
  }
  void run(const DmaOperation& op) { inspector->before({next_++, 0, 0, 1, op}, op); }
  void wait(Wait::Queue queue, unsigned outstanding) { inspector->wait({queue, outstanding}); }

  /// Findings of a kind; there are none of another.
  std::size_t only(FindingKind kind) const {
    for (const Finding& finding : found) CHECK(to_string(finding.kind) == to_string(kind));
    return found.size();
  }

  std::vector<Finding> found;
  std::optional<Inspector> inspector;
  const Accelerator& accelerator_;

 private:
  Artifact artifact_;
  CommandStream stream_;
  std::uint32_t next_ = 0;
};

}  // namespace

TEST_CASE("as many jobs are outstanding as the NPU has places, and a wait leaves its number of them") {
  for (const char* name : kFamilies)
    for (int jobs = 1; jobs <= 6; ++jobs)
      for (int waited = -1; waited <= 4; ++waited)
        for (int job = 0; job < jobs; ++job)
          for (const bool reads : {true, false}) {
            InspectorBench bench(name);
            for (int i = 0; i < jobs; ++i)
              bench.run(
                  bench.copy(1024 + 16 * static_cast<std::uint64_t>(i), 4096 + 16 * static_cast<std::uint64_t>(i)));
            if (waited >= 0) bench.wait(Wait::Queue::kDma, static_cast<unsigned>(waited));
            // A kernel that reads what the job writes, or writes what it reads.
            const auto place = 16 * static_cast<std::uint64_t>(job);
            if (reads) bench.kernel(4096 + place, 7000);
            else bench.kernel(0, 1024 + place);
            int outstanding = std::min(jobs, bench.accelerator_.max_dma);
            if (waited >= 0) outstanding = std::min(outstanding, waited);
            INFO(name << ", " << jobs << " jobs, wait " << waited << ", meets job " << job);
            CHECK(bench.only(FindingKind::kMissingDmaWait) == (job >= jobs - outstanding ? 1 : 0));
          }
}

TEST_CASE("as many kernels are outstanding as the NPU has places, and a wait leaves its number of them") {
  for (const char* name : kFamilies)
    for (int kernels = 1; kernels <= 4; ++kernels)
      for (int waited = -1; waited <= 3; ++waited)
        for (int kernel = 0; kernel < kernels; ++kernel)
          for (const bool reads : {true, false}) {
            InspectorBench bench(name);
            for (int i = 0; i < kernels; ++i)
              bench.kernel(1024 + 16 * static_cast<std::uint64_t>(i), 4096 + 16 * static_cast<std::uint64_t>(i));
            if (waited >= 0) bench.wait(Wait::Queue::kKernel, static_cast<unsigned>(waited));
            const auto place = 16 * static_cast<std::uint64_t>(kernel);
            if (reads) bench.run(bench.copy(4096 + place, 7008));
            else bench.run(bench.copy(0, 1024 + place));
            int outstanding = std::min(kernels, bench.accelerator_.max_kernels);
            if (waited >= 0) outstanding = std::min(outstanding, waited);
            INFO(name << ", " << kernels << " kernels, wait " << waited << ", meets kernel " << kernel);
            CHECK(bench.only(FindingKind::kMissingKernelWait) == (kernel >= kernels - outstanding ? 1 : 0));
          }
}

TEST_CASE("two reads of the same bytes need no wait, nor do neighbours") {
  for (const char* name : kFamilies) {
    InspectorBench bench(name);
    bench.run(bench.copy(1024, 4096));
    bench.kernel(1024, 5008);
    bench.run(bench.copy(1024, 4112));
    bench.kernel(4080, 4128);
    CHECK(bench.found.empty());
  }
}

TEST_CASE("a finding is reported once for a command, and again for another command") {
  InspectorBench bench("ethos-u55-128");
  const auto odd = bench.copy(8, 4096);
  for (int i = 0; i < 3; ++i) bench.inspector->before({7, 0, 0, 1, odd}, odd);
  CHECK(bench.only(FindingKind::kUnaligned) == 1);
  bench.inspector->before({8, 0, 0, 1, odd}, odd);
  CHECK(bench.only(FindingKind::kUnaligned) == 2);
  CHECK(bench.found[0].command_index == 7);
  CHECK(bench.found[1].command_index == 8);
}

TEST_CASE("what a copy moves is as written as its source, what indices pick counts as written") {
  for (const bool indexed : {false, true})
    for (const std::uint64_t source : {std::uint64_t{512}, std::uint64_t{1016}, std::uint64_t{2048}}) {
      InspectorBench bench("ethos-u85-256", false);  // the first 1024 bytes are there
      auto job = bench.copy(source, 4096);
      job.dimensions = 2;
      job.src_stride0 = job.dst_stride0 = 16;
      job.src_indexed = indexed;
      job.idx_max = 0;
      bench.run(job);
      bench.wait(Wait::Queue::kDma, 0);
      bench.kernel(4096, 6000);
      const bool all = source + 16 <= 1024, any = source < 1024;
      const std::size_t copied = any ? 0 : 1, read = indexed || all ? 0 : 1;
      INFO("source " << source << (indexed ? ", indexed" : ""));
      CHECK(bench.only(FindingKind::kNeverWritten) == copied + read);
    }
}

TEST_CASE("scale streams end with the last channel of their core, on U85 with the accelerator's deepest micro-block") {
  struct Row {
    const char* accelerator;
    bool dual;
    int channels;
    std::uint64_t bytes, second;
  };
  for (const Row& row : {Row{"ethos-u55-128", false, 10, 112, 0}, Row{"ethos-u55-128", false, 16, 160, 0},
                         Row{"ethos-u65-512", true, 11, 64, 64}, Row{"ethos-u65-512", true, 13, 80, 64},
                         Row{"ethos-u85-128", false, 10, 160, 0}, Row{"ethos-u85-256", false, 17, 320, 0},
                         Row{"ethos-u85-1024", false, 10, 320, 0}, Row{"ethos-u85-2048", false, 65, 1280, 0}})
    for (const std::uint64_t extra : {0U, 16U}) {
      InspectorBench bench(row.accelerator);
      BlockOperation op;
      op.family = bench.accelerator_.family;
      op.kind = OpKind::kConv;
      op.ifm = pixel(0);
      op.ofm = pixel(4096);
      op.ofm.c = row.channels;
      op.ofm.stride_x = op.ofm.stride_y = 256;
      op.block = op.family == Family::kU85 ? Hwc{2, 2, 64} : Hwc{2, 2, 16};
      if (op.family == Family::kU85) op.ublock = {1, 1, 1};
      op.ib_end = 10;
      op.ab_start = 14;
      op.dual_core = row.dual;
      op.scale_per_channel = true;
      op.scales[0] = {1, 2048, row.bytes + extra};
      if (row.dual) op.scales[1] = {1, 4096 + 1024, row.second};
      bench.run(op);
      INFO(row.accelerator << ", " << row.channels << " channels, " << extra << " bytes too many");
      CHECK(bench.only(FindingKind::kWeightStream) == (extra > 0 ? 1 : 0));
      if (!row.dual) continue;
      op.scales[0].length = row.bytes;
      op.scales[1].length = row.second + extra;
      bench.found.clear();
      bench.run(op);
      CHECK(bench.only(FindingKind::kWeightStream) == (extra > 0 ? 1 : 0));
    }
}
