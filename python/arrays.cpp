#include <fmt/format.h>

#include <algorithm>

#include <macaw/npy.hpp>

#include "python/native.hpp"

namespace macaw::python {

namespace {

template <class T>
struct Owner : Object {
  explicit Owner(T value) : value(std::move(value)) {}
  T value;
};

const char* numpy_type(DType dtype) {
  switch (dtype) {
    case DType::kBF16: return "<u2";
    case DType::kFP8E4M3: return "|u1";
    default: return info(dtype).npy.data();
  }
}

}  // namespace

json Call::give(std::span<const std::byte> bytes, std::string_view type, const Shape& shape, std::string_view name,
                std::unique_ptr<Object> owner) {
  const auto index = given_.size();
  given_.emplace_back(bytes.data(), owner.get());
  (void)owner.release();
  return {index, type, shape, text_of(name), bytes.size()};
}

json Call::give(Tensor tensor, std::string_view name) {
  const auto dtype = tensor.dtype();
  if (is_block_scale(dtype)) {
    auto owner = std::make_unique<Owner<NpyArray>>(to_npy(tensor));
    const auto& rows = owner->value;
    return give(rows.bytes, numpy_type(dtype), rows.shape, name, std::move(owner));
  }
  auto owner = std::make_unique<Owner<Tensor>>(std::move(tensor));
  auto& kept = owner->value;
  // As not const, it has memory of its own, which the caller may write to.
  return give(kept.bytes(), numpy_type(dtype), kept.shape(), name, std::move(owner));
}

json Call::give(std::vector<Tensor> tensors) {
  auto list = json::array();
  for (auto& tensor : tensors) list.push_back(give(std::move(tensor)));
  return list;
}

json Call::give(std::map<std::string, Tensor> tensors) {
  auto list = json::array();
  for (auto& [name, tensor] : tensors) list.push_back(give(std::move(tensor), name));
  return list;
}

json Call::give(std::string bytes) {
  auto owner = std::make_unique<Owner<std::string>>(std::move(bytes));
  const auto& kept = owner->value;
  return give(std::as_bytes(std::span(kept)), "|u1", {static_cast<std::int64_t>(kept.size())}, {}, std::move(owner));
}

json Call::give_document(const json& value) {
  return give(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

json Call::give(std::unique_ptr<Object> object) {
  return {{"object", reinterpret_cast<std::uintptr_t>(object.release())}};
}

std::string Call::send(const json& result) {
  std::string text;
  for (const auto& [data, owner] : given_)
    fmt::format_to(std::back_inserter(text), "{} {} ", reinterpret_cast<std::uintptr_t>(data),
                   reinterpret_cast<std::uintptr_t>(owner));
  text += '\n';
  text += result.dump(-1, ' ', true);
  given_.clear();
  return text;
}

void Call::free_given() {
  for (const auto& given : given_) delete given.second;
  given_.clear();
}

bool fill_outputs(const Arguments& arguments, const std::vector<Tensor>& tensors) {
  if (!arguments.has("outputs")) return false;
  const auto outputs = arguments.arrays("outputs");
  const auto fits = [](const GivenArray& output, const Tensor& tensor) {
    return output.type() == numpy_type(tensor.dtype()) && output.shape() == tensor.shape() &&
           output.bytes().size() == tensor.bytes().size();
  };
  if (!std::ranges::equal(outputs, tensors, fits)) return false;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    std::ranges::copy(tensors[i].bytes(), const_cast<std::byte*>(outputs[i].bytes().data()));
  return true;
}

json to_json(const std::vector<InputPort>& ports) {
  auto list = json::array();
  for (const auto& port : ports)
    list.push_back(json::array({text_of(port.name), port.shape ? json(*port.shape) : json(nullptr)}));
  return list;
}

Tensor input_of(const GivenArray& array, const InputPort& port, InputFit fit) {
  const auto name = "input \"" + port.name + "\"";
  return unwrap(fit_input(unwrap(array.contents(name)), port, fit, name));
}

std::vector<Tensor> inputs_of(const std::vector<InputPort>& ports, const Arguments& arguments) {
  const auto given = arguments.arrays("inputs");
  std::vector<const GivenArray*> arrays;
  if (arguments.get<bool>("by_name")) {
    std::map<std::string_view, const GivenArray*> by_name;
    for (const auto& array : given) by_name[array.name()] = &array;
    for (const auto& port : ports) {
      const auto found = by_name.find(port.name);
      if (found == by_name.end())
        throw Failure{{ErrorCode::kMismatch, fmt::format("input \"{}\" is not given", port.name), {}}};
      arrays.push_back(found->second);
    }
  } else {
    for (const auto& array : given) arrays.push_back(&array);
  }
  if (given.size() != ports.size())
    throw Failure{
        {ErrorCode::kMismatch, fmt::format("{} inputs are given, there are {}", given.size(), ports.size()), {}}};
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < arrays.size(); ++i) tensors.push_back(input_of(*arrays[i], ports[i], arguments.fit()));
  return tensors;
}

}  // namespace macaw::python
