#include "device/accel/stream_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace macaw::accel {
namespace {

constexpr std::uint64_t kUnset64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kUnset32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint16_t kUnset16 = std::numeric_limits<std::uint16_t>::max();
constexpr int kInternal = -1;  // region of the NPU's own memory, and of a map whose region was not set

/// Every register has all bits set until it is written.
struct FeatureMap {
  std::array<std::uint64_t, 4> base{kUnset64, kUnset64, kUnset64, kUnset64};
  std::uint64_t stride_x = kUnset64, stride_y = kUnset64, stride_c = kUnset64;
  int region = kInternal;
  std::uint8_t broadcast = 0xff;
  std::uint16_t stride_kernel = kUnset16, precision = kUnset16, depth = kUnset16, width = kUnset16, width0 = kUnset16;
  std::array<std::uint16_t, 3> height{kUnset16, kUnset16, kUnset16};  // of tiles 0 and 1, and of the whole map
  std::uint8_t pad_top = 0xff, pad_left = 0xff, pad_bottom = 0xff, pad_right = 0xff;
};

struct Buffer {
  std::uint64_t base = kUnset64;
  std::uint32_t length = kUnset32;
  int region = kInternal;
};

struct Copy {
  int region = kInternal;
  std::uint64_t length = kUnset64, offset = kUnset64;
  std::array<std::int64_t, 2> stride{-1, -1};
};

enum Op : std::uint16_t { kConv = 2, kDepthwise = 3, kPool = 5, kElementwise = 6, kDmaStart = 0x10 };

class Checks {
 public:
  explicit Checks(StreamFacts& facts) : facts_(facts) {}

  [[nodiscard]] std::string run(std::span<const std::uint32_t> words) {
    constexpr std::uint16_t kTwoWords = 0x4000;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto command = static_cast<std::uint16_t>(words[i]), parameter = static_cast<std::uint16_t>(words[i] >> 16);
      at_ = 4 * i;
      std::uint32_t data = 0;
      if ((command & kTwoWords) != 0) {
        if (++i == words.size()) return fmt::format("the command at byte {} lacks its second word", at_);
        data = words[i];
      }
      if (const auto problem = step(command, parameter, data); !problem.empty()) return problem;
    }
    return {};
  }

 private:
  [[nodiscard]] std::string step(std::uint16_t command, std::uint16_t parameter, std::uint32_t data) {
    switch (command) {
      case kConv:
      case kDepthwise: {
        const bool weights_in_ifm2 = (parameter & 1) != 0;
        return windowed(command == kConv ? "NPU_OP_CONV" : "NPU_OP_DEPTHWISE", true, weights_in_ifm2, !weights_in_ifm2);
      }
      case kPool: {
        constexpr std::uint16_t kReducesNothing = 4;
        return windowed("NPU_OP_POOL", parameter != kReducesNothing, false, false);
      }
      case kElementwise: return elementwise(parameter);
      case kDmaStart: return copy();
      // cmd_to_addr() shifts bits 32 to 39 out of a 32-bit word.
      default: return set(command, parameter, data, data);
    }
  }

  [[nodiscard]] std::string refuse(std::string_view operation, std::string_view reason) const {
    return fmt::format("{} at byte {}: {}", operation, at_, reason);
  }

  void use(int region, std::uint64_t end) {
    auto& size = facts_.region_size[static_cast<std::size_t>(region)];
    size = std::max(size, end);
  }

  /// Checks that the element at x, y, c of a map lies in its region.
  [[nodiscard]] std::string touch(const FeatureMap& map, std::string_view operation, std::string_view name,
                                  std::uint32_t x, std::uint32_t y, std::uint32_t c) {
    if (map.region == kInternal) return refuse(operation, fmt::format("{}_REGION has not been set", name));
    enum { k2x2, k3x1 };
    std::size_t tile = 0;
    const auto beyond = [](std::uint32_t& at, std::uint16_t last) {
      if (at < std::uint32_t{last} + 1) return false;
      at -= std::uint32_t{last} + 1;
      return true;
    };
    switch (map.precision >> 14) {
      case k2x2:
        if (beyond(x, map.width0)) tile += 1;
        if (beyond(y, map.height[tile])) tile += 2;
        break;
      case k3x1:
        if (beyond(y, map.height[1])) tile = 2;
        else if (beyond(y, map.height[0])) tile = 1;
        break;
      default: break;
    }
    if (map.base[tile] == kUnset64) return refuse(operation, fmt::format("{}_BASE{} has not been set", name, tile));
    std::uint64_t address = map.base[tile] + y * map.stride_y;
    switch (map.precision >> 6 & 3) {
      case 0: address += x * map.stride_x + c; break;
      case 1: {
        const std::uint32_t element = 1u << (map.precision >> 1 & 3);
        address += (c / 16) * map.stride_c + (16 * x + (c & 15)) * element;
        break;
      }
      default: break;
    }
    if (address == kUnset64) return refuse(operation, fmt::format("{} ends at the last address", name));
    use(map.region, address + 1);
    return {};
  }

