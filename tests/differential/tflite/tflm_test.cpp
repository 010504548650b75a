#include <catch2/catch.hpp>

#include <macaw/npy.hpp>
#include <macaw/temporary_file.hpp>
#include <macaw/tflite/interpreter.hpp>

#include <cstdlib>

#include <fmt/format.h>

#include "base/file.hpp"
#include "tests/differential/tflite/maker.hpp"
#include "tests/support/checked.hpp"

// The interpreter beside TensorFlow Lite for Microcontrollers: networks of one operator, and what its reference kernels
// make of them. tflm.npz holds, for every operator, cases and answers as runner/tflm_runner.cc reads and writes them.

using namespace macaw;
using namespace macaw::test;

namespace {

using Bytes = std::vector<std::byte>;

constexpr const char* kStored = "tests/differential/tflite/tflm.npz";
constexpr std::size_t kRuns = 2;        // of each network, the second with the state that the first leaves
constexpr std::size_t kStoredEach = 3;  // networks of an operator

struct Case {
  Bytes network;
  std::vector<std::vector<Tensor>> runs;
};
using Answer = std::vector<std::vector<Bytes>>;  // the outputs of every run; none: refused

void put(Bytes& to, std::uint32_t number) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&number);
  to.insert(to.end(), bytes, bytes + sizeof(number));
}

void put(Bytes& to, std::span<const std::byte> blob) {
  put(to, static_cast<std::uint32_t>(blob.size()));
  to.insert(to.end(), blob.begin(), blob.end());
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }
  std::uint32_t number() {
    std::uint32_t value = 0;
    std::memcpy(&value, take(sizeof(value)).data(), sizeof(value));
    return value;
  }
  Bytes blob() {
    const auto bytes = take(number());
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::span<const std::byte> take(std::size_t size) {
    REQUIRE(size <= rest_.size());
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  std::span<const std::byte> rest_;
};

Bytes written(const Case& c) {
  Bytes bytes;
  put(bytes, c.network);
  put(bytes, static_cast<std::uint32_t>(c.runs.size()));
  put(bytes, static_cast<std::uint32_t>(c.runs.front().size()));
  for (const auto& run : c.runs)
    for (const auto& tensor : run) put(bytes, tensor.bytes());
  return bytes;
}

Case read_case(Reader& reader) {
  Case c;
  c.network = reader.blob();
  const auto network = checked(tflite::parse_network(c.network, "stored"));
  const auto runs = reader.number(), inputs = reader.number();
  REQUIRE(inputs == network.main().inputs.size());
  for (std::uint32_t run = 0; run < runs; ++run) {
    c.runs.emplace_back();
    for (const int id : network.main().inputs) {
      const auto& info = network.main().tensors[static_cast<std::size_t>(id)];
      const auto bytes = reader.blob();
      Tensor tensor(info.dtype, info.shape);
      REQUIRE(bytes.size() == tensor.bytes().size());
      std::ranges::copy(bytes, tensor.bytes().begin());
      c.runs.back().push_back(std::move(tensor));
    }
  }
  return c;
}

Answer read_answer(Reader& reader) {
  Answer answer(reader.number());
  for (auto& run : answer) {
    run.resize(reader.number());
    for (auto& output : run) output = reader.blob();
  }
  return answer;
}

Bytes written(const Answer& answer) {
  Bytes bytes;
  put(bytes, static_cast<std::uint32_t>(answer.size()));
  for (const auto& run : answer) {
    put(bytes, static_cast<std::uint32_t>(run.size()));
    for (const auto& output : run) put(bytes, output);
  }
  return bytes;
}

struct TflmTally {
  int equal = 0, different = 0, refused_there = 0, refused_here = 0;
  std::string first;  // of what is different or refused here
};

void compare(const Case& c, const Answer& answer, std::uint64_t seed, TflmTally& tally) {
  if (answer.empty()) {
    ++tally.refused_there;
    return;
  }
  const auto network = checked(tflite::parse_network(c.network, "random"));
  tflite::State state;
  for (std::size_t run = 0; run < c.runs.size(); ++run) {
    const auto result = tflite::run(network, c.runs[run], state);
    if (!result) {
      if (++tally.refused_here == 1) tally.first += fmt::format(" seed {}: {}", seed, result.error().to_string());
      return;
    }
    REQUIRE(result->outputs.size() == answer[run].size());
    for (std::size_t i = 0; i < answer[run].size(); ++i)
      if (!std::ranges::equal(result->outputs[i].bytes(), answer[run][i])) {
        if (++tally.different == 1) tally.first += fmt::format(" seed {} differs in run {}, output {}", seed, run, i);
        return;
      }
  }
  ++tally.equal;
}

Case random_case(const OperatorMaker& maker, std::uint64_t seed) {
  Maker m(seed * 2003 + static_cast<std::uint64_t>(maker.builtin));
  maker.make(m, maker.builtin);
  Case c{m.finish(), {}};
  for (std::size_t run = 0; run < kRuns; ++run) c.runs.push_back(random_inputs(c.network, seed * kRuns + run));
  return c;
}

/// Output of the program of runner/tflm_runner.cc.
std::vector<Answer> ask(const char* runner, const std::vector<Case>& cases) {
  const auto in = checked(io::TemporaryFile::create("tflm_cases")),
             out = checked(io::TemporaryFile::create("tflm_answers"));
  Bytes bytes;
  for (const auto& c : cases) std::ranges::copy(written(c), std::back_inserter(bytes));
  REQUIRE(in.write(bytes));
  const auto command = fmt::format("'{}' < '{}' > '{}'", runner, in.path().string(), out.path().string());
  REQUIRE(std::system(command.c_str()) == 0);
  const auto answers = checked(io::read_file(out.path()));
  Reader reader(answers);
  std::vector<Answer> result;
  for (std::size_t i = 0; i < cases.size(); ++i) result.push_back(read_answer(reader));
  return result;
}

NpyArray array_of(const Bytes& bytes) { return {"|u1", {static_cast<std::int64_t>(bytes.size())}, bytes}; }

/// Adds the first networks that were answered.
void store(const std::string& name, const std::vector<Case>& cases, const std::vector<Answer>& answers,
           std::map<std::string, NpyArray>& archive) {
  Bytes stored_cases, stored_answers;
  std::size_t count = 0;
  for (std::size_t i = 0; i < cases.size() && count < kStoredEach; ++i) {
    if (answers[i].empty()) continue;
    std::ranges::copy(written(cases[i]), std::back_inserter(stored_cases));
    std::ranges::copy(written(answers[i]), std::back_inserter(stored_answers));
    ++count;
  }
  if (count == 0) return;
  archive[name + ".cases"] = array_of(stored_cases);
  archive[name + ".answers"] = array_of(stored_answers);
}

}  // namespace

