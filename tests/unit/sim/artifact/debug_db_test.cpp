#include <macaw/npu/debug_database.hpp>

#include "base/file.hpp"
#include "sim/isa/decoder.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/unit/sim/artifact/vela_stream.hpp"

#include <catch2/catch.hpp>

using namespace macaw;
using namespace macaw::npu;

namespace {

std::string table(const std::string& name, const std::string& rows) {
  return "<table name='" + name + "'><![CDATA[" + rows + "]]></table>\n";
}

const std::string kSource =
                      table("source",
                            "\"id\",\"operator\",\"ofm_w\",\"ofm_h\",\"ofm_d\",\"ext_key\"\n1,\"Conv2D\",8,4,16,3\n"),
                  kOptimised = table("optimised",
                                     "\"id\",\"source_id\",\"operator\",\"ofm_w\",\"ofm_h\",\"ofm_d\"\n"
                                     "7,1,\"Conv2D\",8,4,16\n8,1,\"Relu\",8,4,16\n"),
                  kStreams = table("cmdstream", "\"id\"\n5\n"),
                  kQueue = table("queue", "\"offset\",\"cmdstream_id\",\"optimised_id\"\n100,5,7\n200,5,8\n");

Result<DebugDatabase> parse(const std::string& tables) {
  const std::string text = "<?xml version='1.0'?>\n<debug source='net'>\n" + tables + "</debug>\n";
  return DebugDatabase::parse(std::as_bytes(std::span(text)), "net_debug.xml");
}

void check_error(const std::string& tables, const std::string& part) {
  const auto result = parse(tables);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kInvalidFile);
  CHECK(result.error().place.file == "net_debug.xml");
  INFO(result.error().message);
  CHECK(result.error().message.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("commands map to operators by the queue", "[debug_db]") {
  const auto names = table("perf", "\"source_id\",\"optimised_id\",\"name\"\n1,7,\"a \"\"quoted\"\", name\"\n");
  const auto database = parse(kSource + kOptimised + kStreams + kQueue + names);
  INFO((database ? "" : database.error().to_string()));
  REQUIRE(database);
  // A DMA job before an operation is that operation's.
  for (const unsigned offset : {0u, 96u, 100u}) {
    REQUIRE(database->optimised_of(0, offset));
    CHECK(database->optimised_of(0, offset)->id == 7);
  }
  CHECK(database->optimised_of(0, 104)->kind == "Relu");
  CHECK(database->optimised_of(0, 204) == nullptr);
  CHECK(database->optimised_of(1, 100) == nullptr);
  CHECK(database->source_of(0, 200)->to_string() == "Conv2D 'a \"quoted\", name' (operator 3)");
  CHECK(database->source_of(0, 200)->ofm_w == 8);
}

TEST_CASE("a database may say which file's operators it counts", "[debug_db]") {
  const auto numbered = [](const std::string& attribute) {
    const std::string text = "<?xml version='1.0'?>\n<debug source='net'" + attribute + ">\n</debug>\n";
    return DebugDatabase::parse(std::as_bytes(std::span(text)), "net_debug.xml");
  };
  const auto silent = numbered(""), tosa = numbered(" numbering='tosa'"), tflite = numbered(" numbering='tflite'");
  REQUIRE((silent && tosa && tflite));
  CHECK((silent->numbering().empty() && tosa->numbering() == "tosa" && tflite->numbering() == "tflite"));
  CHECK_FALSE(silent->counts_otherwise("tflite"));
  CHECK(tosa->counts_otherwise("tflite"));
  CHECK_FALSE(tosa->counts_otherwise("tosa"));
  CHECK_FALSE(tosa->counts_otherwise(""));
  const auto other = numbered(" numbering='onnx'");
  REQUIRE_FALSE(other);
  CHECK(other.error().code == ErrorCode::kInvalidFile);
}

TEST_CASE("an operation may stand at the beginning of its stream, not before it", "[debug_db]") {
  const auto at = [](const char* offset) {
    return kSource + kOptimised + kStreams +
           table("queue", "\"offset\",\"cmdstream_id\",\"optimised_id\"\n" + std::string(offset) + ",5,7\n");
  };
  const auto database = parse(at("0"));
  REQUIRE(database);
  CHECK(database->optimised_of(0, 0)->id == 7);
  CHECK(database->optimised_of(0, 4) == nullptr);
  check_error(at("-1"), "offset -1 of stream 5");
}

TEST_CASE("steps of one operator have names of their own", "[debug_db]") {
  const auto names =
      table("perf", "\"id\",\"source_id\",\"optimised_id\",\"name\"\n20,1,7,\"part\"\n21,1,7,\"whole\"\n");
  const auto queue = table("queue",
                           "\"offset\",\"cmdstream_id\",\"optimised_id\",\"scheduled_id\"\n"
                           "100,5,7,20\n200,5,7,21\n300,5,8,22\n");
  const auto database = parse(kSource + kOptimised + kStreams + queue + names);
  REQUIRE(database);
  CHECK(database->scheduled_of(0, 100)->name == "part");
  CHECK(database->scheduled_of(0, 100)->id == 20);
  CHECK(database->scheduled_of(0, 104)->name == "whole");
  CHECK(database->scheduled_of(0, 104)->kind == "Conv2D");
  CHECK(database->optimised_of(0, 100)->name == "whole");
  CHECK(database->scheduled_of(0, 300)->kind == "Relu");  // a step that no table describes
  CHECK(database->scheduled_of(0, 304) == nullptr);
}

TEST_CASE("tensors have places, and those without one are left out", "[debug_db]") {
  const auto database =
      parse(table("tensors",
                  "\"id\",\"data_type\",\"memory\",\"start_address\",\"end_address\",\"format\",\"name\"\n"
                  "7,\"Int8\",\"Sram\",\"0x10\",\"0x30\",\"NHWC\",\"x\"\n1,\"Int8\",\"Sram\",-1,-1,\"NHWC\",\"y\"\n"));
  REQUIRE(database);
  REQUIRE(database->tensors().size() == 1);
  CHECK(database->tensors()[0].id == 7);
  CHECK(database->tensors()[0].start == 16);
  CHECK(database->tensors()[0].end == 48);
}

TEST_CASE("a debug database belongs to the file before _vela, or of its name", "[debug_db]") {
  const macaw::test::TemporaryFolder folder;
  const auto database = folder / "net_debug.xml";
  std::ofstream(database) << "<debug/>";
  CHECK(debug_database_beside(folder / "net_vela.npz") == database);
  CHECK(debug_database_beside(folder / "net.tflite") == database);
  CHECK(debug_database_beside(folder / "other.tflite").empty());
}

TEST_CASE("sources may have no position in a file, as Vela 3.10's have none", "[debug_db]") {
  const auto sources = table("source", "\"id\",\"operator\",\"ofm_w\",\"ofm_h\",\"ofm_d\"\n1,\"Conv2D\",8,4,16\n");
  const auto database = parse(sources + kOptimised + kStreams + kQueue);
  INFO((database ? "" : database.error().to_string()));
  REQUIRE(database);
  REQUIRE(database->source_of(0, 100));
  CHECK_FALSE(database->source_of(0, 100)->index);
  CHECK(database->source_of(0, 100)->to_string() == "Conv2D (id 1)");
}

TEST_CASE("a malformed debug database beside a network names itself, and is not read where another is given",
          "[debug_db]") {
  const macaw::test::TemporaryFolder folder;
  const auto stream = test::vela_stream<std::uint8_t>({1, 1, 1, 1, 1, 1, 4, 1, 16, 1}, {1, 1, 1, 1, 1, 1, 2, 1, 32, 1});
  std::ofstream(folder / "net_vela.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(stream.data()), static_cast<std::streamsize>(stream.size()));
  CHECK(load_artifact(folder / "net_vela.bin"));
  std::ofstream(folder / "net_debug.xml") << "<debug>";
  const auto artifact = load_artifact(folder / "net_vela.bin");
  std::ofstream(folder / "other.xml") << "<debug/>";
  const auto with_another = load_artifact(folder / "net_vela.bin", "", folder / "other.xml");
  REQUIRE(with_another);
  CHECK(with_another->debug);
  REQUIRE_FALSE(artifact);
  CHECK(artifact.error().place.file == (folder / "net_debug.xml").string());
  CHECK(artifact.error().message.find("lies beside the network") != std::string::npos);
}

TEST_CASE("a malformed debug database is a coded error", "[debug_db]") {
  check_error("<table>", "not XML");
  check_error(kSource + table("optimised", "\"id\"\n1\n"), "table optimised has no column operator");
  check_error(table("source", "\"id\",\"operator\",\"ofm_w\",\"ofm_h\",\"ofm_d\",\"ext_key\"\n1,\"Conv2D\"\n"),
              "has a row of 2 cells");
  check_error(kStreams + table("queue", "\"offset\",\"cmdstream_id\",\"optimised_id\"\n1,6,7\n"),
              "offset 1 of stream 6");
  check_error(table("cmdstream", "\"id\"\nx\n"), "\"x\" is not a number");
  const std::string none = "<other/>";
  CHECK_FALSE(DebugDatabase::parse(std::as_bytes(std::span(none)), "f"));
  const std::string cut("\x1f\x8b\x08\x00", 4);
  CHECK_FALSE(DebugDatabase::parse(std::as_bytes(std::span(cut)), "f"));
}

TEST_CASE("every operation of the corpus that has a database knows its operator", "[debug_db]") {
  const char* variable = std::getenv("MACAW_CORPUS");
  const std::filesystem::path root = variable ? variable : "build/corpus";
  if (!std::filesystem::is_directory(root)) {
    std::cout << "skipped: no corpus at " << root << "\n";
    return;
  }
  int databases = 0, operations = 0, unknown = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const auto name = entry.path().filename().string();
    if (!name.ends_with("_vela.tflite") || debug_database_beside(entry.path()).empty()) continue;
    INFO(entry.path());
    const auto artifact = load_artifact(entry.path());
    INFO((artifact ? "" : artifact.error().to_string()));
    REQUIRE(artifact);
    REQUIRE(artifact->debug);
    ++databases;
    for (std::size_t step = 0; step < artifact->steps.size(); ++step) {
      const auto* stream = std::get_if<CommandStream>(&artifact->steps[step]);
      if (!stream) continue;
      const auto commands = decode(artifact->accelerator->family, stream->words);
      REQUIRE(commands);
      for (const auto& command : *commands) {
        if (command.row->is_set() || command.row->name == "NPU_OP_STOP" || command.row->name.view().ends_with("_WAIT"))
          continue;
        ++operations;
        unknown += source_operator(*artifact, step, command.offset).empty();
      }
    }
  }
  CHECK(databases > 0);
  CHECK(operations > 1000);
  INFO(unknown << " of " << operations << " operations");
  CHECK(unknown == 0);
}