  [[nodiscard]] std::string touch(const Buffer& buffer, std::string_view operation, std::string_view name) {
    if (buffer.region == kInternal) return refuse(operation, fmt::format("{}_REGION has not been set", name));
    if (buffer.base == kUnset64) return refuse(operation, fmt::format("{}_BASE has not been set", name));
    if (buffer.length == kUnset32) return refuse(operation, fmt::format("{}_LENGTH has not been set", name));
    use(buffer.region, buffer.base + buffer.length);
    return {};
  }

  [[nodiscard]] std::string write_ofm(std::string_view operation) {
    if (auto problem = touch(ofm_, operation, "OFM", ofm_.width, ofm_.height[2], ofm_.depth); !problem.empty())
      return problem;
    facts_.writes[static_cast<std::size_t>(ofm_.region)] = true;
    return {};
  }

  [[nodiscard]] std::string windowed(std::string_view operation, bool ifm, bool ifm2, bool weights) {
    constexpr std::uint16_t kGlobalScale = 0x100;
    if (ifm) {
      const std::uint32_t k = ifm_.stride_kernel;
      if (k == kUnset16) return refuse(operation, "KERNEL_STRIDE has not been set");
      const std::uint32_t stride_y = (k >> 8 & 2) + (k >> 1 & 1) + 1, stride_x = (k >> 5 & 2) + (k & 1) + 1;
      const std::uint32_t y = ofm_.height[2] * stride_y + ifm_.height[2] - (ifm_.pad_top + ifm_.pad_bottom);
      const std::uint32_t x = ofm_.width * stride_x + ifm_.width - (ifm_.pad_left + ifm_.pad_right);
      if (auto problem = touch(ifm_, operation, "IFM", x, y, ifm_.depth); !problem.empty()) return problem;
    }
    if (ifm2)
      if (auto problem = touch(ifm2_, operation, "IFM2", ifm_.depth, 0, ofm_.depth); !problem.empty()) return problem;
    if (weights)
      if (auto problem = touch(weights_, operation, "WEIGHT"); !problem.empty()) return problem;
    if ((ofm_.precision & kGlobalScale) == 0)
      if (auto problem = touch(scales_, operation, "SCALE"); !problem.empty()) return problem;
    return write_ofm(operation);
  }

  [[nodiscard]] std::string elementwise(std::uint16_t mode) {
    constexpr std::string_view kName = "NPU_OP_ELEMENTWISE";
    constexpr std::uint8_t kScalar = 8;
    constexpr std::uint16_t kUnary[] = {5, 6, 7, 0x24};  // LRELU, ABS, CLZ, RAW
    const auto operand = [&](const FeatureMap& map, std::string_view name) {
      const auto last = [&](unsigned bit, std::uint16_t extent) { return (map.broadcast & bit) != 0 ? 0u : extent; };
      return touch(map, kName, name, last(2, ofm_.width), last(1, ofm_.height[2]), last(4, ofm_.depth));
    };
    if (ifm_.broadcast != kScalar)
      if (auto problem = operand(ifm_, "IFM"); !problem.empty()) return problem;
    if (ifm2_.broadcast != kScalar && std::ranges::find(kUnary, mode) == std::end(kUnary))
      if (auto problem = operand(ifm2_, "IFM2"); !problem.empty()) return problem;
    return write_ofm(kName);
  }

  [[nodiscard]] std::string copy() {
    for (const auto* side : {&source_, &target_}) {
      std::uint64_t length = side->length;
      if (mode_ >= 1) length = (length + static_cast<std::uint64_t>(side->stride[0])) * size0_;
      if (mode_ == 2) length = (length + static_cast<std::uint64_t>(side->stride[1])) * size1_;
      if (side->region != kInternal) use(side->region, length + side->offset);
    }
    if (target_.region != kInternal) facts_.writes[static_cast<std::size_t>(target_.region)] = true;
    return {};
  }

