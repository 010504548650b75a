#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cstring>

#include <macaw/npy.hpp>

#include "python/native.hpp"

namespace macaw::python {

namespace py = pybind11;

namespace {

const char* numpy_type(DType dtype) {
  switch (dtype) {
    case DType::kBF16: return "<u2";
    case DType::kFP8E4M3: return "|u1";
    default: return info(dtype).npy.data();
  }
}

py::str decoded(const std::string& text, const char* errors) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), errors));
}

}  // namespace

py::str text_of(const std::string& name) { return decoded(name, "surrogateescape"); }

py::str shown(const std::string& text) { return decoded(text, "replace"); }

std::string name_of(py::handle key) {
  if (!py::isinstance<py::str>(key))
    throw py::type_error(fmt::format("names must be text, not {}", Py_TYPE(key.ptr())->tp_name));
  const auto bytes = py::reinterpret_steal<py::bytes>(PyUnicode_AsEncodedString(key.ptr(), "utf-8", "surrogateescape"));
  if (bytes) return bytes;
  PyErr_Clear();
  throw py::type_error("names must be text that can be written in UTF-8");
}

py::array as_array(py::handle object, const std::string& name) {
  auto array = py::array::ensure(object);
  if (!array) raise({ErrorCode::kMismatch, name + " is not an array", {}});
  return array;
}

Result<NpyArray> contents_of(const py::array& array, const std::string& name) {
  const py::array rows = py::array::ensure(array, py::array::c_style);
  if (!rows) return fail(ErrorCode::kUnsupported, name + ": no memory for a copy of the array");
  NpyArray contents{
      py::cast<std::string>(rows.dtype().attr("str")), Shape(rows.shape(), rows.shape() + rows.ndim()), {}};
  contents.bytes.resize(static_cast<std::size_t>(rows.nbytes()));
  if (!contents.bytes.empty()) std::memcpy(contents.bytes.data(), rows.data(), contents.bytes.size());
  return contents;
}

Tensor input_of(py::handle array, const InputPort& port, InputFit fit) {
  const auto name = "input \"" + port.name + "\"";
  return unwrap(fit_input(unwrap(contents_of(as_array(array, name), name)), port, fit, name));
}

py::list shapes_of(const std::vector<InputPort>& ports) {
  py::list list;
  for (const auto& port : ports)
    list.append(
        py::make_tuple(text_of(port.name), port.shape ? py::object(py::tuple(py::cast(*port.shape))) : py::none()));
  return list;
}

std::vector<Tensor> inputs_of(const std::vector<InputPort>& ports, const py::object& given, InputFit fit) {
  std::vector<py::object> arrays;
  if (py::isinstance<py::dict>(given)) {
    const auto by_name = py::cast<py::dict>(given);
    for (const auto& entry : by_name) (void)name_of(entry.first);
    for (const auto& port : ports) {
      const auto name = text_of(port.name);
      if (!by_name.contains(name))
        raise({ErrorCode::kMismatch, fmt::format("input \"{}\" is not given", port.name), {}});
      arrays.push_back(by_name[name]);
    }
    if (by_name.size() != ports.size())
      raise({ErrorCode::kMismatch, fmt::format("{} inputs are given, there are {}", by_name.size(), ports.size()), {}});
  } else {
    for (const auto& array : py::cast<py::sequence>(given)) arrays.push_back(py::reinterpret_borrow<py::object>(array));
    if (arrays.size() != ports.size())
      raise({ErrorCode::kMismatch, fmt::format("{} inputs are given, there are {}", arrays.size(), ports.size()), {}});
  }
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < arrays.size(); ++i) tensors.push_back(input_of(arrays[i], ports[i], fit));
  return tensors;
}

py::array to_array(const Tensor& tensor) {
  const auto filled = [&](const Shape& shape, std::span<const std::byte> bytes) {
    py::array array(py::dtype(numpy_type(tensor.dtype())), shape);
    if (!bytes.empty()) std::memcpy(array.mutable_data(), bytes.data(), bytes.size());
    return array;
  };
  if (!is_block_scale(tensor.dtype())) return filled(tensor.shape(), tensor.bytes());
  const auto rows = to_npy(tensor);
  return filled(rows.shape, rows.bytes);
}

}  // namespace macaw::python