TEST_CASE("stored networks give what TensorFlow Lite for Microcontrollers gave") {
  const auto archive = checked(read_npz(kStored));
  int equal = 0;
  for (const auto& [name, array] : archive.arrays) {
    if (!name.ends_with(".cases")) continue;
    const auto operator_name = name.substr(0, name.size() - std::string(".cases").size());
    INFO(operator_name);
    Reader cases(array.bytes), answers(archive.arrays.at(operator_name + ".answers").bytes);
    TflmTally tally;
    for (std::uint64_t i = 0; !cases.is_at_end(); ++i) compare(read_case(cases), read_answer(answers), i, tally);
    INFO(tally.first);
    CHECK(tally.different + tally.refused_there + tally.refused_here == 0);
    equal += tally.equal;
  }
  CHECK(equal > static_cast<int>(archive.arrays.size()));
}

TEST_CASE("random networks give what TensorFlow Lite for Microcontrollers gives") {
  const char* runner = std::getenv("MACAW_TFLM_RUNNER");
  if (!runner) {
    fmt::print("skipped: MACAW_TFLM_RUNNER names no program of runner/tflm_runner.cc\n");
    return;
  }
  const char* text = std::getenv("MACAW_TFLM_SHAPES");
  const std::uint64_t count = text ? std::strtoull(text, nullptr, 10) : 20;
  std::map<std::string, NpyArray> archive;
  for (const auto& maker : operator_makers()) {
    std::vector<Case> cases;
    std::vector<Answer> answers;
    TflmTally tally;
    // More than were asked for where some are refused, unless all are.
    const auto may_go_on = [&](std::size_t answered) {
      return cases.size() < count || (answered > 0 && cases.size() < 4 * count);
    };
    for (std::size_t answered = 0; answered < count && may_go_on(answered);) {
      std::vector<Case> batch;
      for (auto left = count - answered; left > 0; --left)
        batch.push_back(random_case(maker, cases.size() + batch.size()));
      for (auto& answer : ask(runner, batch)) {
        auto& c = batch[answers.size() - cases.size()];
        compare(c, answer, answers.size(), tally);
        answered += !answer.empty();
        answers.push_back(std::move(answer));
      }
      std::ranges::move(batch, std::back_inserter(cases));
    }
    fmt::print("{:<24} {} equal, {} different, {} refused there, {} refused here{}\n", maker.name, tally.equal,
               tally.different, tally.refused_there, tally.refused_here, tally.first);
    INFO(maker.name << tally.first);
    CHECK(tally.different == 0);
    store(std::string(maker.name), cases, answers, archive);
  }
  if (const char* file = std::getenv("MACAW_TFLM_STORE")) REQUIRE(write_npz(file, archive));
}
