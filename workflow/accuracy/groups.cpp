#include "workflow/accuracy/groups.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>

#include <fmt/format.h>

#include "base/threads.hpp"

namespace macaw::accuracy {
namespace {

constexpr std::size_t kGroup = 16;  // sets whose sums come together before they are added to the others

/// All groups of sets, which threads take one by one and add in their order.
class Groups {
 public:
  explicit Groups(const SetLoop& loop) : loop_(loop), total_(loop.empty()) {}

  Result<Sums> run() {
    {
      const auto others = start_threads(static_cast<std::size_t>(std::max(loop_.threads, 1) - 1), [this] { work(); });
      work();
    }
    if (thrown_) std::rethrow_exception(thrown_);
    if (error_) return tl::unexpected(*error_);
    return std::move(total_);
  }

 private:
  void work() {
    for (std::size_t group; (group = next_++) * kGroup < loop_.sets;) {
      Result<Sums> sums = fail(ErrorCode::kUnsupported, "");
      std::exception_ptr thrown;
      try {
        sums = one(group);
      } catch (...) {  // a lack of memory, which the caller's thread is to meet
        thrown = std::current_exception();
      }
      std::unique_lock lock(mutex_);
      turn_.wait(lock, [&] { return added_ == group; });
      if (!error_ && !thrown_) {
        if (thrown) thrown_ = thrown;
        else if (!sums) error_ = sums.error();
        else total_.merge(*sums);
        if (thrown_ || error_) next_ = loop_.sets;
      }
      ++added_;
      turn_.notify_all();
    }
  }

  Result<Sums> one(std::size_t group) {
    auto sums = loop_.empty();
    for (std::size_t set = group * kGroup; set < std::min((group + 1) * kGroup, loop_.sets); ++set) {
      if (auto done = loop_.run(set, sums); !done) {
        done.error().message = fmt::format("set {}: {}", set, done.error().message);
        return tl::unexpected(done.error());
      }
      if (loop_.done) loop_.done();
    }
    return sums;
  }

  const SetLoop& loop_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable turn_;
  std::size_t added_ = 0;
  Sums total_;
  std::optional<Error> error_;
  std::exception_ptr thrown_;
};

std::size_t place_of(std::span<const float> scores, std::size_t label) {
  std::size_t before = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    before += scores[i] > scores[label] || (scores[i] == scores[label] && i < label);
  return before;
}

std::size_t first_greatest(std::span<const float> scores) {
  return static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
}

}  // namespace

Result<Sums> sum_sets(const SetLoop& loop) { return Groups(loop).run(); }

void count_classes(std::size_t set, std::span<const float> reference, std::span<const float> quantised,
                   std::optional<std::int64_t> label, ClassCounts& counts) {
  const auto expected = first_greatest(reference), found = first_greatest(quantised);
  counts.classes = reference.size();
  ++counts.sets;
  counts.agree += expected == found;
  if (label) {
    counts.has_labels = true;
    const auto right = static_cast<std::size_t>(*label);
    const auto place = place_of(quantised, right), place_reference = place_of(reference, right);
    counts.top1 += place == 0;
    counts.top5 += place < 5;
    counts.top1_reference += place_reference == 0;
    counts.top5_reference += place_reference < 5;
    ++counts.confusion_reference[{*label, static_cast<std::int64_t>(expected)}];
  }
  const auto row = label.value_or(static_cast<std::int64_t>(expected));
  ++counts.confusion[{row, static_cast<std::int64_t>(found)}];
  if (expected != found && counts.flips.size() < ClassCounts::kMostFlips)
    counts.flips.push_back({.set = set,
                            .reference = static_cast<std::int64_t>(expected),
                            .quantised = static_cast<std::int64_t>(found),
                            .label = label});
}

}  // namespace macaw::accuracy
