#pragma once
#include <macaw/npu/accelerator.hpp>

#include <string>
#include <string_view>

namespace macaw::report {

/// A text as a cell, in quotes where it needs them.
[[nodiscard]] std::string csv_cell(std::string_view text);

/// The side of the NPU at which a memory area of Vela's lies ("sram", "dram", "on_chip_flash", "off_chip_flash"), or -1
/// if nothing is there.
[[nodiscard]] int side_of_area(std::string_view area, npu::Family family);

}  // namespace macaw::report
