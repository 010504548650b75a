#include "workflow/reduce/reproducer.hpp"

#include <fmt/format.h>

#include <utility>

#include <macaw/npy.hpp>

#include "base/file.hpp"

namespace macaw::reduce {
namespace {

std::vector<std::byte> text_bytes(const std::string& text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

/// The inputs of the network, from a run of the network that it is a part of.
Result<std::vector<Tensor>> inputs_from(const compare::Program& program, const compare::Reference& values) {
  std::vector<Tensor> inputs;
  for (const auto& port : program.input_ports()) {
    const auto found = values.find(port.name);
    if (!found || !values.tensors[*found].value)
      return fail(ErrorCode::kMismatch,
                  fmt::format("no values are known of tensor '{}', which the operator reads", port.name));
    const auto& value = *values.tensors[*found].value;
    Tensor tensor(port.dtype, port.shape.value_or(value.shape()));
    if (tensor.bytes().size() != value.bytes().size())
      return fail(ErrorCode::kMismatch, fmt::format("tensor '{}' has another size in the run", port.name));
    std::ranges::copy(value.bytes(), tensor.bytes().begin());
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace

Result<std::vector<OutputFile>> reproducer_files(const Network& network, const compare::Reference& values,
                                                 const WrongResult& wrong) {
  std::vector<std::size_t> numbers;
  for (const auto op : wrong.operators)
    if (const auto number = network.number_of(op)) numbers.push_back(*number);
  const auto alone = numbers.empty() ? nullptr : network.keep(numbers);
  if (!alone) return fail(ErrorCode::kMismatch, "the operator cannot stand alone in a network");
  const auto program = alone->program();
  MACAW_ASSIGN(const auto inputs, inputs_from(program, values));
  MACAW_ASSIGN(const auto expected, program.reference(inputs));
  const auto name = std::string("network") + alone->extension();
  std::vector<OutputFile> files;
  MACAW_ASSIGN(auto bytes, alone->bytes());
  files.push_back({name, std::move(bytes)});
  auto call = fmt::format("macaw compare {} COMPILED", name);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto file = fmt::format("input_{}.npy", i);
    files.push_back({file, format_npy(to_npy(inputs[i]))});
    call += " --input " + file;
  }
  for (std::size_t i = 0; i < expected.outputs.size(); ++i)
    files.push_back(
        {fmt::format("expected_{}.npy", i), format_npy(to_npy(*expected.tensors[expected.outputs[i]].value))});
  if (wrong.actual) files.push_back({"actual_0.npy", format_npy(to_npy(*wrong.actual))});
  const auto text = fmt::format(
      "# An operator whose compiled form differs\n\n"
      "{}\n\n"
      "`{}` has the operator alone, with its constants. `input_0.npy` and so on are what it reads where the\n"
      "difference was found, `expected_0.npy` is its result{}.\n\n"
      "Compile it as the whole network was, then:\n\n```sh\n{}\n```\n",
      wrong.text, name, wrong.actual ? ", `actual_0.npy` what the compiled network has in its place" : "", call);
  files.push_back({"README.md", text_bytes(text)});
  return files;
}

Result<void> write_reproducer(const std::filesystem::path& folder, const std::vector<OutputFile>& files,
                              io::Existing existing) {
  MACAW_CHECK(io::make_directory(folder));
  io::FileSet set(existing);
  for (const auto& file : files) MACAW_CHECK(set.add(folder / file.name, file.bytes));
  return set.publish();
}

}  // namespace macaw::reduce
