#include "reference/tosa/import/vgf/container.hpp"

#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "vgf_generated.h"

// The layout of VGF files (arm/ai-ml-sdk-vgf-library, docs/source/file_format.rst): a header of 128 bytes, three
// flatbuffers and the constants.

namespace macaw::tosa::vgf {
namespace {

namespace fb = macaw::vgf;

constexpr std::size_t kHeaderSize = 128, kVersionAt = 8, kSectionsAt = 16, kSectionSize = 16;
enum SectionIndex : std::uint8_t { kModules, kSequence, kResources, kConstants };

constexpr std::string_view kRawConstants{"CONST00\0", 8};
constexpr std::size_t kConstantsHeader = 16, kConstantRecord = 24;

template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Result<Container> read() {
    if (bytes_.size() < kHeaderSize) return error("shorter than its header");
    const auto major = number_at<std::uint8_t>(bytes_, kVersionAt),
               minor = number_at<std::uint8_t>(bytes_, kVersionAt + 1);
    if (major != 0 || minor != 4)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("VGF version {}.{}; expected version 0.4, the newest that arm/ai-ml-sdk-vgf-library has "
                              "published",
                              major, minor),
                  {.file = name_});
    MACAW_CHECK(read_modules());
    MACAW_ASSIGN(const auto resources, table<fb::ResourceTable>(kResources, "resource table"));
    resources_ = resources->resources() ? resources->resources()->size() : 0;
    MACAW_CHECK(read_constants());
    MACAW_CHECK(read_sequence());
    return std::move(read_);
  }

 private:
  [[nodiscard]] tl::unexpected<Error> error(std::string message) const {
    return fail(ErrorCode::kInvalidFile, std::move(message), {.file = name_});
  }

  Result<std::span<const std::byte>> section(SectionIndex index) const {
    const auto at = kSectionsAt + kSectionSize * index;
    const auto offset = number_at<std::uint64_t>(bytes_, at), size = number_at<std::uint64_t>(bytes_, at + 8);
    if (offset > bytes_.size() || size > bytes_.size() - offset)
      return error(fmt::format("section {} has {} bytes at {}, the file {}", static_cast<int>(index), size, offset,
                               bytes_.size()));
    return bytes_.subspan(offset, size);
  }

  /// The root of a section's flatbuffer, which `held_` keeps aligned.
  template <class Table>
  Result<const Table*> table(SectionIndex index, std::string_view what) {
    MACAW_ASSIGN(const auto bytes, section(index));
    auto& held = held_[index];
    held.assign((bytes.size() + 7) / 8, 0);
    if (!bytes.empty()) std::memcpy(held.data(), bytes.data(), bytes.size());
    const auto* data = reinterpret_cast<const std::uint8_t*>(held.data());
    flatbuffers::Verifier verifier(data, bytes.size());
    if (bytes.size() < sizeof(flatbuffers::uoffset_t) || !verifier.VerifyBuffer<Table>(nullptr))
      return error(fmt::format("the {} is not a sound flatbuffer", what));
    return flatbuffers::GetRoot<Table>(data);
  }

  Result<void> read_modules() {
    MACAW_ASSIGN(const auto modules, table<fb::ModuleTable>(kModules, "module table"));
    if (!modules->modules()) return {};
    std::size_t words = 0;
    for (const auto* in : *modules->modules()) {
      Module module;
      module.is_graph = in->type() == fb::ModuleType::GRAPH;
      if (in->name()) module.name = in->name()->str();
      if (in->entry_point()) module.entry_point = in->entry_point()->str();
      if (const auto* code = in->code_as_Spirv(); code && code->words()) {
        words += code->words()->size();
        if (words > bytes_.size() / 4) return error("the modules overlap");
        module.words.assign(code->words()->begin(), code->words()->end());
      }
      read_.modules.push_back(std::move(module));
    }
    return {};
  }

  Result<void> add_constant(std::span<const std::byte> payload, std::uint64_t offset, std::uint64_t size,
                            std::uint32_t resource) {
    if (offset > payload.size() || size > payload.size() - offset)
      return error(
          fmt::format("constant {} has {} bytes at {} of {}", read_.constants.size(), size, offset, payload.size()));
    if (resource >= resources_) return error(fmt::format("constant {} is of no resource", read_.constants.size()));
    read_.constants.push_back(payload.subspan(offset, size));
    return {};
  }

