#include "reference/tosa/import/mlir/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace macaw::tosa::mlir {
namespace {

constexpr int kMostNested = 64;

class Parser {
 public:
  explicit Parser(Cursor in) : in_(std::move(in)) {}

  Result<std::vector<Operation>> file() {
    resources_.budget += in_.text().size();
    MACAW_CHECK(read_resources(in_, resources_));
    std::vector<Operation> all;
    while (!in_.at_end() && !in_.peek("{-#")) {
      if (in_.next() == '#' || in_.next() == '!') {
        MACAW_CHECK(alias());
        continue;
      }
      MACAW_ASSIGN(auto op, operation());
      if (op.name == "builtin.module" && op.regions.size() == 1)
        std::ranges::move(op.regions[0].operations, std::back_inserter(all));
      else all.push_back(std::move(op));
    }
    return all;
  }

 private:
  /// "#name = attribute", which is read once; "!name = type" is not what TOSA files have.
  Result<void> alias() {
    if (in_.next() == '!') return in_.error(ErrorCode::kUnsupported, "type aliases");
    MACAW_CHECK(in_.expect("#"));
    MACAW_ASSIGN(const auto name, in_.suffix());
    MACAW_CHECK(in_.expect("="));
    MACAW_ASSIGN(auto value, read_attribute(in_, resources_));
    if (!resources_.aliases.emplace(name, std::move(value)).second)
      return in_.error(ErrorCode::kInvalidFile, fmt::format("the alias #{} is defined twice", name));
    return {};
  }

  Result<std::string> value_name() {
    MACAW_CHECK(in_.expect("%"));
    MACAW_ASSIGN(auto name, in_.suffix());
    if (in_.next() == '#' && in_.take("#")) {
      MACAW_ASSIGN(const auto number, in_.integer());
      // The first of several is the same as the name alone.
      if (number != 0) name += fmt::format("#{}", number);
    }
    return name;
  }

  /// "%a, %b" up to the first character that is not part of a value.
  Result<std::vector<std::string>> value_names() {
    std::vector<std::string> names;
    if (in_.next() != '%') return names;
    do {
      MACAW_ASSIGN(auto name, value_name());
      names.push_back(std::move(name));
    } while (in_.take(","));
    return names;
  }

  /// loc("name"), loc("name"(...)), loc(fused["a", "b"]): the names in it.
  Result<std::vector<std::string>> location() {
    std::vector<std::string> labels;
    if (!in_.take("loc")) return labels;
    MACAW_CHECK(in_.expect("("));
    const bool fused = in_.take("fused");
    if (fused) MACAW_CHECK(in_.expect("["));
    while (in_.next() == '"') {
      MACAW_ASSIGN(auto label, in_.quoted());
      labels.push_back(std::move(label));
      if (in_.next() == ':') labels.clear();  // a file with line and column
      if (!fused || !in_.take(",")) break;
    }
    MACAW_CHECK(in_.until_closed('(', ')'));
    return labels;
  }

  Result<void> dictionary(Attributes& out) {
    if (in_.take("<{")) {
      MACAW_CHECK(read_attributes(in_, "}", resources_, out));
      MACAW_CHECK(in_.expect(">"));
    }
    if (in_.take("{")) MACAW_CHECK(read_attributes(in_, "}", resources_, out));
    return {};
  }

  /// "(%a: type loc(...), ...)" behind the bracket.
  Result<std::vector<Definition>> arguments() {
    std::vector<Definition> all;
    if (in_.take(")")) return all;
    do {
      Definition definition;
      MACAW_ASSIGN(definition.name, value_name());
      MACAW_CHECK(in_.expect(":"));
      MACAW_ASSIGN(definition.type, read_type(in_));
      Attributes ignored;
      MACAW_CHECK(dictionary(ignored));
      MACAW_ASSIGN(const auto labels, location());
      if (!labels.empty()) definition.label = labels.front();
      all.push_back(std::move(definition));
    } while (in_.take(","));
    MACAW_CHECK(in_.expect(")"));
    return all;
  }

