#include <macaw/tosa/graph.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace macaw::tosa {
namespace {

struct OpInfo {
  std::string_view name, chapter;
  int since_minor;
};

constexpr OpInfo kOps[] = {
#define MACAW_TOSA_OP(name, chapter, since_minor) {#name, chapter, since_minor},
#include <macaw/tosa/ops.def>
#undef MACAW_TOSA_OP
};

constexpr auto kAllOps = [] {
  std::array<Op, std::size(kOps)> ops{};
  for (std::size_t i = 0; i < ops.size(); ++i) ops[i] = static_cast<Op>(i);
  return ops;
}();

struct AttrInfo {
  std::string_view name;
  AttributeKind kind;
};

constexpr AttrInfo kAttributes[] = {
#define MACAW_TOSA_ATTRIBUTE(name, kind) {#name, AttributeKind::kind},
#include <macaw/tosa/attributes.def>
#undef MACAW_TOSA_ATTRIBUTE
};

const OpInfo& info(Op op) { return kOps[static_cast<std::size_t>(op)]; }

}  // namespace

std::string_view to_string(Op op) { return info(op).name; }
std::string_view chapter(Op op) { return info(op).chapter; }
int since_minor(Op op) { return info(op).since_minor; }
std::span<const Op> all_ops() { return kAllOps; }

std::optional<Op> op_from_name(std::string_view name) {
  for (const auto op : kAllOps)
    if (info(op).name == name) return op;
  return std::nullopt;
}

std::string_view to_string(Attr attribute) { return kAttributes[static_cast<std::size_t>(attribute)].name; }
AttributeKind kind(Attr attribute) { return kAttributes[static_cast<std::size_t>(attribute)].kind; }

std::optional<Attr> attr_from_name(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kAttributes); ++i)
    if (kAttributes[i].name == name) return static_cast<Attr>(i);
  return std::nullopt;
}

bool Value::is_static() const {
  return shape && std::ranges::all_of(*shape, [](auto extent) { return extent >= 0; });
}

const AttributeValue* Operator::find(Attr attribute) const {
  for (const auto& [name, value] : attributes)
    if (name == attribute) return &value;
  return nullptr;
}

std::int64_t Operator::get_int(Attr attribute, std::int64_t otherwise) const {
  const auto* value = find(attribute);
  const auto* number = value ? std::get_if<std::int64_t>(value) : nullptr;
  return number ? *number : otherwise;
}

const std::vector<std::int64_t>& Operator::get_ints(Attr attribute) const {
  static const std::vector<std::int64_t> empty;
  const auto* value = find(attribute);
  const auto* list = value ? std::get_if<std::vector<std::int64_t>>(value) : nullptr;
  return list ? *list : empty;
}

const std::string& Operator::get_string(Attr attribute) const {
  static const std::string empty;
  const auto* value = find(attribute);
  const auto* text = value ? std::get_if<std::string>(value) : nullptr;
  return text ? *text : empty;
}

std::span<const std::byte> Operator::get_bytes(Attr attribute) const {
  const auto* value = find(attribute);
  const auto* bytes = value ? std::get_if<std::vector<std::byte>>(value) : nullptr;
  return bytes ? std::span<const std::byte>(*bytes) : std::span<const std::byte>();
}

void Operator::set(Attr attribute, AttributeValue value) {
  for (auto& [name, old] : attributes)
    if (name == attribute) {
      old = std::move(value);
      return;
    }
  attributes.emplace_back(attribute, std::move(value));
}

std::optional<ValueId> Block::find_value(std::string_view value_name) const {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].name == value_name) return static_cast<ValueId>(i);
  return std::nullopt;
}

const Block* Graph::find_block(std::string_view name) const {
  for (const auto& block : blocks)
    if (block.name == name) return &block;
  return nullptr;
}

std::string to_string(const Version& v) {
  return fmt::format("{}.{}.{}{}", v.major, v.minor, v.patch, v.draft ? " draft" : "");
}

std::string describe(const Block& block, std::size_t operator_index) {
  return fmt::format("operator {} ({})", operator_index, to_string(block.operators[operator_index].op));
}

}  // namespace macaw::tosa
