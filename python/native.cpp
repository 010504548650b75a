#include "python/native.hpp"

#include <new>

namespace macaw::python {
namespace {

macaw_py_interpreter interpreter;

const Functions& all_functions() {
  static const Functions functions = [] {
    Functions all;
    add_tosa(all);
    add_sim(all);
    add_compare(all);
    add_tflite(all);
    add_sessions(all);
    add_accuracy(all);
    return all;
  }();
  return functions;
}

json error_of(const char* code, std::string_view message) { return {{"error", code}, {"message", text_of(message)}}; }

/// Null where an exception waits in Python.
json run_call(const char* text, Call& call) {
  try {
    const Arguments arguments(json::parse(text));
    const auto name = arguments.get<std::string>("function");
    return all_functions().at(name)(arguments, call);
  } catch (const RaisedInPython&) {
    return nullptr;
  } catch (const Failure& failure) {
    return error_of(to_string(failure.error.code), failure.error.to_string());
  } catch (const std::bad_alloc&) {
    return error_of("memory", "no memory");
  } catch (const std::exception& error) {
    return error_of("internal", error.what());
  }
}

}  // namespace

Unlocked::Unlocked() : thread_(interpreter.save_thread()) {}
Unlocked::~Unlocked() { interpreter.restore_thread(thread_); }

bool Unlocked::has_signal_raised() {
  interpreter.restore_thread(thread_);
  const bool raised = interpreter.check_signals() != 0;
  thread_ = interpreter.save_thread();
  return raised;
}

void Call::ask(const json& question, const std::function<void(const Arguments&)>& take) {
  take_ = &take;
  is_answered_ = false;
  thrown_ = nullptr;
  callback_(this, question.dump(-1, ' ', true).c_str());
  if (thrown_) std::rethrow_exception(thrown_);
  if (!is_answered_) throw RaisedInPython();
}

void Call::reply(const char* text) {
  is_answered_ = true;
  try {
    (*take_)(Arguments(json::parse(text)));
  } catch (...) {
    thrown_ = std::current_exception();
  }
}

}  // namespace macaw::python

using namespace macaw::python;

void macaw_py_initialize(const macaw_py_interpreter* functions) { interpreter = *functions; }

const char* macaw_py_call(const char* text, macaw_py_callback callback) {
  static thread_local std::string returned;
  Call call(callback);
  try {
    const auto result = run_call(text, call);
    if (result.is_null()) return nullptr;
    returned = result.dump(-1, ' ', true);
    return returned.c_str();
  } catch (const std::bad_alloc&) {
    return R"({"error": "memory", "message": "no memory"})";
  }
}

void macaw_py_reply(void* call, const char* text) { static_cast<Call*>(call)->reply(text); }

void macaw_py_free(void* owner) { delete static_cast<Object*>(owner); }
