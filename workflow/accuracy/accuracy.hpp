#pragma once
#include <macaw/tflite/network.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "workflow/accuracy/npu_network.hpp"
#include "workflow/accuracy/pairing.hpp"
#include "workflow/accuracy/picture.hpp"
#include "workflow/accuracy/statistics.hpp"

namespace macaw::accuracy {

/// Networks and inputs to compare. The networks must outlive the result.
struct Request {
  const tflite::Network* reference = nullptr;  ///< in float arithmetic (to_float())
  const tflite::Network* quantised = nullptr;
  Pairing pairing;
  std::vector<npu::Artifact> artifacts = {};
  std::string accelerator = {};  ///< of artifacts that do not state one
  std::size_t sets = 0;
  /// Returns one set in the order of the quantised network's inputs, in their types or, for inputs with a scale, as
  /// FP32. Called by several threads.
  std::function<Result<std::vector<Tensor>>(std::size_t)> inputs;
  std::optional<std::vector<std::int64_t>> labels = {};  ///< the right class of each set
  int threads = 1;
  std::function<void()> done = {};  ///< called after each set by any thread
};

/// The filter of an operator that adds up products.
struct FilterFacts {
  std::size_t scales = 0;  ///< 1: per tensor
  double scale_ratio = 1;  ///< ratio of the largest to the smallest scale
  double range_ratio =
      1;  ///< ratio of the largest to the smallest channel magnitude of weights, zero channels excluded
  std::int64_t codes_used = 0;  ///< number of distinct stored values
  int bits = 8;
};

/// An operator's output that exists in both networks.
struct Layer {
  std::size_t op = 0, tensor = 0;  ///< of the quantised network
  std::size_t reference = 0;       ///< tensor of the float network
  std::string kind, name, reference_name;
  Shape shape;
  DType dtype = DType::kINT8;
  bool keeps_scale = false;  ///< the quantisation is that of its first operand
  TensorSums sums;
  std::optional<FilterFacts> filter;
  std::string not_alone;               ///< why the operator was not run alone; empty if it was
  std::vector<std::int64_t> npu = {};  ///< by artifact: number of sets in which it differs; -1: not written to memory
  std::vector<std::optional<std::uint64_t>> cycles = {};  ///< by artifact, of NpuNetwork::cycles()

  /// SQNR that ranks layers: the layer's own where it is known.
  [[nodiscard]] double own_sqnr() const { return sums.alone.count ? sums.alone.sqnr() : sums.accumulated.sqnr(); }
};

/// A set for which the two networks predict different classes.
struct Flip {
  std::size_t set = 0;
  std::int64_t reference = 0, quantised = 0;
  std::optional<std::int64_t> label = {};
  std::string name = {};                ///< of the file or folder of its inputs
  std::optional<Picture> picture = {};  ///< of its first input
};

/// Counts of the first outputs, read as class scores.
struct ClassCounts {
  /// Flips that are listed; all are counted.
  static constexpr std::size_t kMostFlips = 1000;
  using Confusion = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

  std::size_t classes = 0, sets = 0, agree = 0;
  bool has_labels = false;
  std::size_t top1_reference = 0, top5_reference = 0, top1 = 0, top5 = 0;
  Confusion confusion;            ///< (label, else the float network's class; the quantised network's class)
  Confusion confusion_reference;  ///< (label, the float network's class)
  std::vector<Flip> flips;

  void merge(const ClassCounts& other);
  [[nodiscard]] double share(std::size_t count) const {
    return sets ? static_cast<double>(count) / static_cast<double>(sets) : 0;
  }
  /// Percentage points of top-1 that quantisation cost.
  [[nodiscard]] double drop() const { return 100 * (share(top1_reference) - share(top1)); }
};

struct NpuSummary {
  std::string file, accelerator;
  std::size_t sets_different = 0;  ///< in an output
};

struct Advice {
  std::size_t layer = 0;  ///< in Accuracy::layers
  std::string what, evidence;
};

struct Accuracy {
  std::string reference_file, quantised_file;
  std::size_t sets = 0;
  std::vector<Layer> layers;                            ///< in execution order
  std::vector<std::string> only_float, only_quantised;  ///< tensors without a counterpart
  bool fitted_scales = false;                           ///< the files state no scales; they were fitted to the values
  std::optional<ClassCounts> classes;
  std::vector<NpuSummary> npus;
  std::vector<std::size_t> outputs;  ///< layers that are outputs of the network
  std::vector<Advice> advice;

  /// Layers by their own loss, largest first, without those that lose nothing.
  [[nodiscard]] std::vector<std::size_t> ranking() const;
  /// The lowest accumulated SQNR of an output.
  [[nodiscard]] double output_sqnr() const;
};

/// Runs all sets. Sums are added in the order of the sets, in groups of a fixed size, so that the result does not
/// depend on the number of threads. If sets fail, the error of the first one is returned.
[[nodiscard]] Result<Accuracy> measure(Request request);

/// Changes that would raise the accuracy, each supported by evidence in the sums; the layers that lose most come first.
[[nodiscard]] std::vector<Advice> advise(const Accuracy& accuracy);

/// Tables of at most 80 columns.
[[nodiscard]] std::string to_text(const Accuracy& accuracy);
[[nodiscard]] nlohmann::json to_json(const Accuracy& accuracy);
/// The same as JSON for the page, with the distributions.
[[nodiscard]] nlohmann::json page_json(const Accuracy& accuracy);
/// One line per layer.
[[nodiscard]] std::string to_csv(const Accuracy& accuracy);

}  // namespace macaw::accuracy
