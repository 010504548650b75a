#include "sim/config/toml_guard.hpp"

#include <catch2/catch.hpp>

#include "sim/config/toml.hpp"

using namespace macaw;

TEST_CASE("toml text may have other letters in texts and comments, and nowhere else") {
  CHECK_FALSE(npu::unsafe_toml("# gr\xc3\xbcn\na = \"gr\xc3\xbcn\"\nb = 'gr\xc3\xbcn'\n"));
  CHECK_FALSE(npu::unsafe_toml("a = \"\"\"\n\xc3\xbc \"\" ' \n\"\"\"\nb = \"\\\"\xc3\xbc\""));
  CHECK(npu::unsafe_toml("\xcf\x98").value().line == 1u);
  CHECK(npu::unsafe_toml("a = 1\n[axiM\xce\x98").value().line == 2u);
  CHECK(npu::unsafe_toml("a = [3, +\x01 3]").value().line == 1u);
  CHECK(npu::unsafe_toml("a = \"open\n\xc3\xbc = 1").value().line == 2u);
  CHECK(npu::unsafe_toml("a = '''x''' \xc3\xbc").value().line == 1u);
}

TEST_CASE("a backslash is followed by ASCII, behind the blanks of a line that it ends as well") {
  const auto wrong = [](const std::string& text) { return npu::unsafe_toml(text).has_value(); };
  for (const char* letter : {"\xc3\xbc", "\xef\xbb\x91", "\xe2\x80\x83"}) {
    for (const char* blanks : {"", " ", "\n", "\r\n \t\n "}) {
      INFO(letter << " behind '" << blanks << "'");
      CHECK(wrong(std::string("a = \"\"\"b \\") + blanks + letter + "\"\"\"\n"));
      CHECK_FALSE(wrong(std::string("a = \"\"\"b \\") + blanks + "n" + letter + "\"\"\"\n"));
      CHECK_FALSE(wrong(std::string("a = '''b \\") + blanks + letter + "'''\n"));
    }
    CHECK(wrong(std::string("a = \"\\") + letter + "\"\n"));
    CHECK_FALSE(wrong(std::string("a = \"\\\\") + letter + "\"\n"));
  }
  const auto joined = npu::parse_toml("a = \"\"\"b \\\n  c\"\"\"\n", "t");
  REQUIRE(joined);
  CHECK((*joined)["a"].value<std::string>() == "b c");
}

TEST_CASE("a text begins where a key or a value does") {
  // toml++ reads on to the end of a word, over a quote as over any character.
  for (const char* text : {"a = -m\"\xd2\x94\"", "a = b \"c\"", "a = 'x' 'y'", "[t] \"u\" = 1", "a\"b\" = 1"}) {
    INFO(text);
    const auto parsed = npu::parse_toml(std::string("x = 1\n") + text, "t");
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == ErrorCode::kInvalidFile);
    CHECK_THAT(parsed.error().to_string(),
               Catch::Contains("line 2") && Catch::Contains("a quote where no text can begin"));
  }
  const auto parsed = npu::parse_toml(
      "a = \"\"\"x\"\"\"\"\nb = '''y'''''\nc = \"\"\n# \"d \"\n\"k\" . 'l' = [ \"m\",\r\n 'n' , {\"o\"='p'}, [''] ]\n"
      "[\"t\".'u']\n 'v' = 'w' # 'z\n",
      "t");
  REQUIRE(parsed);
  CHECK((*parsed)["a"].value<std::string>() == "x\"");
  CHECK((*parsed)["b"].value<std::string>() == "y''");
  CHECK((*parsed)["t"]["u"]["v"].value<std::string>() == "w");
}

TEST_CASE("a key has up to 32 parts, however many keys a line has") {
  const auto key = [](int parts) {
    std::string text = "a";
    for (int i = 1; i < parts; ++i) text += i % 2 != 0 ? ". \"a.b\"" : ".a";
    return text;
  };
  CHECK(npu::parse_toml(key(32) + " = 1", "t"));
  CHECK(npu::parse_toml("[" + key(32) + "]\n" + key(32) + " = {" + key(32) + " = 1, b." + key(31) + " = 1.5}", "t"));
  for (const auto& text : {key(33) + " = 1", "\n[[" + key(33) + "]]", "x = {a.b = 1, " + key(33) + " = 1}"}) {
    INFO(text);
    const auto parsed = npu::parse_toml(text, "t");
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == ErrorCode::kInvalidFile);
    CHECK_THAT(parsed.error().message, Catch::Contains("a key of more than 32 parts"));
  }
}

TEST_CASE("text that breaks what toml++ takes for granted is not toml") {
  for (const char* text : {"[=", "[[\\u0000]]", "[.a]", "a = [}]", "a = {b=[}}", "a = [#\n=]", "a=}", "a.=1", "a=+"}) {
    INFO(text);
    const auto parsed = npu::parse_toml(text, "t");
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == ErrorCode::kInvalidFile);
    CHECK_THAT(parsed.error().message, Catch::StartsWith("line "));
  }
}

TEST_CASE("A number goes on in no text, array or table", "[timing][toml]") {
  for (const char* text : {"S=9.\"\u03bb\"", "a = [3_[\"\u03bb\"]]", "a = 3{\"\u03bb\" = 1}", "a = 3=\"\u03bb\"",
                           "a = { b = 9.\"\u03bb\" }", "a = [1, 9.'\u03bb']", "a = [\n9.'\u03bb']"}) {
    CAPTURE(text);
    CHECK(macaw::npu::unsafe_toml(text));
  }
  for (const char* text :
       {"9.\"\u03bb\" = 1", "a = { 9.\"\u03bb\" = 1, b.'\u03bb' = 2 }", "[9.\"\u03bb\"]",
        "a = [1, [\n[2], { b.\"\u03bb\" = 3 }]]\nb.\"\u03bb\" = 1", "[[a.'\u03bb']]\nb = '\u03bb'"}) {
    CAPTURE(text);
    CHECK_FALSE(macaw::npu::unsafe_toml(text));
  }
}