  /// "{ ^bb0(...): operations }"; `arguments` are those that the operation itself names.
  Result<Region> region(std::vector<Definition> arguments) {
    if (++depth_ > kMostNested) return in_.error(ErrorCode::kUnsupported, "regions nested deeper than 64");
    Region read;
    read.arguments = std::move(arguments);
    MACAW_CHECK(in_.expect("{"));
    if (in_.take("^")) {
      MACAW_CHECK(in_.suffix());
      if (in_.take("(")) {
        MACAW_ASSIGN(read.arguments, this->arguments());
      }
      MACAW_CHECK(in_.expect(":"));
    }
    while (!in_.take("}")) {
      if (in_.next() == '^') return in_.error(ErrorCode::kUnsupported, "a region of several blocks");
      MACAW_ASSIGN(auto op, operation());
      read.operations.push_back(std::move(op));
    }
    --depth_;
    return read;
  }

  Result<void> set_results(Operation& op, const std::vector<Type>& types) {
    if (types.size() != op.results.size())
      return in_.error(ErrorCode::kInvalidFile,
                       fmt::format("{} gives {} results, {} are named", op.name, types.size(), op.results.size()));
    for (std::size_t i = 0; i < types.size(); ++i) op.results[i].type = types[i];
    return {};
  }

  Result<void> function_type(Operation& op) {
    MACAW_CHECK(in_.expect(":"));
    MACAW_ASSIGN(auto type, read_function_type(in_));
    if (type.inputs.size() != op.operands.size())
      return in_.error(ErrorCode::kInvalidFile, fmt::format("{} has {} operands and types for {}", op.name,
                                                            op.operands.size(), type.inputs.size()));
    op.operand_types = std::move(type.inputs);
    return set_results(op, type.results);
  }

  Result<Operation> operation() {
    Operation op;
    const char first = in_.next();
    op.at = in_.at();
    if (first == '%') {
      do {
        MACAW_ASSIGN(const auto name, value_name());
        std::int64_t count = 1;
        if (in_.take(":")) {
          MACAW_ASSIGN(count, in_.integer());
        }
        constexpr std::int64_t kMostResults = 1024;
        if (count < 1 || count > kMostResults) return in_.expected("a number of results");
        for (std::int64_t i = 0; i < count; ++i)
          op.results.push_back({i == 0 ? name : fmt::format("{}#{}", name, i), {}, {}});
      } while (in_.take(","));
      MACAW_CHECK(in_.expect("="));
    }
    if (in_.next() == '"') MACAW_CHECK(generic(op));
    else MACAW_CHECK(pretty(op));
    if (op.name == "arith.constant") op.name = "tosa.const";
    MACAW_ASSIGN(const auto labels, location());
    for (std::size_t i = 0; i < labels.size() && i < op.results.size(); ++i) op.results[i].label = labels[i];
    return op;
  }

  /// "name"(operands) <{properties}> ({regions}) {attributes} : (types) -> types
  Result<void> generic(Operation& op) {
    MACAW_ASSIGN(op.name, in_.quoted());
    MACAW_CHECK(in_.expect("("));
    MACAW_ASSIGN(op.operands, value_names());
    MACAW_CHECK(in_.expect(")"));
    if (in_.next() == '[') return in_.error(ErrorCode::kUnsupported, "branches");
    if (in_.take("<{")) {
      MACAW_CHECK(read_attributes(in_, "}", resources_, op.attributes));
      MACAW_CHECK(in_.expect(">"));
    }
    if (in_.take("(")) {
      do {
        MACAW_ASSIGN(auto read, region({}));
        op.regions.push_back(std::move(read));
      } while (in_.take(","));
      MACAW_CHECK(in_.expect(")"));
    }
    if (in_.take("{")) MACAW_CHECK(read_attributes(in_, "}", resources_, op.attributes));
    return function_type(op);
  }

  Result<void> pretty(Operation& op) {
    op.name = in_.identifier();
    if (op.name == "module") op.name = "builtin.module";
    if (op.name == "return") op.name = "func.return";
    if (op.name == "call") op.name = "func.call";
    if (op.name == "builtin.module") return module(op);
    if (op.name == "func.func") return function(op);
    if (op.name == "func.return" || op.name == "tosa.yield") return terminator(op);
    if (op.name == "tosa.cond_if") return cond_if(op);
    if (op.name == "tosa.while_loop") return while_loop(op);
    if (op.name == "tosa.variable" || op.name == "tosa.variable_read" || op.name == "tosa.variable_write" ||
        op.name == "tosa.variable.read" || op.name == "tosa.variable.write")
      return variable(op);
    if (op.name == "arith.constant") return constant(op);
    if (op.name == "tensor.cast") return tensor_cast(op);
    if (op.name == "func.call") return call(op);
    if (op.name == "ml_program.global") return global();
    if (op.name.find('.') == std::string::npos) {
      in_.go_to(op.at);
      return in_.expected("an operation of MLIR");
    }
    if (!op.name.starts_with("tosa."))
      return in_.error(ErrorCode::kUnsupported, fmt::format("the operation {} outside its generic form", op.name));
    const bool bracket = in_.take("(");
    MACAW_ASSIGN(op.operands, value_names());
    if (bracket) MACAW_CHECK(in_.expect(")"));
    MACAW_CHECK(dictionary(op.attributes));
    return function_type(op);
  }

