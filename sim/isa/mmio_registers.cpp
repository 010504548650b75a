#include "sim/isa/mmio_registers.hpp"

#include <macaw/npu/registers.hpp>

#include <algorithm>

namespace macaw::npu {
namespace {

using namespace families;

constexpr MmioRegisterRow kRegisters[] = {
#define R(name, lsb, width) \
  MmioRegisterRow::Field { #name, lsb, width }
#define MACAW_REGISTER(set, offset, words, count, reset, name, ...) \
  {set, offset, words, count, reset, #name, {{__VA_ARGS__}}},
#include "sim/isa/registers.def"
#undef MACAW_REGISTER
#undef R
};

}  // namespace

std::span<const MmioRegisterRow> mmio_registers() { return kRegisters; }

const MmioRegisterRow* find_mmio_register(Family family, std::string_view name) {
  for (const auto& row : kRegisters)
    if ((row.families & family_set(family)) && row.name == name) return &row;
  return nullptr;
}

const MmioRegisterRow* find_mmio_register(Family family, unsigned offset) {
  for (const auto& row : kRegisters) {
    const unsigned bytes = 4u * row.words * row.count;
    if ((row.families & family_set(family)) && offset >= row.offset && offset < row.offset + bytes) return &row;
  }
  return nullptr;
}

std::vector<RegisterInfo> registers(Family family) {
  std::vector<RegisterInfo> list;
  for (const auto& row : kRegisters)
    if (row.families & family_set(family)) list.push_back({row.name, row.offset, row.words, row.count, row.reset});
  std::ranges::stable_sort(list, {}, &RegisterInfo::offset);
  return list;
}

std::optional<unsigned> register_offset(Family family, std::string_view name) {
  const auto* row = find_mmio_register(family, name);
  if (row == nullptr) return std::nullopt;
  return row->offset;
}

}  // namespace macaw::npu
