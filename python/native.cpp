#include "python/native.hpp"

namespace macaw::python {

namespace py = pybind11;

void raise(const Error& error) {
  if (PyErr_Occurred()) throw py::error_already_set();
  const auto type = py::module_::import("macaw").attr("Error");
  auto value = type(to_string(error.code), error.to_string());
  PyErr_SetObject(type.ptr(), value.ptr());
  throw py::error_already_set();
}

}  // namespace macaw::python

PYBIND11_MODULE(_native, module) {
  macaw::python::define_tosa(module);
  macaw::python::define_sim(module);
  macaw::python::define_compare(module);
  macaw::python::define_tflite(module);
}
