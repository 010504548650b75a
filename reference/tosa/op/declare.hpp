#pragma once
#include "reference/tosa/op/def.hpp"

#include <algorithm>

// Functions to declare an operator: arguments, rows of its table of types, rules. A rule refers to operands by the
// names of the arguments; names are resolved at compile time, and an unknown name does not compile.

namespace macaw::tosa {

using enum DType;
using enum Profile;
inline constexpr Support kProIntOrFp = either(kProInt, kProFp);

/// An argument in the making: input("input_zp").type("in_zp_t").shape("[1]").rank(1).compile_time_constant(). What is
/// not said is as Argument has it: no shape, any rank that the level allows.
class ArgumentText {
 public:
  constexpr ArgumentText(Category category, std::string_view name) : made_{category, name, ""} {}

  constexpr ArgumentText& type(std::string_view type) { return made_.type = type, *this; }
  constexpr ArgumentText& shape(std::string_view symbols) { return made_.shape = symbols, *this; }
  constexpr ArgumentText& rank(int rank) { return made_.min_rank = made_.max_rank = rank, *this; }
  constexpr ArgumentText& least_rank(int rank) { return made_.min_rank = rank, *this; }
  constexpr ArgumentText& compile_time_constant() { return made_.ctc = true, *this; }
  /// A compile-time constant that EXT-DYNAMIC does not free.
  constexpr ArgumentText& always_compile_time_constant() { return made_.always_ctc = true, compile_time_constant(); }
  constexpr ArgumentText& list() { return made_.list = true, *this; }
  /// A list of values and, behind them, scales of the type variable `scales` (Argument::scale_type).
  constexpr ArgumentText& list_with_scales(std::string_view scales) { return made_.scale_type = scales, list(); }
  constexpr ArgumentText& optional() { return made_.optional = true, *this; }

  constexpr operator Argument() const { return made_; }

 private:
  Argument made_;
};
constexpr ArgumentText input(std::string_view name) { return {Category::kInput, name}; }
constexpr ArgumentText attribute(std::string_view name) { return {Category::kAttribute, name}; }
constexpr ArgumentText output(std::string_view name) { return {Category::kOutput, name}; }

/// Builder of a row of the table of types: row({kINT8, kINT4}).in(kExtInt4).since(1, 1).by(kernel). A row without
/// since() exists since 1.0.
class RowText {
 public:
  constexpr explicit RowText(std::array<DType, 6> types) : made_{types, {}, 0, nullptr} {}

  /// All of the profiles and extensions.
  template <class... P>
  constexpr RowText& in(Profile first, P... rest) {
    return in(all_of(first, rest...));
  }
  constexpr RowText& in(Support support) { return made_.support = support, *this; }
  constexpr RowText& since(int major, int minor) {
    if (major != 1) throw "types are counted by the versions 1.x";
    return made_.since_minor = minor, *this;
  }
  /// TypeRow::produces_tiles.
  constexpr RowText& produces_tiles(bool does = true) { return made_.produces_tiles = does, *this; }
  /// TypeRow::tiled_inputs, of the inputs with these numbers: an operator that computes element by element.
  template <class... N>
  constexpr RowText& takes_tiles(N... inputs) {
    return made_.tiled_inputs = (value_of(inputs) | ...), produces_tiles();
  }
  constexpr TypeRow by(Kernel kernel) const {
    auto row = made_;
    row.kernel = kernel;
    return row;
  }

 private:
  TypeRow made_;
};
constexpr RowText row(std::array<DType, 6> types) { return RowText(types); }

/// A literal as a template's argument.
template <std::size_t kSize>
struct Literal {
  char text[kSize];
  consteval Literal(const char (&literal)[kSize]) { std::copy_n(literal, kSize, text); }
};

/// Where an operand is among an operator's inputs or outputs. Those behind a tensor list are counted from the end, so
/// that the last one is 1.
struct OperandPlace {
  bool is_output = false, from_end = false;
  std::uint8_t index = 0;

  [[nodiscard]] constexpr const Operand& in(const View& view) const {
    const auto operands = is_output ? view.outputs : view.inputs;
    return operands[from_end ? operands.size() - index : index];
  }
};
[[nodiscard]] constexpr std::optional<OperandPlace> find_operand(std::span<const Argument> arguments,
                                                                 std::string_view name) {
  for (const auto category : {Category::kInput, Category::kOutput}) {
    int before = 0, behind = 0;
    bool found = false, list_before = false;
    for (const auto& argument : arguments) {
      if (argument.category != category) continue;
      if (found) ++behind;
      else if (argument.name == name) found = true;
      else list_before |= argument.list, ++before;
    }
    if (found)
      return OperandPlace{category == Category::kOutput, list_before,
                          static_cast<std::uint8_t>(list_before ? behind + 1 : before)};
  }
  return std::nullopt;
}

/// Check::needs for the inputs of these names.
[[nodiscard]] constexpr std::uint32_t bits_of(std::span<const Argument> arguments,
                                              std::initializer_list<std::string_view> names) {
  std::uint32_t bits = 0;
  for (const auto name : names) {
    const auto place = find_operand(arguments, name).value();
    if (place.is_output || place.from_end) throw "not an input with a fixed place";
    bits |= value_of(place.index);
  }
  return bits;
}

/// An extent of an operand.
struct ExtentPlace {
  OperandPlace operand;
  std::uint8_t axis = 0;
};
/// The first operand, inputs before outputs, that has `dimension` among its "[N,IH,IW,IC]".
[[nodiscard]] constexpr std::optional<ExtentPlace> find_extent(std::span<const Argument> arguments,
                                                               std::string_view dimension) {
  for (const auto category : {Category::kInput, Category::kOutput})
    for (const auto& argument : arguments) {
      if (argument.category != category || !argument.shape.starts_with('[')) continue;
      auto rest = argument.shape.substr(1, argument.shape.size() - 2);
      for (std::uint8_t axis = 0; !rest.empty(); ++axis) {
        const auto length = std::min(rest.find(','), rest.size());
        if (rest.substr(0, length) == dimension) return ExtentPlace{*find_operand(arguments, argument.name), axis};
        rest.remove_prefix(std::min(length + 1, rest.size()));
      }
    }
  return std::nullopt;
}

/// A View that knows the operator's arguments by their names and its extents by the symbols of their shapes.
template <const auto& kArguments>
struct ViewOf : View {
  ViewOf(const View& view) : View(view) {}

