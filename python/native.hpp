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

class Call;

/// Releases the interpreter's lock while it lives.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  /// Runs the signal handlers of Python that are due. True if one raised an exception.
  [[nodiscard]] bool has_signal_raised();
  /// Calls a callable of Python within the latest one of this thread. False if it raised an exception.
  [[nodiscard]] static bool call_locked(void* callable, Call* call, const std::string& text);

 private:
  inline static thread_local Unlocked* innermost_ = nullptr;
  Unlocked* outer_;
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
  GivenArray(const json& value, const std::uint64_t* addresses);
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const std::string& type() const { return type_; }
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
  /// `values` must live longer.
  Arguments(const json& values, const std::uint64_t* addresses) : values_(values), addresses_(addresses) {}
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
  [[nodiscard]] std::vector<GivenArray> arrays(const char* key) const { return arrays(values_.at(key)); }
  [[nodiscard]] std::vector<GivenArray> arrays(const json& list) const;
  [[nodiscard]] const std::uint64_t* addresses() const { return addresses_; }
  /// "reshape" and "reinterpret".
  [[nodiscard]] InputFit fit() const;
  /// A compiled network from "artifact" or "artifact_file", and its "method".
  [[nodiscard]] npu::Artifact artifact() const;

 private:
  const json& values_;
  const std::uint64_t* addresses_;
};

/// The base of everything that macaw_py_free() frees.
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

/// Name and shape of each port; a shape that may be any is null.
[[nodiscard]] json to_json(const std::vector<InputPort>& ports);

/// A copy of an array for an input.
[[nodiscard]] Tensor input_of(const GivenArray& array, const InputPort& port, InputFit fit);
/// Inputs in the order of the ports: "inputs" in that order, or named if "by_name".
[[nodiscard]] std::vector<Tensor> inputs_of(const std::vector<InputPort>& ports, const Arguments& arguments);

/// Writes tensors to the arrays "outputs" of the caller. False if there are none, or if they have other types and
/// shapes.
[[nodiscard]] bool fill_outputs(const Arguments& arguments, const std::vector<Tensor>& tensors);

/// A call of the caller. Arrays that give() describes are the caller's when the result or a question has been sent.
class Call {
 public:
  explicit Call(void* callback) : callback_(callback) {}
  ~Call() { free_given(); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// bf16 is uint16, types of 8 and fewer bits that numpy does not have are uint8, int4 is int8, int48 and shapes are
  /// int64.
  [[nodiscard]] json give(Tensor tensor, std::string_view name = {});
  [[nodiscard]] json give(std::vector<Tensor> tensors);
  [[nodiscard]] json give(std::map<std::string, Tensor> tensors);
  /// Bytes as an array.
  [[nodiscard]] json give(std::string bytes);
  /// A JSON document as an array.
  [[nodiscard]] json give_document(const json& value);
  /// The result of a function that creates an object.
  [[nodiscard]] static json give(std::unique_ptr<Object> object);
  /// A result as text, with the table of what was given.
  [[nodiscard]] std::string send(const json& result);

  /// The result for an error; what was given is freed.
  [[nodiscard]] std::string fail(const char* code, std::string_view message);

  /// Calls the caller's callback and passes its answer to `take`. Throws what `take` throws, or RaisedInPython.
  void ask(const json& question, const std::function<void(const Arguments&)>& take);
  void reply(const char* text, const std::uint64_t* addresses);

 private:
  [[nodiscard]] json give(std::span<const std::byte> bytes, std::string_view type, const Shape& shape,
                          std::string_view name, std::unique_ptr<Object> owner);
  void free_given();

  void* callback_;
  std::vector<std::pair<const void*, Object*>> given_;
  const std::function<void(const Arguments&)>* take_ = nullptr;
  bool is_answered_ = false;
  std::exception_ptr thrown_;
};

using Function = json (*)(const Arguments&, Call&);
using Functions = std::map<std::string_view, Function>;

void add_tosa(Functions& functions);
void add_graphs(Functions& functions);
void add_sim(Functions& functions);
void add_compare(Functions& functions);
void add_accuracy(Functions& functions);
void add_tflite(Functions& functions);
void add_sessions(Functions& functions);

}  // namespace macaw::python
