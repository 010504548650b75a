#include "app/batch/outputs.hpp"

#include <fmt/format.h>

#include <macaw/npy.hpp>

#include "base/file.hpp"

namespace macaw::app {
namespace {

/// The runs take the place of a first axis of one element.
Shape with_runs(Shape shape, std::size_t runs) {
  if (shape.empty() || shape[0] != 1) shape.insert(shape.begin(), 1);
  shape[0] = static_cast<std::int64_t>(runs);
  return shape;
}

}  // namespace

Result<void> BatchOutputs::open(const std::vector<Tensor>& outputs) {
  MACAW_CHECK(io::make_directory(folder_));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto target = folder_ / fmt::format("output_{}.npy", i);
    MACAW_ASSIGN(auto temporary, io::TemporaryFile::create(target));
    const auto header =
        format_npy({to_npy(Tensor(outputs[i].dtype(), {})).descr, with_runs(outputs[i].shape(), runs_), {}});
    MACAW_CHECK(temporary.write(header));
    files_.push_back({std::move(temporary), header.size(), outputs[i].dtype(), outputs[i].shape()});
  }
  return {};
}

Result<void> BatchOutputs::add(std::size_t index, const std::vector<Tensor>& outputs) {
  const std::lock_guard lock(mutex_);
  if (files_.empty()) MACAW_CHECK(open(outputs));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const File& file = files_[i];
    if (outputs[i].dtype() != file.dtype || outputs[i].shape() != file.shape)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("output {} of run {} is {} {}, of others {} {}", i, index, to_string(outputs[i].dtype()),
                              to_string(outputs[i].shape()), to_string(file.dtype), to_string(file.shape)));
    const auto bytes = outputs[i].bytes();
    MACAW_CHECK(file.temporary.write_at(file.header + index * bytes.size(), bytes));
  }
  return {};
}

Result<void> BatchOutputs::publish() {
  for (auto& file : files_) MACAW_CHECK(file.temporary.publish(existing_));
  return {};
}

}  // namespace macaw::app
