#include "tests/system/hostile/streams/mutant.hpp"

#include "sim/isa/decoder.hpp"

#include <algorithm>

namespace macaw::hostile {
namespace {

using npu::CommandRow;
using npu::FieldRow;
using npu::FieldValue;

struct Edited {
  const CommandRow* row;
  std::vector<FieldValue> values;
};

std::size_t pick(std::size_t size, std::mt19937& random) { return random() % size; }

std::uint64_t any_bits(std::mt19937& random) { return std::uint64_t{random()} << 32 | random(); }

/// A value that fits the field, more often one that means something.
std::uint64_t value_for(npu::Family family, const FieldRow& field, std::uint64_t old, std::mt19937& random) {
  const std::uint64_t max = field.max();
  if (!field.enumeration.empty() && random() % 4 != 0)
    if (const auto* row = npu::find_enumeration(family, field.enumeration))
      return row->values()[pick(row->values().size(), random)].code & max;
  switch (random() % 8) {
    case 0: return 0;
    case 1: return max;
    case 2: return (old + 1) & max;
    case 3: return (old - 1) & max;
    case 4: return (old ^ std::uint64_t{1} << random() % field.width) & max;
    case 5: return (old * 2) & max;
    case 6: return (std::uint64_t{1} << random() % field.width) & max;
    default: return any_bits(random) & max;
  }
}

Edited any_command(npu::Family family, std::mt19937& random) {
  for (;;) {
    const auto& row = npu::commands()[pick(npu::commands().size(), random)];
    if (!(row.families & npu::family_set(family))) continue;
    Edited command{&row, {}};
    for (const auto& field : row.fields()) command.values.push_back({field.name, value_for(family, field, 0, random)});
    return command;
  }
}

void edit_field(npu::Family family, std::vector<Edited>& commands, std::mt19937& random) {
  auto& command = commands[pick(commands.size(), random)];
  if (command.values.empty()) return;
  auto& value = command.values[pick(command.values.size(), random)];
  if (random() % 4 == 0) {
    // Takes the payload of another command of the same kind.
    const auto& other = commands[pick(commands.size(), random)];
    if (other.row->name.view().substr(0, 11) == command.row->name.view().substr(0, 11) && !other.values.empty()) {
      const auto& theirs = other.values[pick(other.values.size(), random)];
      value.value = theirs.value & npu::find_field(*command.row, value.name)->max();
      return;
    }
  }
  value.value = value_for(family, *npu::find_field(*command.row, value.name), value.value, random);
}

void edit(npu::Family family, std::vector<Edited>& commands, std::mt19937& random) {
  const auto at = [&] { return commands.begin() + static_cast<std::ptrdiff_t>(pick(commands.size(), random)); };
  switch (commands.size() < 2 ? 0 : random() % 10) {
    case 6: commands.erase(at()); break;
    case 7: {
      const Edited copy = *at();
      commands.insert(at(), copy);
      break;
    }
    case 8: std::iter_swap(at(), at()); break;
    case 9: commands.insert(at(), any_command(family, random)); break;
    default: edit_field(family, commands, random); break;
  }
}

}  // namespace

std::vector<std::uint32_t> mutant(npu::Family family, std::span<const std::uint32_t> words, std::mt19937& random) {
  std::vector<Edited> commands;
  const auto decoded = npu::decode(family, words).value();
  for (const auto& command : decoded) {
    Edited edited{command.row, {}};
    for (const auto& field : command.row->fields()) edited.values.push_back({field.name, command.value(field)});
    commands.push_back(std::move(edited));
  }
  for (auto edits = 1 + random() % 4; edits > 0; --edits) edit(family, commands, random);
  std::vector<std::uint32_t> out;
  for (const auto& command : commands) {
    const auto encoded = npu::encode(*command.row, command.values).value();
    out.push_back(encoded.word0);
    if (command.row->words() == 2) out.push_back(encoded.payload);
  }
  return out;
}

}  // namespace macaw::hostile
