#include "reference/tosa/operator_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reference/tosa/shape_symbols.hpp"

namespace macaw::tosa {
namespace {

/// Types that arguments name directly instead of through a type variable.
struct FixedType {
  std::string_view name;
  DType dtype;
};
constexpr FixedType kFixedTypes[] = {
    {"bool_t", DType::kBOOL}, {"i4_t", DType::kINT4},   {"i8_t", DType::kINT8},     {"i16_t", DType::kINT16},
    {"i32_t", DType::kINT32}, {"i48_t", DType::kINT48}, {"i64_t", DType::kINT64},   {"fp16_t", DType::kFP16},
    {"bf16_t", DType::kBF16}, {"fp32_t", DType::kFP32}, {"shape_t", DType::kSHAPE},
};

std::optional<DType> fixed_type(std::string_view name) {
  for (const auto& row : kFixedTypes)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

std::optional<std::size_t> variable_index(const Definition& definition, std::string_view name) {
  const auto& names = definition.type_variables;
  const auto it = std::ranges::find(names, name);
  return it == names.end() ? std::nullopt : std::optional<std::size_t>(static_cast<std::size_t>(it - names.begin()));
}

/// An operand together with the argument it belongs to.
struct Bound {
  const Argument* argument;
  const Operand* operand;
  std::string_view type;  ///< of the argument, or of its scales
};

class OperatorChecker {
 public:
  OperatorChecker(const Definition& definition, const View& view, const Version& version, const std::string& place,
                  std::vector<BrokenRule>& findings)
      : definition_(definition), view_(view), version_(version), place_(place), findings_(findings) {}

  const TypeRow* check() {
    if (version_.major >= 1 && since_minor(view_.op.op) > version_.minor && version_.major == 1)
      report(Status::kValid, "", "version",
             fmt::format("{} is new in TOSA 1.{}; the graph is stamped {}", to_string(view_.op.op),
                         since_minor(view_.op.op), to_string(version_)));
    if (!bind_operands(Category::kInput, view_.inputs) || !bind_operands(Category::kOutput, view_.outputs))
      return nullptr;
    if (!check_attributes()) return nullptr;
    const TypeRow* row = find_row();
    if (!row || !check_shapes() || !apply_checks()) return nullptr;
    return row;
  }

 private:
  void report(Status status, std::string_view argument, std::string_view rule, std::string text) {
    findings_.push_back(
        {status, place_, std::string(argument), fmt::format("{}.{}", to_string(view_.op.op), rule), std::move(text)});
  }
  bool error(std::string_view argument, std::string_view rule, std::string text) {
    report(Status::kError, argument, rule, std::move(text));
    return false;
  }

  bool bind_operands(Category category, std::span<const Operand> operands) {
    const char* kind = category == Category::kInput ? "inputs" : "outputs";
    std::size_t single = 0;
    bool has_list = false;
    for (const auto& argument : definition_.arguments)
      if (argument.category == category) (argument.list ? has_list = true : (++single, true));
    if (has_list ? operands.size() < single : operands.size() != single)
      return error(
          "", kind,
          fmt::format("must have {}{} {}, not {}", has_list ? "at least " : "", single, kind, operands.size()));
    std::size_t next = 0;
    for (const auto& argument : definition_.arguments) {
      if (argument.category != category) continue;
      const auto count = argument.list ? operands.size() - single : 1;
      if (argument.list && static_cast<std::int64_t>(count) > view_.level.max_tensor_list_size)
        return error(argument.name, "level",
                     fmt::format("{} tensors in a list; level {} allows {}", count, view_.level.name,
                                 view_.level.max_tensor_list_size));
      for (std::size_t i = 0; i < count; ++i)
        bound_.push_back({&argument, &operands[next++],
                          i > 0 && !argument.scale_type.empty() ? argument.scale_type : argument.type});
      if (count == 1 && !argument.scale_type.empty()) without_scales_ = argument.scale_type;
    }
    return true;
  }

  bool check_attributes() {
    for (const auto& argument : definition_.arguments) {
      if (argument.category != Category::kAttribute) continue;
      const auto attribute = attr_from_name(argument.name);
      const auto* value = attribute ? view_.op.find(*attribute) : nullptr;
      if (!value) {
        // The one attribute with a default value that writers leave out.
        if (argument.optional || argument.type == "nan_propagation_mode_t") continue;
        return error(argument.name, "attribute", "the attribute is missing");
      }
      if (value->index() != static_cast<std::size_t>(kind(*attribute)))
        return error(argument.name, "attribute", "the attribute has the wrong kind of value");
    }
    return true;
  }

  [[nodiscard]] bool fits(const TypeRow& row) const {
    for (const auto& [argument, operand, type] : bound_)
      if (const auto index = variable_index(definition_, type); index && row.types[*index] != operand->dtype)
        return false;
    if (const auto index = variable_index(definition_, without_scales_); index && row.types[*index] != kNoType)
      return false;
    for (const auto& argument : definition_.arguments)
      if (argument.type == "acc_type_t")
        if (const auto index = variable_index(definition_, "acc_t");
            index && static_cast<std::int64_t>(row.types[*index]) != view_.attr(Attr::k_acc_type))
          return false;
    return true;
  }

  const TypeRow* find_row() {
    for (const auto& [argument, operand, type] : bound_)
      if (const auto fixed = fixed_type(type); fixed && operand->dtype != *fixed) {
        error(argument->name, "types", fmt::format("must be {}, not {}", to_string(*fixed), to_string(operand->dtype)));
        return nullptr;
      }
    const auto supported = [&](const TypeRow& r) { return r.support.in(view_.profiles) && fits(r); };
    auto row = std::ranges::find_if(definition_.rows, supported);
    if (row == definition_.rows.end()) {
      row = std::ranges::find_if(definition_.rows, [&](const TypeRow& r) { return fits(r); });
      if (row != definition_.rows.end()) {
        error("", "profile", fmt::format("needs {}", to_string(row->support)));
        return nullptr;
      }
      std::string types;
      for (const auto& [argument, operand, type] : bound_)
        types += fmt::format(" {} {},", argument->name, to_string(operand->dtype));
      if (!types.empty()) types.pop_back();
      error("", "types", fmt::format("no row of the table of supported types fits:{}", types));
      return nullptr;
    }
    if (version_.major == 1 && row->since_minor > version_.minor && since_minor(view_.op.op) <= version_.minor) {
      // The reference model's vectors use new types of operands under old stamps, but not new types of accumulators.
      const bool chosen = view_.op.find(Attr::k_acc_type) != nullptr;
      report(chosen ? Status::kError : Status::kValid, "", "version",
             fmt::format("these types are new in TOSA 1.{}; the graph is stamped {}", row->since_minor,
                         to_string(version_)));
      if (chosen) return nullptr;
    }
    return check_rounding() ? &*row : nullptr;
  }

  /// Values of rounding_mode_t that an extension adds (tosa.xml, enum rounding_mode_t).
  bool check_rounding() {
    const auto* mode = view_.op.find(Attr::k_rounding_mode);
    if (!mode) return true;
    const auto value = static_cast<RoundingMode>(view_.attr(Attr::k_rounding_mode));
    const auto needs = [&](Profile extension) {
      if (view_.profiles & mask(extension)) return true;
      return error("rounding_mode", "profile", fmt::format("this rounding mode needs {}", to_string(extension)));
    };
    if (value == RoundingMode::kInexactRound) return needs(Profile::kExtInexactRound);
    if (value == RoundingMode::kDoubleRound) return needs(Profile::kExtDoubleRound);
    return true;
  }

  bool check_rank(const Argument& argument, const Operand& operand) {
    const auto rank = static_cast<std::int64_t>(operand.shape->size());
    // Not a level matter alone: a rank outside the argument's own range is wrong at every level.
    const bool at_level = argument.max_rank == Argument::kMaxRank;
    if (rank < argument.min_rank || (!at_level && rank > argument.max_rank))
      return error(argument.name, "rank",
                   argument.min_rank == argument.max_rank
                       ? fmt::format("must have rank {}, not {}", argument.min_rank, rank)
                       : fmt::format("rank {} is out of range", rank));
    if (rank > view_.level.max_rank)
      return error(argument.name, "level",
                   fmt::format("rank {} exceeds level {}'s {}", rank, view_.level.name, view_.level.max_rank));
    return true;
  }

  bool check_size(const Argument& argument, const Operand& operand) {
    if (operand.dtype == DType::kSHAPE) {
      const auto length = operand.shape->empty() ? 0 : operand.shape->front();
      if (length > view_.level.max_shape_len)
        return error(
            argument.name, "level",
            fmt::format("{} extents; level {} allows {}", length, view_.level.name, view_.level.max_shape_len));
      return true;
    }
    for (const auto extent : *operand.shape)
      if (extent < 1) return error(argument.name, "shape", "every extent must be at least 1");
    const auto count = element_count(*operand.shape);
    if (!count || (view_.level.max_log2_size < 63 && *count >= (std::int64_t{1} << view_.level.max_log2_size)))
      return error(
          argument.name, "level",
          fmt::format("{} has 2^{} elements or more", macaw::to_string(*operand.shape), view_.level.max_log2_size));
    return true;
  }

  bool check_shapes() {
    ShapeSymbols symbols;
    // The first pass gives symbols their values, the second compares those that were used before.
    for (int pass = 0; pass < 2; ++pass) {
      for (const auto& [argument, operand, type] : bound_) {
        if (!operand->shape) continue;
        if (pass == 0 && (!check_rank(*argument, *operand) || !check_size(*argument, *operand))) return false;
        if (argument->list) continue;
        if (const auto misfit = symbols.bind(argument->shape, *operand->shape))
          return error(argument->name, "shape", *misfit);
      }
      for (const auto& argument : definition_.arguments) {
        if (argument.category != Category::kAttribute || argument.shape.empty() || argument.shape.front() != '[')
          continue;
        const auto attribute = attr_from_name(argument.name);
        if (!attribute || kind(*attribute) != AttributeKind::kInts) continue;
        const Shape length{static_cast<std::int64_t>(view_.attrs(*attribute).size())};
        if (const auto misfit = symbols.bind(argument.shape, length)) return error(argument.name, "attribute", *misfit);
      }
    }
    return true;
  }

  bool apply_checks() {
    const auto known = [](const Operand& operand) { return operand.shape != nullptr; };
    if (!std::ranges::all_of(view_.inputs, known) || !std::ranges::all_of(view_.outputs, known)) return true;
    std::size_t ordinal = 0;
    for (const auto& check : definition_.checks) {
      ++ordinal;
      bool ready = true;
      for (std::size_t i = 0; i < view_.inputs.size() && i < 32; ++i)
        if ((check.needs & value_of(static_cast<unsigned>(i))) && !view_.inputs[i].value) ready = false;
      if (!check.broken || !ready || !check.broken(view_)) continue;
      const auto status = check.rule == Rule::kRequire ? Status::kUnpredictable : Status::kError;
      report(status, check.argument, std::to_string(ordinal), std::string(check.text));
      return false;
    }
    return true;
  }

  const Definition& definition_;
  const View& view_;
  const Version& version_;
  const std::string& place_;
  std::vector<BrokenRule>& findings_;
  std::vector<Bound> bound_;
  std::string_view without_scales_;  ///< the type variable of scales that a list could have and has not
};

bool inputs_known(const View& view, std::uint32_t needs) {
  for (std::size_t i = 0; i < view.inputs.size(); ++i)
    if (!view.inputs[i].shape || (i < 32 && (needs & value_of(static_cast<unsigned>(i))) && !view.inputs[i].value))
      return false;
  return true;
}

}  // namespace

Operand make_operand(const Operator& op, DType dtype, const Shape* shape, const Tensor* value) {
  const bool unsigned_allowed = op.op == Op::kRESCALE || op.op == Op::kCONST;
  if (unsigned_allowed && dtype == DType::kUINT8) dtype = DType::kINT8;
  if (unsigned_allowed && dtype == DType::kUINT16) dtype = DType::kINT16;
  return {dtype, shape, value};
}

const TypeRow* check_operator(const Definition& definition, const View& view, const Version& version,
                              const std::string& place, std::vector<BrokenRule>& findings) {
  return OperatorChecker(definition, view, version, place, findings).check();
}

bool rules_read_graph_alone(const Definition& definition, const Block& block, const Operator& op) {
  const auto is_static = [&](ValueId id) { return block.values[id].is_static(); };
  if (!std::ranges::all_of(op.inputs, is_static) || !std::ranges::all_of(op.outputs, is_static)) return false;
  std::uint32_t needs = 0;
  for (const auto& check : definition.checks) needs |= check.needs;
  for (unsigned i = 0; i < op.inputs.size() && i < 32; ++i)
    if ((needs & value_of(i)) && !block.values[op.inputs[i]].data) return false;
  return true;
}

Result<std::optional<std::vector<Shape>>> infer_shapes(const Definition& definition, const View& view) {
  using Found = std::optional<std::vector<Shape>>;
  if (!inputs_known(view, definition.shapes_need)) return Found();
  if (definition.shapes) {
    MACAW_ASSIGN(auto shapes, definition.shapes(view));
    if (shapes.size() != view.outputs.size()) return Found();
    return Found(std::move(shapes));
  }
  ShapeSymbols symbols;
  std::size_t next = 0;
  for (const auto& argument : definition.arguments)
    if (argument.category == Category::kInput && !argument.list && next < view.inputs.size())
      if (symbols.bind(argument.shape, *view.inputs[next++].shape)) return Found();
  std::vector<Shape> shapes;
  for (const auto& argument : definition.arguments) {
    if (argument.category != Category::kOutput) continue;
    auto shape = symbols.evaluate(argument.shape);
    if (!shape || argument.list) return Found();
    shapes.push_back(std::move(*shape));
  }
  return Found(std::move(shapes));
}

bool note_wrong_shape(const Operator& op, const std::string& place, const Error& error,
                      std::vector<BrokenRule>& findings) {
  if (error.code != ErrorCode::kInvalidGraph) return false;
  findings.push_back({Status::kError, place, "", fmt::format("{}.shape", to_string(op.op)), error.message});
  return true;
}

bool note_contradiction(const Block& block, const Operator& op, const std::string& place,
                        const std::vector<Shape>& inferred, std::vector<BrokenRule>& findings) {
  for (std::size_t k = 0; k < op.outputs.size(); ++k) {
    const auto& value = block.values[op.outputs[k]];
    const auto agree = [](std::int64_t declared, std::int64_t found) { return declared < 0 || declared == found; };
    if (!value.shape || std::ranges::equal(*value.shape, inferred[k], agree)) continue;
    findings.push_back({Status::kError, place, "", fmt::format("{}.shape", to_string(op.op)),
                        fmt::format("\"{}\" is declared {} and must be {}", value.name, macaw::to_string(*value.shape),
                                    macaw::to_string(inferred[k]))});
    return true;
  }
  return false;
}

}  // namespace macaw::tosa