  // Command numbers as in Arm's headers; in the first number space the registers of IFM and OFM are 0x10 apart, those
  // of IFM2 at 0x80.
  [[nodiscard]] std::string set(std::uint16_t command, std::uint16_t parameter, std::uint64_t address,
                                std::uint32_t data) {
    if (auto* map = map_of(command)) return set_map(*map, command, parameter, address);
    const auto region = [&](int& into) {
      into = parameter & 7;
      return std::string();
    };
    const auto signed_40_bits = [&] { return static_cast<std::int64_t>(address << 24) >> 24; };
    constexpr std::uint16_t kInside = 0x100;
    switch (command) {
      case 0x120: ifm_.width = parameter; break;
      case 0x121: ifm_.height[2] = parameter; break;
      case 0x122: ifm_.stride_kernel = parameter; break;
      case 0x128: return region(weights_.region);
      case 0x129: return region(scales_.region);
      case 0x130:
        source_.region = (parameter & kInside) != 0 ? kInternal : parameter & 7;
        mode_ = parameter >> 9 & 3;
        break;
      case 0x131: target_.region = (parameter & kInside) != 0 ? kInternal : parameter & 7; break;
      case 0x132: size0_ = parameter; break;
      case 0x133: size1_ = parameter; break;
      case 0x4020: weights_.base = address; break;
      case 0x4021: weights_.length = data; break;
      case 0x4022: scales_.base = address; break;
      case 0x4023: scales_.length = data; break;
      case 0x4030: source_.offset = address; break;
      case 0x4031: target_.offset = address; break;
      case 0x4032: source_.length = target_.length = address; break;
      case 0x4033: source_.stride[0] = signed_40_bits(); break;
      case 0x4034: source_.stride[1] = signed_40_bits(); break;
      case 0x4035: target_.stride[0] = signed_40_bits(); break;
      case 0x4036: target_.stride[1] = signed_40_bits(); break;
      default: break;  // further weight streams and everything else are not checked
    }
    return {};
  }

  /// Returns the map to which the register of a command belongs.
  [[nodiscard]] FeatureMap* map_of(std::uint16_t command) {
    switch (command & 0xfff0) {
      case 0x100:
      case 0x4000: return &ifm_;
      case 0x110:
      case 0x4010: return &ofm_;
      case 0x180:
      case 0x4080: return &ifm2_;
      default: return nullptr;
    }
  }

  [[nodiscard]] std::string set_map(FeatureMap& map, std::uint16_t command, std::uint16_t parameter,
                                    std::uint64_t address) {
    const unsigned number = command & 0xf;
    if ((command & 0x4000) != 0) {
      if (number < 4) map.base[number] = address;
      else if (number == 4) map.stride_x = address;
      else if (number == 5) map.stride_y = address;
      else if (number == 6) map.stride_c = address;
      return {};
    }
    const bool ofm = &map == &ofm_, ifm = &map == &ifm_;
    switch (number) {
      case 0x0:
        if (ifm) map.pad_top = parameter & 0x7f;
        else if (!ofm) map.broadcast = static_cast<std::uint8_t>(parameter);  // IFM2_BROADCAST
        break;
      case 0x1:
        if (ofm) map.width = parameter;
        else if (ifm) map.pad_left = parameter & 0x7f;
        break;
      case 0x2:
        if (ofm) map.height[2] = parameter;
        else if (ifm) map.pad_right = parameter & 0xff;
        break;
      case 0x3:
        if (ofm) map.depth = parameter;
        else if (ifm) map.pad_bottom = parameter & 0xff;
        break;
      case 0x4:
        if (ifm) map.depth = parameter;
        else if (ofm) map.precision = parameter;
        break;
      case 0x5:
        if (!ofm) map.precision = parameter;
        break;
      case 0x8:
        if (ifm) map.broadcast = static_cast<std::uint8_t>(parameter);
        break;
      case 0xa: map.width0 = parameter; break;
      case 0xb: map.height[0] = parameter; break;
      case 0xc: map.height[1] = parameter; break;
      case 0xf:
        // The kernel uses 7 bits of the IFM's region and indexes 8 regions with them.
        map.region = parameter & (ifm ? 0x7f : 7);
        if (map.region > 7) return fmt::format("NPU_SET_IFM_REGION at byte {}: region {} of 8", at_, map.region);
        break;
      default: break;
    }
    return {};
  }

  StreamFacts& facts_;
  std::size_t at_ = 0;
  FeatureMap ifm_, ifm2_, ofm_;
  Buffer weights_, scales_;
  Copy source_, target_;
  int mode_ = -1;
  std::uint16_t size0_ = kUnset16, size1_ = kUnset16;
};

}  // namespace

std::string check_stream(std::span<const std::uint32_t> words, StreamFacts& facts) { return Checks(facts).run(words); }

}  // namespace macaw::accel
