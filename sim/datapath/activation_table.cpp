#include "sim/datapath/activation_table.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

/// U85: bytes of a table; the index of ACTIVATION counts tables of this size.
std::size_t table_bytes(TableForm form) {
  switch (form) {
    case TableForm::kFromOfm: return 0;
    case TableForm::kU8U8:
    case TableForm::kS8S8: return 256;
    case TableForm::kS8S16: return 512;
    case TableForm::kS8S32: return 1024;
    case TableForm::kS16S16:
    case TableForm::kS16S32:
    case TableForm::kTanh:
    case TableForm::kSigmoid: return 2048;
  }
  return 0;
}

/// U55/U65: tables of 256 words of the OFM's width; a 16-bit OFM has 512 bases and slopes.
std::size_t table_bytes(int ofm_bits) { return ofm_bits == 8 ? 256 : ofm_bits == 16 ? 2048 : 1024; }

constexpr std::size_t kSlot = 256;  // U55/U65: what the index of ACTIVATION counts

}  // namespace

std::optional<ByteRange> activation_table(const BlockOperation& op, const Accelerator& accelerator) {
  const auto index = static_cast<std::size_t>(std::max(0, op.activation.table));
  if (op.family == Family::kU85) {
    if (op.activation.function == ActivationFunction::kNone) return std::nullopt;
    const std::size_t size = table_bytes(op.activation.form);
    if (size == 0) return std::nullopt;
    return ByteRange{size * index, size * index + size};
  }
  if (op.activation.function != ActivationFunction::kTable) return std::nullopt;
  const std::size_t first = static_cast<std::size_t>(accelerator.lut_offset()) + kSlot * index;
  return ByteRange{first, first + table_bytes(op.ofm.bits)};
}

}  // namespace macaw::npu
