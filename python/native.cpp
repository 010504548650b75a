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

namespace {

bool is_in_main_interpreter() { return PyInterpreterState_Get() == PyInterpreterState_Main(); }

/// Not bound by pybind11, whose calls hang in another interpreter.
PyObject* in_main_interpreter(PyObject*, PyObject*) { return PyBool_FromLong(is_in_main_interpreter() ? 1 : 0); }

PyMethodDef methods[] = {{"in_main_interpreter", in_main_interpreter, METH_NOARGS, nullptr}, {}};
PyModuleDef definition;

}  // namespace

// Expansion of PYBIND11_MODULE, behind the question for the interpreter, since pybind11's first step already hangs in
// any but the main one.
PYBIND11_PLUGIN_IMPL(_native) {
  if (!is_in_main_interpreter()) {
    PyErr_SetString(PyExc_ImportError, "macaw runs in Python's main interpreter only, not in a subinterpreter");
    return nullptr;
  }
  PYBIND11_CHECK_PYTHON_VERSION
  PYBIND11_ENSURE_INTERNALS_READY
  auto module = pybind11::module_::create_extension_module("_native", nullptr, &definition);
  try {
    if (PyModule_AddFunctions(module.ptr(), methods) != 0) throw pybind11::error_already_set();
    macaw::python::define_tosa(module);
    macaw::python::define_sim(module);
    macaw::python::define_compare(module);
    macaw::python::define_tflite(module);
    macaw::python::define_sessions(module);
    macaw::python::define_accuracy(module);
    return module.ptr();
  }
  PYBIND11_CATCH_INIT_EXCEPTIONS
}
