#include "app/batch/outputs.hpp"

#include <fmt/format.h>

#include <macaw/npy.hpp>

#include "base/file.hpp"

namespace macaw::app {

Shape with_runs(Shape shape, std::size_t runs) {
  if (shape.empty() || shape[0] != 1) shape.insert(shape.begin(), 1);
  shape[0] = static_cast<std::int64_t>(runs);
  return shape;
}

namespace {

/// The header of an .npy, padded with blanks to `size` bytes as format 1.0 allows.
std::vector<std::byte> npy_header(DType dtype, const Shape& shape, std::size_t size = 0) {
  auto header = format_npy({to_npy(Tensor(dtype, {})).descr, shape, {}});
  if (header.size() >= size) return header;
  header.insert(header.end() - 1, size - header.size(), std::byte{' '});
  constexpr std::size_t kPrefix = 10, kLength = 8;
  const auto length = size - kPrefix;
  header[kLength] = static_cast<std::byte>(length & 0xFF);
  header[kLength + 1] = static_cast<std::byte>(length >> 8);
  return header;
}

}  // namespace

Result<void> BatchOutputs::open(const std::vector<Tensor>& results) {
  for (std::size_t i = 0; i < results.size() && i < targets_.size(); ++i) {
    if (targets_[i].empty()) continue;
    MACAW_CHECK(io::make_directory(targets_[i].parent_path()));
    MACAW_ASSIGN(auto temporary, io::TemporaryFile::create(targets_[i]));
    const auto header = npy_header(results[i].dtype(), with_runs(results[i].shape(), runs_));
    MACAW_CHECK(temporary.write(header));
    files_.push_back({i, std::move(temporary), header.size(), results[i].dtype(), results[i].shape()});
  }
  return {};
}

Result<void> BatchOutputs::add(std::size_t index, const std::vector<Tensor>& results) {
  const std::lock_guard lock(mutex_);
  if (files_.empty()) MACAW_CHECK(open(results));
  for (const File& file : files_) {
    const Tensor& result = results[file.result];
    if (result.dtype() != file.dtype || result.shape() != file.shape)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("'{}' of run {} is {} {}, of others {} {}", targets_[file.result].stem().string(), index,
                              to_string(result.dtype()), to_string(result.shape()), to_string(file.dtype),
                              to_string(file.shape)));
    const auto bytes = result.bytes();
    MACAW_CHECK(file.temporary.write_at(file.header + index * bytes.size(), bytes));
  }
  return {};
}

Result<void> BatchOutputs::publish(std::optional<std::size_t> runs) {
  for (const File& file : files_)
    if (runs && *runs != runs_)
      MACAW_CHECK(file.temporary.write_at(0, npy_header(file.dtype, with_runs(file.shape, *runs), file.header)));
  for (auto& file : files_) MACAW_CHECK(file.temporary.publish(existing_));
  return {};
}

}  // namespace macaw::app
