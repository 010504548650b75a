#include <fmt/format.h>

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

/// `owner` is a new object.
template <class T>
json array_of(const void* data, std::string_view type, const Shape& shape, std::string_view name, Owner<T>* owner) {
  const auto address = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
  return {address(data), type, shape, text_of(name), address(static_cast<Object*>(owner))};
}

}  // namespace

json to_json(Tensor tensor, std::string_view name) {
  if (is_block_scale(tensor.dtype())) {
    auto* owner = new Owner<NpyArray>(to_npy(tensor));
    const auto& rows = owner->value;
    return array_of(rows.bytes.data(), numpy_type(tensor.dtype()), rows.shape, name, owner);
  }
  auto* owner = new Owner<Tensor>(std::move(tensor));
  // As not const, it has memory of its own, which the caller may write to.
  const auto bytes = owner->value.bytes();
  return array_of(bytes.data(), numpy_type(owner->value.dtype()), owner->value.shape(), name, owner);
}

json to_json(std::vector<Tensor> tensors) {
  auto list = json::array();
  for (auto& tensor : tensors) list.push_back(to_json(std::move(tensor)));
  return list;
}

json to_json(std::map<std::string, Tensor> tensors) {
  auto list = json::array();
  for (auto& [name, tensor] : tensors) list.push_back(to_json(std::move(tensor), name));
  return list;
}

json to_json(std::string bytes) {
  auto* owner = new Owner<std::string>(std::move(bytes));
  return array_of(owner->value.data(), "|u1", {static_cast<std::int64_t>(owner->value.size())}, {}, owner);
}

json to_json(const std::vector<InputPort>& ports) {
  auto list = json::array();
  for (const auto& port : ports)
    list.push_back(json::array({text_of(port.name), port.shape ? json(*port.shape) : json(nullptr)}));
  return list;
}

json document_of(const json& value) {
  return to_json(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

json to_json(std::unique_ptr<Object> object) {
  return {{"object", reinterpret_cast<std::uintptr_t>(object.release())}};
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