  Result<void> module(Operation& op) {
    if (in_.take("@")) MACAW_CHECK(in_.suffix());
    if (in_.take("attributes")) MACAW_CHECK(dictionary(op.attributes));
    MACAW_ASSIGN(auto body, region({}));
    op.regions.push_back(std::move(body));
    return {};
  }

  /// func.func private @name(%a: type) -> (type {...}) attributes {...} { ... }
  Result<void> function(Operation& op) {
    (void)(in_.take("private") || in_.take("public") || in_.take("nested"));
    MACAW_CHECK(in_.expect("@"));
    MACAW_ASSIGN(auto name, in_.suffix());
    op.attributes["sym_name"] = Attribute{Word{std::move(name)}};
    MACAW_CHECK(in_.expect("("));
    if (in_.next() != '%' && in_.next() != ')')
      return in_.error(ErrorCode::kUnsupported, "a function that is declared and not defined");
    MACAW_ASSIGN(auto inputs, arguments());
    if (in_.take("->")) {
      const bool bracket = in_.take("(");
      if (!bracket || in_.next() != ')') do {
          MACAW_CHECK(read_type(in_));
          Attributes ignored;
          if (bracket) MACAW_CHECK(dictionary(ignored));
        } while (bracket && in_.take(","));
      if (bracket) MACAW_CHECK(in_.expect(")"));
    }
    if (in_.take("attributes")) MACAW_CHECK(dictionary(op.attributes));
    MACAW_ASSIGN(auto body, region(std::move(inputs)));
    op.regions.push_back(std::move(body));
    return {};
  }

  Result<void> terminator(Operation& op) {
    MACAW_ASSIGN(op.operands, value_names());
    MACAW_CHECK(dictionary(op.attributes));
    if (op.operands.empty()) return {};
    MACAW_CHECK(in_.expect(":"));
    MACAW_ASSIGN(op.operand_types, read_types(in_));
    return {};
  }

  /// "(%a = %b, ...)": the names of a region's arguments, and operands.
  Result<std::vector<Definition>> assignments(Operation& op) {
    std::vector<Definition> all;
    if (!in_.take("(")) return all;
    if (in_.take(")")) return all;
    do {
      Definition definition;
      MACAW_ASSIGN(definition.name, value_name());
      MACAW_CHECK(in_.expect("="));
      MACAW_ASSIGN(auto operand, value_name());
      op.operands.push_back(std::move(operand));
      all.push_back(std::move(definition));
    } while (in_.take(","));
    MACAW_CHECK(in_.expect(")"));
    return all;
  }

  Result<void> give_types(std::vector<Definition>& definitions, const std::vector<Type>& types) {
    if (types.size() != definitions.size()) return in_.expected(fmt::format("{} types", definitions.size()));
    for (std::size_t i = 0; i < types.size(); ++i) definitions[i].type = types[i];
    return {};
  }

  /// tosa.cond_if %c (%a = %x) : tensor<i1> (type) -> type {...} else {...}; older: tosa.cond_if %c -> (type) {...}
  Result<void> cond_if(Operation& op) {
    MACAW_ASSIGN(auto condition, value_name());
    op.operands.push_back(std::move(condition));
    MACAW_ASSIGN(auto inputs, assignments(op));
    if (in_.take(":")) MACAW_CHECK(read_type(in_));
    if (in_.next() == '(') {
      MACAW_ASSIGN(const auto types, read_types(in_));
      MACAW_CHECK(give_types(inputs, types));
    }
    if (in_.take("->")) {
      MACAW_ASSIGN(const auto types, read_types(in_));
      MACAW_CHECK(set_results(op, types));
    }
    MACAW_ASSIGN(auto then_region, region(inputs));
    op.regions.push_back(std::move(then_region));
    MACAW_CHECK(in_.expect("else"));
    MACAW_ASSIGN(auto else_region, region(std::move(inputs)));
    op.regions.push_back(std::move(else_region));
    return dictionary(op.attributes);
  }

