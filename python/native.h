/* C interface of libmacaw_python.so, which macaw/_native.py calls through ctypes. It uses no header of Python, so that one library
   serves every CPython.

   Arguments and results are JSON in ASCII. Three kinds of values are encoded in it:
   - bytes (names, paths): a text whose characters are the bytes, 0 to 255;
   - floating-point numbers: a text, since JSON has neither infinity nor NaN;
   - arrays, C-order: [address, type, shape, name, size] in arguments, where the type is that of numpy's array interface and the
     size counts bytes, or [code, null, reason, name] for what numpy could not make an array of; [address, type, shape, name,
     owner] in results, valid until macaw_py_free(owner);
   - files in arguments: [address, size]. */
#ifndef MACAW_PYTHON_NATIVE_H
#define MACAW_PYTHON_NATIVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MACAW_PY_API __attribute__((visibility("default")))

/** Functions of Python's stable C interface with the same names. */
typedef struct macaw_py_interpreter {
  void* (*save_thread)(void);
  void (*restore_thread)(void*);
  int (*check_signals)(void);
} macaw_py_interpreter;

/** Called once, before anything else. */
MACAW_PY_API void macaw_py_initialize(const macaw_py_interpreter* interpreter);

/** A function of the caller that a run calls, with the JSON of its arguments. It answers by macaw_py_reply(); without an
    answer, the run ends. */
typedef void (*macaw_py_callback)(void* call, const char* json);

/** Calls the function {"function": NAME, "object": ADDRESS, ...}. The caller holds the interpreter's lock, which is
    released while a network runs. `callback` may be null. The JSON that is returned is valid until the thread's next call;
    {"error": CODE, "message": BYTES} reports an error. Null: an exception was raised in Python. */
MACAW_PY_API const char* macaw_py_call(const char* json, macaw_py_callback callback);

/** Answers the callback of `call`, before it returns. */
MACAW_PY_API void macaw_py_reply(void* call, const char* json);

/** Frees an object, or the memory of an array. */
MACAW_PY_API void macaw_py_free(void* owner);

#ifdef __cplusplus
}
#endif

#endif
