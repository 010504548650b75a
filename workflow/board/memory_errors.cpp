#include "workflow/board/memory_errors.hpp"

#include <algorithm>
#include <cmath>

namespace macaw::board {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Relative errors that a model of a memory leaves in any case.
constexpr double kLeastError = 0.003;
constexpr double kSlopeStep = 0.3;

// `none` of a limit is the greatest value. More than two beats a cycle, one each way, no port moves.
std::vector<Knob> all_knobs() {
  std::vector<Knob> knobs;
  for (const std::size_t port : {0, 1}) {
    const auto name = [&](const char* field) { return "axi" + std::to_string(port) + "." + field; };
    knobs.push_back({name("read_latency"), port, 1, 4000, 1, true});
    knobs.push_back({name("write_latency"), port, 1, 4000, 1, true});
    knobs.push_back({name("beats_per_cycle"), port, 0.01, 2, 2, false});
    knobs.push_back({name("max_reads"), port, 1, 63, 63, true});
    knobs.push_back({name("max_writes"), port, 1, 63, 63, true});
    knobs.push_back({name("least_bytes"), port, 8, 512, 8, true});
  }
  return knobs;
}

double middle_of(const calibrate::MeasuredCycles& measured) { return measured.value - measured.resolution / 2; }

/// How far a relative error deviates. A value spread evenly over a step of 1 does by 1/sqrt(12).
double open_of(const calibrate::MeasuredCycles& measured) {
  return std::hypot(kLeastError, measured.resolution / std::sqrt(12) / middle_of(measured));
}

}  // namespace

MemoryErrors::MemoryErrors(calibrate::Evaluator& evaluator, const std::vector<calibrate::Cell>& cells)
    : evaluator_(evaluator),
      cells_(cells),
      knobs_(all_knobs()),
      matters_(knobs_.size(), false),
      uses_(cells.size(), {true, true}),
      known_(cells.size()) {}

Result<void> MemoryErrors::explore() {
  VectorXd busy = none();
  for (std::size_t i = 0; i < knobs_.size(); ++i)
    busy[Index(i)] = (std::log(knobs_[i].low) + std::log(knobs_[i].high)) / 2;
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    std::array<bool, 2> uses{};
    for (const std::size_t port : {0, 1}) {
      VectorXd x = none();
      for (std::size_t i = 0; i < knobs_.size(); ++i)
        if (knobs_[i].port == port) x[Index(i)] = busy[Index(i)];
      MACAW_ASSIGN(const double idle, cycles(cell, none()));
      MACAW_ASSIGN(const double there, cycles(cell, x));
      uses[port] = there != idle;
    }
    uses_[cell] = uses;
    known_[cell].clear();
  }
  for (const auto& x : {none(), busy})
    for (std::size_t i = 0; i < knobs_.size(); ++i)
      for (const double end : {knobs_[i].low, knobs_[i].high}) {
        VectorXd moved = x;
        moved[Index(i)] = std::log(end);
        for (const auto cell : measured()) {
          if (matters_[i]) break;
          MACAW_ASSIGN(const double here, cycles(cell, x));
          MACAW_ASSIGN(const double there, cycles(cell, moved));
          const double open = open_of(*cells_[cell].cycles);
          matters_[i] = std::abs(there - here) * kLeastError > 1e-3 * open;
        }
      }
  return {};
}

std::vector<Index> MemoryErrors::that_matter(std::span<const std::size_t> ports) const {
  std::vector<Index> found;
  for (std::size_t i = 0; i < knobs_.size(); ++i)
    if (matters_[i] && std::ranges::count(ports, knobs_[i].port) != 0) found.push_back(Index(i));
  return found;
}

std::vector<std::size_t> MemoryErrors::measured() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < cells_.size(); ++i)
    if (cells_[i].cycles) found.push_back(i);
  return found;
}

std::vector<std::size_t> MemoryErrors::measured_with(std::size_t port) const {
  auto found = measured();
  std::erase_if(found, [&](std::size_t i) { return !uses_[i][port] || uses_[i][1 - port]; });
  return found;
}

VectorXd MemoryErrors::none() const {
  VectorXd x(Index(knobs_.size()));
  for (std::size_t i = 0; i < knobs_.size(); ++i) x[Index(i)] = std::log(knobs_[i].none);
  return x;
}

VectorXd MemoryErrors::clamped(VectorXd x) const {
  for (std::size_t i = 0; i < knobs_.size(); ++i)
    x[Index(i)] = std::clamp(x[Index(i)], std::log(knobs_[i].low), std::log(knobs_[i].high));
  return x;
}

double MemoryErrors::value(Index knob, double x) const {
  const auto& field = knobs_[std::size_t(knob)];
  const double value = field.integer ? std::round(std::exp(x)) : std::exp(x);
  return std::abs(value / field.none - 1) < 0.02 ? 0 : value;
}

VectorXd MemoryErrors::moved(VectorXd x, Index knob) const {
  const double from = x[knob];
  x[knob] += kSlopeStep;
  x = clamped(std::move(x));
  if (x[knob] - from < kSlopeStep / 2) x[knob] = from - kSlopeStep;
  return x;
}

Result<double> MemoryErrors::cycles(std::size_t cell, const VectorXd& x) {
  std::vector<std::pair<std::string, double>> params;
  std::vector<double> key;
  for (std::size_t i = 0; i < knobs_.size(); ++i) {
    if (!uses_[cell][knobs_[i].port]) continue;
    key.push_back(value(Index(i), x[Index(i)]));
    params.emplace_back(knobs_[i].name, key.back());
  }
  const auto found = known_[cell].find(key);
  if (found != known_[cell].end()) return found->second;
  MACAW_ASSIGN(const auto outcome, evaluator_.run(cells_[cell], params));
  return known_[cell][std::move(key)] = std::log(static_cast<double>(outcome.cycles));
}

Result<VectorXd> MemoryErrors::operator()(const Part& part, const VectorXd& x) {
  VectorXd errors(Index(part.cells.size()));
  for (std::size_t i = 0; i < part.cells.size(); ++i) {
    MACAW_ASSIGN(const double cycles, this->cycles(part.cells[i], x));
    const auto& measured = *cells_[part.cells[i]].cycles;
    errors[Index(i)] = (cycles - std::log(middle_of(measured))) / open_of(measured);
  }
  return errors;
}

Result<MatrixXd> MemoryErrors::slopes(const Part& part, const VectorXd& x, const VectorXd& here) {
  MatrixXd slopes(here.size(), Index(part.knobs.size()));
  for (std::size_t i = 0; i < part.knobs.size(); ++i) {
    const auto knob = part.knobs[i];
    const VectorXd there = moved(x, knob);
    MACAW_ASSIGN(const VectorXd errors, (*this)(part, there));
    slopes.col(Index(i)) = (errors - here) / (there[knob] - x[knob]);
  }
  return slopes;
}

}  // namespace macaw::board