  /// tosa.while_loop (%a = %x) : (types) -> types {...} do {...}
  Result<void> while_loop(Operation& op) {
    MACAW_ASSIGN(auto inputs, assignments(op));
    MACAW_CHECK(in_.expect(":"));
    MACAW_ASSIGN(const auto type, read_function_type(in_));
    MACAW_CHECK(give_types(inputs, type.inputs));
    MACAW_CHECK(set_results(op, type.results));
    MACAW_ASSIGN(auto condition, region(inputs));
    op.regions.push_back(std::move(condition));
    MACAW_CHECK(in_.expect("do"));
    MACAW_ASSIGN(auto body, region(std::move(inputs)));
    op.regions.push_back(std::move(body));
    return in_.take("attributes") ? dictionary(op.attributes) : Result<void>();
  }

  /// tosa.variable @v = dense<...> : type; tosa.variable_read @v : type; tosa.variable_write @v, %x : type
  Result<void> variable(Operation& op) {
    MACAW_CHECK(in_.expect("@"));
    MACAW_ASSIGN(auto name, in_.suffix());
    op.attributes["name"] = Attribute{Word{std::move(name)}};
    if (in_.take("=")) {
      MACAW_ASSIGN(auto value, read_attribute(in_, resources_));
      if (!value.tensor()) return in_.expected("the variable's initial value");
      const auto& tensor = *value.tensor();
      op.attributes["type"] = Attribute{Other{Type{tensor.dtype(), true, tensor.shape()}}};
      op.attributes["initial_value"] = std::move(value);
      return {};
    }
    if (in_.take(",")) {
      MACAW_ASSIGN(op.operands, value_names());
    }
    MACAW_CHECK(in_.expect(":"));
    MACAW_ASSIGN(auto type, read_type(in_));
    if (op.operands.empty() && !op.results.empty()) return set_results(op, {type});
    op.operand_types.assign(op.operands.size(), type);
    op.attributes["type"] = Attribute{Other{std::move(type)}};
    return {};
  }

  /// tensor.cast %x : type to type
  Result<void> tensor_cast(Operation& op) {
    MACAW_ASSIGN(auto operand, value_name());
    op.operands.push_back(std::move(operand));
    MACAW_CHECK(dictionary(op.attributes));
    MACAW_CHECK(in_.expect(":"));
    MACAW_ASSIGN(op.operand_types.emplace_back(), read_type(in_));
    MACAW_CHECK(in_.expect("to"));
    MACAW_ASSIGN(const auto type, read_type(in_));
    return set_results(op, {type});
  }

  /// func.call @name(%x, ...) : (types) -> types
  Result<void> call(Operation& op) {
    MACAW_CHECK(in_.expect("@"));
    MACAW_ASSIGN(auto name, in_.suffix());
    op.attributes["callee"] = Attribute{Word{std::move(name)}};
    MACAW_CHECK(in_.expect("("));
    MACAW_ASSIGN(op.operands, value_names());
    MACAW_CHECK(in_.expect(")"));
    MACAW_CHECK(dictionary(op.attributes));
    return function_type(op);
  }

  /// arith.constant dense<...> : type
  Result<void> constant(Operation& op) {
    MACAW_CHECK(dictionary(op.attributes));
    MACAW_ASSIGN(auto value, read_attribute(in_, resources_));
    if (!value.tensor()) return in_.expected("a constant that is a tensor");
    const auto& tensor = *value.tensor();
    MACAW_CHECK(set_results(op, {Type{tensor.dtype(), true, tensor.shape()}}));
    op.attributes["values"] = std::move(value);
    return {};
  }

  /// ml_program.global private mutable @name(value) : type, which torch-mlir puts before each graph. Operations that
  /// use it are not read.
  Result<void> global() {
    (void)(in_.take("private") || in_.take("public") || in_.take("nested"));
    (void)in_.take("mutable");
    MACAW_CHECK(in_.expect("@"));
    MACAW_CHECK(in_.suffix());
    if (in_.take("(")) MACAW_CHECK(in_.until_closed('(', ')'));
    MACAW_CHECK(in_.expect(":"));
    MACAW_CHECK(read_type(in_));
    return {};
  }

  Cursor in_;
  Resources resources_;
  int depth_ = 0;
};

}  // namespace

Result<std::vector<Operation>> read_file(Cursor in) { return Parser(std::move(in)).file(); }

}  // namespace macaw::tosa::mlir
