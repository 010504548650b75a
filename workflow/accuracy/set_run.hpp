#pragma once
#include "workflow/accuracy/accuracy.hpp"

namespace macaw::accuracy {

/// The contribution of a group of sets to a result.
struct Sums {
  std::vector<TensorSums> layers;
  std::vector<std::vector<std::int64_t>> npu;  ///< by artifact and layer: sets in which it differs
  std::vector<std::size_t> npu_outputs;        ///< by artifact: sets in which an output differs
  ClassCounts classes;
  std::vector<std::string> not_alone;  ///< by layer

  void merge(const Sums& other);
};

/// Runs single sets through both networks and the compiled ones. Several threads may use it at the same time.
class SetRunner {
 public:
  /// Uses the pairing of the request; the `layers` without sums are measured. The first run of each artifact uses the
  /// inputs of set 0.
  [[nodiscard]] static Result<SetRunner> create(const Request& request);

  [[nodiscard]] const std::vector<Layer>& layers() const { return layers_; }
  [[nodiscard]] const std::vector<NpuNetwork>& npus() const { return npus_; }
  [[nodiscard]] bool has_classes() const { return classes_ > 0; }
  [[nodiscard]] Sums empty_sums() const;

  [[nodiscard]] Result<void> run(std::size_t set, Sums& sums) const;

 private:
  class Values;

  explicit SetRunner(const Request& request) : request_(request) {}
  void find_layers();
  void find_classes();
  [[nodiscard]] Result<std::vector<Tensor>> reference_inputs(const std::vector<Tensor>& given,
                                                             const std::vector<Tensor>& quantised) const;
  [[nodiscard]] Result<std::vector<Tensor>> quantised_inputs(const std::vector<Tensor>& given) const;
  [[nodiscard]] Result<std::vector<Tensor>> run_alone(std::size_t op, Values& values) const;
  [[nodiscard]] Result<void> add_layer(std::size_t layer, const Tensor& reference, Values& values, Sums& sums) const;
  [[nodiscard]] Result<void> compare_npus(const std::vector<Tensor>& inputs, Values& values, Sums& sums) const;

  const Request& request_;
  std::vector<Layer> layers_;
  std::multimap<std::size_t, std::size_t> layers_of_;  ///< by tensor of the float network
  std::vector<NpuNetwork> npus_;
  std::size_t classes_ = 0;  ///< of the first output; 0: it does not hold one score per class
};

}  // namespace macaw::accuracy