  Result<void> read_constants() {
    MACAW_ASSIGN(const auto bytes, section(kConstants));
    if (bytes.empty()) return {};
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!text.starts_with(kRawConstants)) return read_older_constants();
    const auto count = bytes.size() < kConstantsHeader ? 0 : number_at<std::uint64_t>(bytes, 8);
    if (bytes.size() < kConstantsHeader || count > (bytes.size() - kConstantsHeader) / kConstantRecord)
      return error("the constants do not fit their section");
    const auto payload = bytes.subspan(kConstantsHeader + count * kConstantRecord);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto record = bytes.subspan(kConstantsHeader + i * kConstantRecord, kConstantRecord);
      MACAW_CHECK(add_constant(payload, number_at<std::uint64_t>(record, 16), number_at<std::uint64_t>(record, 8),
                               number_at<std::uint32_t>(record, 0)));
    }
    return {};
  }

  Result<void> read_older_constants() {
    MACAW_ASSIGN(const auto constants, table<fb::ConstantSection>(kConstants, "constant section"));
    if (!constants->data()) return {};
    MACAW_ASSIGN(const auto bytes, section(kConstants));
    for (const auto* constant : *constants->data()) {
      const auto* raw = constant->raw();
      // The section's own bytes outlive the reader, its aligned copy does not.
      const auto offset =
          raw ? raw->data() - reinterpret_cast<const std::uint8_t*>(held_[kConstants].data()) : std::ptrdiff_t{0};
      MACAW_CHECK(add_constant(bytes, static_cast<std::uint64_t>(offset), raw ? raw->size() : 0, constant->resource()));
    }
    return {};
  }

  Result<std::vector<Slot>> slots(const flatbuffers::Vector<flatbuffers::Offset<fb::BindingSlot>>* list) const {
    std::vector<Slot> read;
    if (list)
      for (const auto* slot : *list) {
        if (slot->resource() >= resources_) return error(fmt::format("binding {} is of no resource", slot->binding()));
        read.push_back({slot->binding(), slot->resource()});
      }
    return read;
  }

  Result<std::vector<std::string>> names(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* list,
                                         std::size_t count) const {
    std::vector<std::string> read;
    if (list)
      for (const auto* name : *list) read.push_back(name->str());
    if (!read.empty() && read.size() != count) return error(fmt::format("{} names of {} bindings", read.size(), count));
    return read;
  }

  Result<void> read_sequence() {
    MACAW_ASSIGN(const auto sequence, table<fb::SequenceTable>(kSequence, "model sequence"));
    if (sequence->segments())
      for (const auto* in : *sequence->segments()) {
        Segment segment;
        if (in->name()) segment.name = in->name()->str();
        segment.module = in->module_index();
        if (segment.module >= read_.modules.size())
          return error(fmt::format("segment \"{}\" is of no module", segment.name));
        MACAW_ASSIGN(segment.inputs, slots(in->inputs()));
        MACAW_ASSIGN(segment.outputs, slots(in->outputs()));
        if (in->constants()) segment.constants.assign(in->constants()->begin(), in->constants()->end());
        for (const auto index : segment.constants)
          if (index >= read_.constants.size())
            return error(
                fmt::format("segment \"{}\" has a constant {} of {}", segment.name, index, read_.constants.size()));
        read_.segments.push_back(std::move(segment));
      }
    MACAW_ASSIGN(read_.inputs, slots(sequence->inputs()));
    MACAW_ASSIGN(read_.outputs, slots(sequence->outputs()));
    MACAW_ASSIGN(read_.input_names, names(sequence->input_names(), read_.inputs.size()));
    MACAW_ASSIGN(read_.output_names, names(sequence->output_names(), read_.outputs.size()));
    return {};
  }

  std::span<const std::byte> bytes_;
  const std::string& name_;
  std::array<std::vector<std::uint64_t>, 4> held_;
  std::size_t resources_ = 0;
  Container read_;
};

}  // namespace

Result<Container> read_container(std::span<const std::byte> bytes, const std::string& name) {
  return Reader(bytes, name).read();
}

}  // namespace macaw::tosa::vgf
