#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <macaw/error.hpp>
#include <macaw/input_fit.hpp>
#include <macaw/interruption.hpp>
#include <macaw/npu/artifact.hpp>
#include <macaw/tensor.hpp>
#include <macaw/tosa/graph.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

// The native half of the Python package; macaw/*.py says what users see.

namespace macaw::python {

/// The value of a Result, or the Python exception macaw.Error with the error's code and place, or what a signal raised.
[[noreturn]] void raise(const Error& error);
template <class T>
T unwrap(Result<T> result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Returns the result of `work`. Other Python threads continue meanwhile, and Ctrl-C aborts it.
template <class Work>
auto without_gil(const Work& work) {
  const Interruption by_signal([] {
    const pybind11::gil_scoped_acquire python;
    return PyErr_CheckSignals() != 0;
  });
  const pybind11::gil_scoped_release others_may_run;
  return work();
}

/// Names as Python has them; bytes that are no UTF-8 are surrogates, as in its names of files.
[[nodiscard]] pybind11::str text_of(const std::string& name);
/// For people: replacement characters in their place.
[[nodiscard]] pybind11::str shown(const std::string& text);
/// text_of() the other way round; TypeError if the key of a dictionary is not such text.
[[nodiscard]] std::string name_of(pybind11::handle key);

/// Whatever numpy makes an array of; macaw.Error (mismatch) that names it if numpy cannot.
[[nodiscard]] pybind11::array as_array(pybind11::handle object, const std::string& name);

/// A copy of an array of any layout, as numpy describes it; `name` is used in messages.
[[nodiscard]] Result<NpyArray> contents_of(const pybind11::array& array, const std::string& name);
/// A copy of an array for an input.
[[nodiscard]] Tensor input_of(pybind11::handle array, const InputPort& port, InputFit fit);
/// A new array: bf16 as uint16, types of 8 and fewer bits that numpy has not as uint8, int4 as int8, int48 and shapes
/// as int64.
[[nodiscard]] pybind11::array to_array(const Tensor& tensor);

[[nodiscard]] inline std::span<const std::byte> bytes_of(const pybind11::bytes& bytes) {
  const std::string_view view = bytes;
  return {reinterpret_cast<const std::byte*>(view.data()), view.size()};
}

/// Name and shape of each port; a shape that may be any is None.
[[nodiscard]] pybind11::list shapes_of(const std::vector<InputPort>& ports);
/// Inputs in the order of the ports, from a list in that order or a dictionary by name.
[[nodiscard]] std::vector<Tensor> inputs_of(const std::vector<InputPort>& ports, const pybind11::object& given,
                                            InputFit fit);
/// A compiled network from its bytes or its path; `method` as for load_artifact().
[[nodiscard]] npu::Artifact artifact_of(const pybind11::object& source, const std::string& method);

void define_tosa(pybind11::module_& module);
void define_sim(pybind11::module_& module);
void define_compare(pybind11::module_& module);
void define_accuracy(pybind11::module_& module);
void define_tflite(pybind11::module_& module);
void define_sessions(pybind11::module_& module);

}  // namespace macaw::python
