#include "app/batch/inputs.hpp"

#include <fmt/format.h>

#include "app/input_folder.hpp"

namespace macaw::app {

Result<BatchInputs> BatchInputs::open(const std::filesystem::path& source, std::vector<InputPort> ports,
                                      FolderOptions options) {
  BatchInputs inputs;
  inputs.source_ = source;
  inputs.ports_ = std::move(ports);
  inputs.options_ = std::move(options);
  std::error_code ignored;
  if (!std::filesystem::is_directory(source, ignored)) {
    MACAW_CHECK(inputs.read_arrays());
    return inputs;
  }
  MACAW_ASSIGN(inputs.sets_, input_sets(source, inputs.options_));
  inputs.size_ = inputs.sets_.size();
  return inputs;
}

Result<void> BatchInputs::read_arrays() {
  if (source_.extension() == ".npz") {
    MACAW_ASSIGN(auto npz, read_npz(source_));
    arrays_ = std::move(npz.arrays);
  } else {
    MACAW_ASSIGN(arrays_[""], read_npy(source_));
  }
  const auto mismatch = [&](std::string what) {
    return fail(ErrorCode::kMismatch, std::move(what), {.file = source_.string()});
  };
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto* array = array_of(i);
    if (!array) return mismatch(fmt::format("no array for input '{}'", ports_[i].name));
    if (array->shape.empty() || array->shape[0] <= 0)
      return mismatch(fmt::format("the array for input '{}' has no sets along its first axis", ports_[i].name));
    const auto sets = static_cast<std::size_t>(array->shape[0]);
    if (i > 0 && sets != size_)
      return mismatch(
          fmt::format("{} sets of input '{}', but {} of '{}'", sets, ports_[i].name, size_, ports_[0].name));
    size_ = sets;
  }
  return {};
}

const NpyArray* BatchInputs::array_of(std::size_t input) const {
  const auto found = arrays_.find(ports_[input].name);
  if (found != arrays_.end()) return &found->second;
  return ports_.size() == 1 && arrays_.size() == 1 ? &arrays_.begin()->second : nullptr;
}

std::vector<std::string> BatchInputs::names() const {
  std::vector<std::string> names(size_);
  for (std::size_t i = 0; i < sets_.size(); ++i) names[i] = sets_[i].filename().string();
  return names;
}

Result<std::vector<Tensor>> BatchInputs::get(std::size_t index) const {
  if (!sets_.empty()) return read_input_set(sets_[index], ports_, options_);
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const NpyArray& all = *array_of(i);
    const std::size_t size = all.bytes.size() / size_;
    const auto first = all.bytes.begin() + static_cast<std::ptrdiff_t>(index * size);
    const NpyArray one{
        all.descr, Shape(all.shape.begin() + 1, all.shape.end()), {first, first + static_cast<std::ptrdiff_t>(size)}};
    MACAW_ASSIGN(auto tensor, fit_input(one, ports_[i], options_.fit, source_.string()));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace macaw::app
