#pragma once
#include <macaw/error.hpp>
#include <macaw/input_fit.hpp>
#include <macaw/interruption.hpp>
#include <macaw/npu/artifact.hpp>
#include <macaw/tensor.hpp>
#include <macaw/tosa/graph.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "python/native.h"

// The native half of the Python package, behind the C interface of native.h; macaw/*.py says what users see.

namespace macaw::python {

using nlohmann::json;

/// An Error on its way to the caller of macaw_py_call().
struct Failure {
  Error error;
};
/// Thrown where an exception waits in Python.
struct RaisedInPython {};

/// The value of a Result; its error is thrown as a Failure.
template <class T>
T unwrap(Result<T> result) {
  if (!result) throw Failure{result.error()};
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Releases the interpreter's lock while it lives.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  /// Runs the signal handlers of Python that are due. True if one raised an exception.
  [[nodiscard]] bool has_signal_raised();

 private:
  void* thread_;
};

/// Returns the result of `work`. Other Python threads continue meanwhile, and Ctrl-C aborts it.
template <class Work>
auto run_unlocked(const Work& work) {
  bool raised = false;
  auto result = [&] {
    Unlocked unlocked;
    const Interruption by_signal([&] { return raised = unlocked.has_signal_raised(); });
    return work();
  }();
  if (raised) throw RaisedInPython();
  return result;
}

/// Bytes as the text of JSON whose characters they are, and the other way round.
[[nodiscard]] std::string text_of(std::string_view bytes);
[[nodiscard]] std::string bytes_of(const json& text);
/// A floating-point number as the text that Python reads.
[[nodiscard]] std::string text_of(double number);

/// An array of the caller.
class GivenArray {
 public:
  explicit GivenArray(const json& value);
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  /// A copy. kMismatch or kUnsupported if numpy could not make an array of what was given. `place` is used in messages.
  [[nodiscard]] Result<NpyArray> contents(const std::string& place) const;
  /// A copy of the part at an index of the first axis, which the shape has.
  [[nodiscard]] NpyArray part(std::size_t index) const;

 private:
  std::string name_, type_;
  Shape shape_;
  std::span<const std::byte> bytes_;
  std::optional<Error> error_;
};

/// Arguments of a call, or of the answer of a callback.
class Arguments {
 public:
  explicit Arguments(json values) : values_(std::move(values)) {}
  [[nodiscard]] const json& operator[](const char* key) const { return values_.at(key); }
  [[nodiscard]] bool has(const char* key) const { return values_.contains(key); }
  [[nodiscard]] std::string bytes(const char* key) const { return bytes_of(values_.at(key)); }
  [[nodiscard]] std::vector<std::string> bytes_list(const char* key) const;
  [[nodiscard]] double number(const char* key) const;
  /// A list of [name, number].
  [[nodiscard]] std::map<std::string, double> numbers(const char* key) const;
  template <class T>
  [[nodiscard]] T get(const char* key) const {
    return values_.at(key).get<T>();
  }
  /// The contents of a file.
  [[nodiscard]] std::span<const std::byte> contents(const char* key) const;
  [[nodiscard]] std::vector<GivenArray> arrays(const char* key) const;
  /// "reshape" and "reinterpret".
  [[nodiscard]] InputFit fit() const;
  /// A compiled network from "artifact" or "artifact_file", and its "method".
  [[nodiscard]] npu::Artifact artifact() const;

 private:
  json values_;
};

/// What macaw_py_free() frees.
class Object {
 public:
  virtual ~Object() = default;
};

/// A network or session of the caller.
template <class T>
T& object_of(const Arguments& arguments) {
  auto* object = reinterpret_cast<Object*>(arguments.get<std::uintptr_t>("object"));
  return dynamic_cast<T&>(*object);
}

/// An array for the caller, which then owns its memory: bf16 is uint16, types of 8 and fewer bits that numpy does not
/// have are uint8, int4 is int8, int48 and shapes are int64.
[[nodiscard]] json to_json(Tensor tensor, std::string_view name = {});
[[nodiscard]] json to_json(std::vector<Tensor> tensors);
[[nodiscard]] json to_json(std::map<std::string, Tensor> tensors);
/// Bytes for the caller as an array.
[[nodiscard]] json to_json(std::string bytes);
/// Name and shape of each port; a shape that may be any is null.
[[nodiscard]] json to_json(const std::vector<InputPort>& ports);
/// A JSON document for the caller, as bytes.
[[nodiscard]] json document_of(const json& value);
/// The result of a function that creates an object.
[[nodiscard]] json to_json(std::unique_ptr<Object> object);

/// A copy of an array for an input.
[[nodiscard]] Tensor input_of(const GivenArray& array, const InputPort& port, InputFit fit);
/// Inputs in the order of the ports: "inputs" in that order, or named if "by_name".
[[nodiscard]] std::vector<Tensor> inputs_of(const std::vector<InputPort>& ports, const Arguments& arguments);

/// A call of the caller, for the functions that call back.
class Call {
 public:
  explicit Call(macaw_py_callback callback) : callback_(callback) {}
  /// Calls the caller's callback and passes its answer to `take`. Throws what `take` throws, or RaisedInPython.
  void ask(const json& question, const std::function<void(const Arguments&)>& take);
  void reply(const char* text);

 private:
  macaw_py_callback callback_;
  const std::function<void(const Arguments&)>* take_ = nullptr;
  bool is_answered_ = false;
  std::exception_ptr thrown_;
};

using Function = json (*)(const Arguments&, Call&);
using Functions = std::map<std::string_view, Function>;

void add_tosa(Functions& functions);
void add_sim(Functions& functions);
void add_compare(Functions& functions);
void add_accuracy(Functions& functions);
void add_tflite(Functions& functions);
void add_sessions(Functions& functions);

}  // namespace macaw::python
