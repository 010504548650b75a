#include "sim/isa/parsed_stream.hpp"

namespace macaw::npu {

ParsedStream::ParsedStream(const Accelerator& accelerator, std::span<const std::uint32_t> words)
    : rest_(accelerator, words) {
  while (operations_.size() < kMaxAhead) {
    auto operation = rest_.next();
    if (!operation) {
      error_ = operation.error();
      return;
    }
    operations_.push_back(std::move(*operation));
    const auto& action = operations_.back().action;
    if (std::holds_alternative<StreamStop>(action) || std::holds_alternative<Branch>(action)) return;
  }
}

Result<const StreamOperation*> StreamReader::next() {
  if (read_ < stream_->operations_.size()) return &stream_->operations_[read_++];
  if (stream_->error_) return tl::unexpected<Error>(*stream_->error_);
  MACAW_ASSIGN(last_, rest_.next());
  return &*last_;
}

}  // namespace macaw::npu