  /// The name of an operand.
  struct Name {
    OperandPlace place;
    consteval Name(const char* name) : place(find_operand(kArguments, name).value()) {}
  };
  /// A dimension as a shape spells it: "IH", "C*M".
  struct Dimension {
    ExtentPlace place;
    consteval Dimension(const char* name) : place(find_extent(kArguments, name).value()) {}
  };

  [[nodiscard]] const Operand& operator[](Name name) const { return name.place.in(*this); }
  [[nodiscard]] std::int64_t dim(Dimension dimension) const {
    return (*dimension.place.operand.in(*this).shape)[dimension.place.axis];
  }
  [[nodiscard]] const Shape& shape(Name name) const { return *(*this)[name].shape; }
  [[nodiscard]] std::int64_t rank(Name name) const { return static_cast<std::int64_t>(shape(name).size()); }
  [[nodiscard]] DType dtype(Name name) const { return (*this)[name].dtype; }
  /// Elements as integers; the first one, 0 if there is none; whether all are zero (Operand).
  [[nodiscard]] std::vector<std::int64_t> ints(Name name) const { return (*this)[name].ints(); }
  [[nodiscard]] std::int64_t integer(Name name) const { return (*this)[name].integer(); }
  [[nodiscard]] bool is_zero(Name name) const { return (*this)[name].is_zero(); }

  [[nodiscard]] static constexpr std::span<const Argument> arguments() { return kArguments; }
  /// Definition::shapes_need of a shape function that reads the values of the inputs of these names.
  template <class... N>
  [[nodiscard]] static consteval std::uint32_t reads(N... names) {
    return bits_of(kArguments, {names...});
  }
};

/// A rule in the making. The condition is a lambda without captures of a ViewOf the operator's arguments, or of a View.
template <class V>
struct RuleText {
  Check made;

  /// The condition reads the values of these inputs.
  template <class... N>
  constexpr RuleText& reads(const char* first, N... rest) {
    return reads(bits_of(V::arguments(), {first, rest...}));
  }
  /// The condition reads what V::reads() has named.
  constexpr RuleText& reads(std::uint32_t inputs) { return made.needs |= inputs, *this; }
  constexpr operator Check() const { return made; }
};

namespace detail {
template <auto kFunction>
struct Named;
template <class R, class V, R (*kFunction)(const V&)>
struct Named<kFunction> {
  R operator()(const V& v) const { return kFunction(v); }
  using OfView = R (*)(const View&);
  constexpr operator OfView() const {
    return [](const View& view) -> R { return kFunction(view); };
  }
};

template <class F, class V>
V view_of(bool (F::*)(const V&) const);

template <bool kBroken, class F>
constexpr RuleText<decltype(view_of(&F::operator()))> rule(Rule rule, std::string_view argument, std::string_view text,
                                                           F) {
  return {{rule, argument, text, [](const View& view) {
             const decltype(view_of(&F::operator()))& v = view;
             return F{}(v) == kBroken;
           }}};
}
}  // namespace detail

/// A function of a ViewOf as a condition, a shape function or a shape's value: named<shapes>.
template <auto kFunction>
inline constexpr auto named = detail::Named<kFunction>{};

/// ERROR_IF(condition).
template <class F>
  requires std::is_class_v<F>
constexpr auto error_if(std::string_view argument, std::string_view text, F condition) {
  return detail::rule<true>(Rule::kErrorIf, argument, text, condition);
}
constexpr Check error_if(std::string_view argument, std::string_view text, bool (*condition)(const View&)) {
  return {Rule::kErrorIf, argument, text, condition};
}
/// REQUIRE(condition).
template <class F>
constexpr auto require_that(std::string_view argument, std::string_view text, F condition) {
  return detail::rule<false>(Rule::kRequire, argument, text, condition);
}
/// LEVEL_CHECK(condition).
template <class F>
constexpr auto level(std::string_view argument, std::string_view text, F condition) {
  return detail::rule<false>(Rule::kLevel, argument, text, condition);
}

}  // namespace macaw::tosa
