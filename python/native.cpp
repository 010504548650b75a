#include "python/native.hpp"

#include <new>
#include <stdexcept>

namespace macaw::python {
namespace {

macaw_py_interpreter interpreter;

const Functions& all_functions() {
  static const Functions functions = [] {
    Functions all;
    add_tosa(all);
    add_graphs(all);
    add_sim(all);
    add_compare(all);
    add_tflite(all);
    add_sessions(all);
    add_accuracy(all);
    return all;
  }();
  return functions;
}

/// The arguments of a call. The last ones of the thread are kept, since a network is often run again with equal ones.
std::shared_ptr<const json> parse_call(const char* text) {
  static thread_local std::string last;
  static thread_local std::shared_ptr<const json> parsed;
  if (!parsed || last != text) {
    parsed = nullptr;
    last = text;
    parsed = std::make_shared<const json>(json::parse(text));
  }
  return parsed;
}

/// The result as text. Null where an exception waits in Python.
std::optional<std::string> run_call(const char* text, const std::uint64_t* addresses, void* callback) {
  Call call(callback);
  try {
    const auto values = parse_call(text);
    const Arguments arguments(*values, addresses);
    return call.send(all_functions().at(arguments["function"].get_ref<const std::string&>())(arguments, call));
  } catch (const RaisedInPython&) {
    return std::nullopt;
  } catch (const Failure& failure) {
    return call.fail(to_string(failure.error.code), failure.error.to_string());
  } catch (const std::bad_alloc&) {
    return call.fail("memory", "no memory");
  } catch (const std::exception& error) {
    return call.fail("internal", error.what());
  }
}

}  // namespace

Unlocked::Unlocked() : outer_(innermost_), thread_(interpreter.save_thread()) { innermost_ = this; }

Unlocked::~Unlocked() {
  innermost_ = outer_;
  interpreter.restore_thread(thread_);
}

bool Unlocked::call_locked(void* callable, Call* call, const std::string& text) {
  auto& thread = innermost_->thread_;
  interpreter.restore_thread(thread);
  void* result = interpreter.call_function(callable, "Ky", reinterpret_cast<std::uintptr_t>(call), text.c_str());
  if (result != nullptr) interpreter.decrease_reference(result);
  thread = interpreter.save_thread();
  return result != nullptr;
}

bool Unlocked::has_signal_raised() {
  interpreter.restore_thread(thread_);
  const bool raised = interpreter.check_signals() != 0;
  thread_ = interpreter.save_thread();
  return raised;
}

std::string Call::fail(const char* code, std::string_view message) {
  free_given();
  return send({{"error", code}, {"message", text_of(message)}});
}

void Call::ask(const json& question, const std::function<void(const Arguments&)>& take) {
  take_ = &take;
  is_answered_ = false;
  thrown_ = nullptr;
  if (!Unlocked::call_locked(callback_, this, send(question))) throw RaisedInPython();
  if (thrown_) std::rethrow_exception(thrown_);
  if (!is_answered_) throw std::logic_error("the callback has not answered");
}

void Call::reply(const char* text, const std::uint64_t* addresses) {
  is_answered_ = true;
  try {
    const auto values = json::parse(text);
    (*take_)(Arguments(values, addresses));
  } catch (...) {
    thrown_ = std::current_exception();
  }
}

}  // namespace macaw::python

using namespace macaw::python;

void macaw_py_initialize(const macaw_py_interpreter* functions) { interpreter = *functions; }

const char* macaw_py_call(const char* text, const std::uint64_t* addresses, void* callback) {
  static thread_local std::string returned;
  try {
    auto result = run_call(text, addresses, callback);
    if (!result) return nullptr;
    returned = std::move(*result);
    return returned.c_str();
  } catch (const std::bad_alloc&) {
    return "\n{\"error\": \"memory\", \"message\": \"no memory\"}";
  }
}

void macaw_py_reply(void* call, const char* text, const std::uint64_t* addresses) {
  static_cast<Call*>(call)->reply(text, addresses);
}

void macaw_py_free(void* owner) { delete static_cast<Object*>(owner); }
