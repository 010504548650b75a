#include "reference/tosa/import/mlir/attribute.hpp"

#include "reference/tosa/import/mlir/dense.hpp"

namespace macaw::tosa::mlir {
namespace {

/// Bytes that a copy of the attribute takes; tensors are shared.
std::size_t copied_bytes(const Attribute& attribute) {
  if (const auto* word = attribute.word()) return word->size();
  if (const auto* number = attribute.number()) return number->text.size();
  if (const auto* list = attribute.list()) return list->size() * sizeof(std::int64_t);
  return 0;
}

/// "#tosa.nan_mode<IGNORE>", "#tosa<nan_mode IGNORE>", "#tosa.block_size<BLOCK_SIZE_32> : i32", "#name": an
/// enumeration's value, or an alias.
Result<Attribute> read_dialect_attribute(Cursor& in, Resources& resources) {
  MACAW_CHECK(in.expect("#"));
  MACAW_ASSIGN(const auto name, in.suffix());
  if (in.next() == '<') {
    MACAW_CHECK(in.expect("<"));
    MACAW_ASSIGN(const auto inside, in.until_closed('<', '>'));
    if (in.take(":")) MACAW_CHECK(read_type(in));
    const auto end = inside.find_last_not_of(" \t\n");
    const auto word = inside.substr(0, end == std::string_view::npos ? 0 : end + 1);
    const auto begin = word.find_last_of(" \t\n,=");
    return Attribute{Word{std::string(begin == std::string_view::npos ? word : word.substr(begin + 1))}};
  }
  const auto alias = resources.aliases.find(name);
  if (alias == resources.aliases.end()) return Attribute{};  // a location or a map, which do not affect values
  const auto bytes = copied_bytes(alias->second);
  if (bytes > resources.budget)
    return in.error(ErrorCode::kUnsupported, "uses of aliases that together take more than 256 MiB");
  resources.budget -= bytes;
  return alias->second;
}

/// "[1, 2]", of integers; other lists mean nothing for a graph.
Result<Attribute> read_list(Cursor& in, Resources& resources) {
  std::vector<std::int64_t> numbers;
  bool all_numbers = true;
  if (in.take("]")) return Attribute{numbers};
  do {
    const char first = in.next();
    if (first == '[' || first == '{') {
      MACAW_CHECK(in.expect(std::string_view(&first, 1)));
      MACAW_CHECK(in.until_closed(first, first == '[' ? ']' : '}'));
      all_numbers = false;
      continue;
    }
    MACAW_ASSIGN(const auto item, read_attribute(in, resources));
    std::byte bytes[8] = {};
    std::int64_t value = 0;
    if (item.number() && element_bytes(item.number()->text, DType::kINT64, bytes)) {
      std::copy_n(bytes, 8, reinterpret_cast<std::byte*>(&value));
      numbers.push_back(value);
    } else {
      all_numbers = false;
    }
  } while (in.take(","));
  MACAW_CHECK(in.expect("]"));
  return all_numbers ? Attribute{numbers} : Attribute{};
}

/// "<i64: 1, 2>" behind "array".
Result<Attribute> read_array(Cursor& in) {
  MACAW_CHECK(in.expect("<"));
  MACAW_CHECK(read_type(in));
  std::vector<std::int64_t> numbers;
  if (in.take(":")) do {
      MACAW_ASSIGN(const auto value, in.integer());
      numbers.push_back(value);
    } while (in.take(","));
  MACAW_CHECK(in.expect(">"));
  return Attribute{numbers};
}

Result<Attribute> read_number(Cursor& in) {
  MACAW_ASSIGN(auto text, in.number());
  if (in.take(":")) MACAW_CHECK(read_type(in));
  return Attribute{Number{std::move(text)}};
}

}  // namespace

const std::string* Attribute::word() const {
  const auto* word = std::get_if<Word>(&value);
  return word ? &word->text : nullptr;
}

std::shared_ptr<const Tensor> Attribute::tensor() const {
  const auto* tensor = std::get_if<std::shared_ptr<const Tensor>>(&value);
  return tensor ? *tensor : nullptr;
}

Result<Attribute> read_attribute(Cursor& in, Resources& resources) {
  const char first = in.next();
  if (first == '"') {
    MACAW_ASSIGN(auto text, in.quoted());
    if (in.take(":")) MACAW_CHECK(read_type(in));
    return Attribute{Word{std::move(text)}};
  }
  if (first == '#') return read_dialect_attribute(in, resources);
  if (first == '@') {
    MACAW_CHECK(in.expect("@"));
    MACAW_ASSIGN(auto name, in.suffix());
    return Attribute{Word{std::move(name)}};
  }
  if (in.take("[")) return read_list(in, resources);
  if (in.take("{")) {
    MACAW_CHECK(in.until_closed('{', '}'));
    return Attribute{};
  }
  if (first == '(') {
    MACAW_CHECK(read_function_type(in));
    return Attribute{};
  }
  if (first == '-' || first == '+' || (first >= '0' && first <= '9')) return read_number(in);
  if (in.take("true")) return Attribute{true};
  if (in.take("false")) return Attribute{false};
  if (in.take("unit")) return Attribute{};
  if (in.take("dense")) {
    MACAW_ASSIGN(auto tensor, read_dense(in, resources));
    return Attribute{std::move(tensor)};
  }
  if (in.take("dense_resource")) {
    MACAW_ASSIGN(auto tensor, read_dense_resource(in, resources));
    return Attribute{std::move(tensor)};
  }
  if (in.take("array")) return read_array(in);
  for (const std::string_view skipped : {"loc", "affine_map", "affine_set", "opaque", "distinct", "strided"})
    if (in.take(skipped)) {
      if (in.take("[")) MACAW_CHECK(in.until_closed('[', ']'));
      const char open = in.next();
      if (open != '(' && open != '<') return in.expected("'(' or '<'");
      MACAW_CHECK(in.expect(std::string_view(&open, 1)));
      MACAW_CHECK(in.until_closed(open, open == '(' ? ')' : '>'));
      return Attribute{};
    }
  if (in.peek("sparse")) return in.error(ErrorCode::kUnsupported, "sparse constants");
  const auto begin = in.at();
  if (auto type = read_type(in)) return Attribute{Other{std::move(*type)}};
  in.go_to(begin);
  if (auto word = in.identifier(); !word.empty()) return Attribute{Word{std::move(word)}};
  return in.expected("an attribute");
}

Result<void> read_attributes(Cursor& in, std::string_view close, Resources& resources, Attributes& out) {
  if (in.take(close)) return {};
  do {
    std::string name;
    if (in.next() == '"') {
      MACAW_ASSIGN(name, in.quoted());
    } else {
      name = in.identifier();
      if (name.empty()) return in.expected("the name of an attribute");
    }
    Attribute value{true};  // a name alone
    if (in.take("=")) {
      MACAW_ASSIGN(value, read_attribute(in, resources));
    }
    out.insert_or_assign(std::move(name), std::move(value));
  } while (in.take(","));
  return in.expect(close);
}

Result<void> read_resources(Cursor in, Resources& resources) {
  const auto begin = in.text().rfind("{-#");
  if (begin == std::string_view::npos) return {};
  in.go_to(begin + 3);
  // dialect_resources: { dialect: { name: "0x...", ... }, ... }, external_resources: ...
  while (!in.take("#-}")) {
    const auto section = in.identifier();
    if (section.empty()) return in.expected("'#-}'");
    MACAW_CHECK(in.expect(":"));
    MACAW_CHECK(in.expect("{"));
    while (!in.take("}")) {
      if (in.identifier().empty()) return in.expected("the name of a dialect");
      MACAW_CHECK(in.expect(":"));
      MACAW_CHECK(in.expect("{"));
      while (!in.take("}")) {
        std::string name;
        (void)in.next();
        MACAW_ASSIGN(name, in.suffix());
        MACAW_CHECK(in.expect(":"));
        if (in.next() == '"') {
          const auto at = in.at();
          MACAW_CHECK(in.quoted());
          const auto text = in.text().substr(at + 1, in.at() - at - 2);
          if (text.starts_with("0x") && section == "dialect_resources") resources.blobs[name] = text.substr(2);
        } else {
          MACAW_CHECK(read_attribute(in, resources));
        }
        (void)in.take(",");
      }
      (void)in.take(",");
    }
    (void)in.take(",");
  }
  return {};
}

}  // namespace macaw::tosa::mlir
