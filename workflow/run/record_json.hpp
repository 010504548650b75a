#pragma once
#include <macaw/npu/run.hpp>

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace macaw::run {

/// The members of report.json that record_fields.hpp describes, without those that are made from them.
[[nodiscard]] nlohmann::json record_json(const npu::RunRecord& record);

/// An interval of cycles, as report.json has it.
[[nodiscard]] nlohmann::json json_of(const npu::CyclesInterval& interval);
/// The time of a whole inference, likewise.
[[nodiscard]] nlohmann::json json_of(const npu::Inference& inference);
/// The figures of a sequence, and its score, likewise.
[[nodiscard]] nlohmann::json json_of(const npu::Sequence& sequence);
[[nodiscard]] nlohmann::json json_of(const npu::SequenceScore& score);

/// Where a run is from, likewise.
[[nodiscard]] nlohmann::json json_of(const npu::RunOrigin& origin);

/// Reads report.json, without output tensors, outputs and findings. kInvalidFile if it is not one or not whole; kUsage
/// if it is of a functional run, which has no time.
[[nodiscard]] Result<npu::RunRecord> parse_record(std::string_view json, const std::string& file);

}  // namespace macaw::run
