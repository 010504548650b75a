#pragma once
#include <macaw/error.hpp>

#include <span>
#include <string>
#include <string_view>

namespace macaw::npu {

/// The CPU that drives an NPU and runs the operators that are left to it: the table [cpu] of a system file. An empty
/// text or 0 means that the value is not stated.
struct CpuConfig {
  std::string core;      ///< "cortex-m55"
  std::string library;   ///< of kernels, "cmsis-nn"
  std::string compiler;  ///< with its level, "gcc-O2"
  std::string runtime;   ///< "tflm", "executorch", "ahead-of-time", "none"
  std::string memory;    ///< where tensors are: "tcm", "sram", "external", "uncached"
  std::string cache;     ///< maintenance around a job: "none", "by-address", "whole"
  std::string copies;    ///< made by the application: "both", "inputs", "outputs", "none"
  std::string ends;      ///< "float": the application quantises inputs and dequantises outputs; "integer"
  std::string driver;    ///< "job": ethosu_invoke as a whole; "hooks": between its begin and end hooks; "none"
  std::string source;
  double clock_hz = 0;
  double copy_low = 0, copy_high = 0;  ///< bandwidth of copies in bytes per nanosecond
  friend bool operator==(const CpuConfig&, const CpuConfig&) = default;
};

/// A member of CpuConfig by the name that files and `--cpu NAME=VALUE` use: a text or a positive number.
struct CpuField {
  std::string_view name, text;
  std::string CpuConfig::*word = nullptr;
  double CpuConfig::*number = nullptr;
};
[[nodiscard]] std::span<const CpuField> cpu_fields();

/// Sets a member from text. kUsage: the message completes "NAME ..." and has no place.
[[nodiscard]] Result<void> set_cpu_field(CpuConfig& cpu, std::string_view name, std::string_view value);

/// Returns the first member that contradicts another one; empty if none does.
[[nodiscard]] std::string_view contradiction(const CpuConfig& cpu);

}  // namespace macaw::npu
