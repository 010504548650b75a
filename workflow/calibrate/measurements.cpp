#include "workflow/calibrate/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "base/file.hpp"

namespace macaw::calibrate {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string network_of(const std::string& workload) {
  if (workload == "rnn" || workload.starts_with("rnnoise")) return "rnnoise";
  if (workload.starts_with("kws")) return "kws";
  if (workload.starts_with("ad")) return "ad";
  return workload;
}

const npu::Accelerator* accelerator_of(const std::string& npu, int macs) {
  std::string name = fmt::format("{}-{}", npu, macs);
  std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return npu::find_accelerator(name);
}

/// Beats of the ports and MAC_ACTIVE, by the names of the driver.
std::vector<Expected> exact_counters(const Json& metrics) {
  std::vector<Expected> expected;
  for (const auto& [name, value] : metrics.items())
    if (value.is_number_unsigned() && (name.find("_DATA_BEAT_") != name.npos || name == "MAC_ACTIVE"))
      expected.push_back({name, value.get<std::uint64_t>()});
  return expected;
}

/// What a sweep of the timing adapter changes, by the words of the entry's "knob".
struct Knob {
  std::string group;
  const char* field = nullptr;                        ///< that takes the setting; null: the setting is an accelerator
  std::vector<std::pair<std::string, double>> fixed;  ///< and what else is set
};
std::optional<Knob> parse_knob(const std::string& knob) {
  const auto number_after = [&](const std::string& words) {
    const auto at = knob.find(words);
    double value = -1;
    if (at != knob.npos) std::from_chars(knob.data() + at + words.size(), knob.data() + knob.size(), value);
    return value;
  };
  if (knob == "EXT read latency") return Knob{"EXT read latency", "axi1.read_latency", {}};
  if (knob == "EXT read latency (write 250)")
    return Knob{"EXT read latency", "axi1.read_latency", {{"axi1.write_latency", 250}}};
  if (knob == "EXT write latency (read 500)")
    return Knob{"EXT write latency", "axi1.write_latency", {{"axi1.read_latency", 500}}};
  if (knob.starts_with("EXT latency read 0 write 0"))
    return Knob{"no EXT latency", nullptr, {{"axi1.read_latency", 0}, {"axi1.write_latency", 0}}};
  if (knob.starts_with("EXT_MAXR at read latency "))
    return Knob{"EXT MAXR", "axi1.max_reads", {{"axi1.read_latency", number_after("latency ")}}};
  if (knob == "SRAM_BWCAP") return Knob{"SRAM BWCAP", "axi0.bandwidth_cap", {}};
  if (knob.starts_with("EXT_BWCAP at read latency "))
    return Knob{"EXT BWCAP", "axi1.bandwidth_cap", {{"axi1.read_latency", number_after("latency ")}}};
  return std::nullopt;
}

class Loader {
 public:
  explicit Loader(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add(const Json& entry) {
    const auto id = entry.at("id").get<std::string>(), set = entry.at("set").get<std::string>();
    const auto network = network_of(text_of(entry, "workload"));
    if (network == "w2l" || network == "dnn_s") return leave_out(id, "no artifact of " + network);
    if (set == "S1" || set == "S2" || set == "S3") return add_network(entry, id, set, network);
    if (set == "S4 interventions") return add_sweep(entry, id, network);
    if (set == "S5") return add_board(entry, id, network);
    if (set == "S5E") return add_board_events(entry, id, network);
    if (set == "S7") return add_third_party(entry, id, network);
    if (set == "S3L per-layer") return leave_out(id, "per layer, its stream had an interrupt after each layer");
    if (set == "S10") return leave_out(id, "no stream; MAC_ACTIVE is checked by tests/unit/walk");
    leave_out(id, "no stream");
  }

  Measurements result;

 private:
  void leave_out(std::string id, std::string reason) { result.left_out.push_back({std::move(id), std::move(reason)}); }

  /// The artifact of a measured configuration, for sweeps that do not name theirs.
  using Key = std::pair<const npu::Accelerator*, std::string>;

  std::optional<Cell> make(const Json& entry, const std::string& id, const std::string& network) {
    Cell cell;
    cell.id = id;
    cell.network = network;
    cell.accelerator = accelerator_of(text_of(entry, "npu"), entry.at("macs").get<int>());
    cell.options.values = false;
    const auto artifact = text_of(entry, "artifact");
    if (cell.accelerator == nullptr || artifact.empty()) {
      leave_out(id, "no artifact");
      return {};
    }
    cell.artifact = folder_ / artifact;
    cell.options.memory_mode = text_of(entry, "memory_mode");
    return cell;
  }

  void add_network(const Json& entry, const std::string& id, const std::string& set, const std::string& network) {
    auto cell = make(entry, id, network);
    if (!cell) return;
    const Json& metrics = entry.at("metrics");
    cell->group = set == "S1" ? "adapter on" : set == "S2" ? "adapter off" : "other memory mode or compilation";
    cell->options.timing_adapter = set != "S2";
    cell->coarse = !metrics.contains("NPU_ACTIVE");
    cell->cycles = metrics.at(cell->coarse ? "NPU_TOTAL" : "NPU_ACTIVE").get<double>();
    cell->expected = exact_counters(metrics);
    cell->fitted = set != "S3" && network != "ad";
    if (set == "S1") artifacts_[{cell->accelerator, network}] = *cell;
    result.cells.push_back(std::move(*cell));
  }

  void add_sweep(const Json& entry, const std::string& id, const std::string& network) {
    const auto knob = parse_knob(text_of(entry, "knob"));
    if (!knob) return leave_out(id, "a knob that is not known");
    const bool active = id.find("(ACTIVE)") != id.npos;
    for (const auto& [setting, value] : entry.at("metrics").at("NPU_TOTAL by setting").items()) {
      double number = 0;
      std::from_chars(setting.data(), setting.data() + setting.size(), number);
      const int macs = knob->field ? entry.at("macs").get<int>() : static_cast<int>(number);
      const auto base = artifacts_.find({accelerator_of(text_of(entry, "npu"), macs), network});
      if (base == artifacts_.end()) {
        leave_out(id + " " + setting, "no artifact");
        continue;
      }
      Cell cell = base->second;
      cell.id = fmt::format("{} {}", id, setting);
      cell.group = knob->group;
      cell.options.params = knob->fixed;
      // The six bits of the register make 64 a 0, and a cap above the window is none.
      if (knob->field) {
        if (number == 64 && std::string_view(knob->field) == "axi1.max_reads") number = 0;
        cell.options.params.emplace_back(knob->field, number);
      }
      cell.cycles = value.get<double>();
      cell.coarse = !active;
      cell.fitted = false;
      result.cells.push_back(std::move(cell));
    }
  }

  void add_board(const Json& entry, const std::string& id, const std::string& network) {
    auto cell = make(entry, id, network);
    if (!cell) return;
    cell->group = "FPGA";
    cell->options.system = "mps4-fpga-u85-1024";
    cell->cycles = entry.at("metrics").at("NPU_ACTIVE_B3").get<double>();
    result.cells.push_back(std::move(*cell));
  }

  /// The board's counters per event, taken with every region in its slow DRAM: its cycles depend on that DRAM.
  void add_board_events(const Json& entry, const std::string& id, const std::string& network) {
    if (!entry.contains("artifact")) return leave_out(id, "no stream");
    auto cell = make(entry, id, network);
    if (!cell) return;
    const Json& metrics = entry.at("metrics");
    cell->group = "FPGA";
    cell->options.system = "mps4-fpga-u85-1024";
    cell->options.memory_mode = "Dram_Only";
    cell->expected = {{"EXT_RD_DATA_BEAT_RECEIVED", metrics.at("ext_rd_beats").get<std::uint64_t>()},
                      {"EXT_WR_DATA_BEAT_WRITTEN", metrics.at("ext_wr_beats").get<std::uint64_t>()},
                      {"MAC_ACTIVE", metrics.at("mac_active").get<std::uint64_t>(), 0.002}};
    result.cells.push_back(std::move(*cell));
  }

  /// Its memory system is not known: MAC_ACTIVE alone can be compared.
  void add_third_party(const Json& entry, const std::string& id, const std::string& network) {
    const std::filesystem::path pattern = folder_ / text_of(entry, "artifact_third_party");
    Cell cell;
    cell.id = id;
    cell.group = "third party";
    cell.network = network;
    cell.accelerator = accelerator_of(text_of(entry, "npu"), entry.at("macs").get<int>());
    cell.artifact = pattern.parent_path() / (pattern.parent_path().filename().string() + "_vela.npz");
    cell.options.values = false;
    cell.expected = exact_counters(entry.at("metrics"));
    for (auto& expected : cell.expected) expected.tolerance = network == "kws" ? 0.002 : 0;
    if (cell.accelerator == nullptr || !std::filesystem::exists(cell.artifact)) return leave_out(id, "no artifact");
    result.cells.push_back(std::move(cell));
  }

  std::filesystem::path folder_;
  std::map<Key, Cell> artifacts_;
};

}  // namespace

Result<Measurements> load_measurements(const std::filesystem::path& folder) {
  const auto file = folder / "measurements.json";
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  Place place;
  place.file = file.string();
  try {
    Loader loader(folder);
    // Sweeps use the artifacts of the first set, which comes first.
    const auto json = Json::parse(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    for (const auto& entry : json) loader.add(entry);
    return std::move(loader.result);
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInvalidFile, error.what(), place);
  }
}

}  // namespace macaw::calibrate
