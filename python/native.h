/* C interface of libmacaw_python.so, which macaw/_library.py calls through ctypes. It uses no header of Python, so that one library
   serves every CPython.

   Arguments and results are JSON in ASCII. Memory is passed by address, in tables beside the JSON, so that calls on other arrays
   of the same types and shapes have the same JSON. Some values are encoded in it:
   - bytes (names, paths): a text whose characters are the bytes, 0 to 255;
   - floating-point numbers: a text, since JSON has neither infinity nor NaN;
   - arrays, C-order: [index, type, shape, name, size] in arguments, where the index is that of the table, the type that of numpy's
     array interface and the size counts bytes, or [code, null, reason, name] for what numpy could not make an array of;
     [index, type, shape, name, size] in results;
   - files in arguments: [index, size].
   A run of a network may be given arrays for its outputs: if they have the right types and shapes, it fills them and its result is
   an empty object.
   A result has its table in front: numbers, each followed by a space, and a line feed, then the JSON. Each array of it has two
   numbers: its address, and the owner of its memory, which is valid until macaw_py_free(owner). */
#ifndef MACAW_PYTHON_NATIVE_H
#define MACAW_PYTHON_NATIVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Functions of Python's stable C interface. */
typedef struct macaw_py_interpreter {
  void* (*save_thread)(void);                                     /**< PyEval_SaveThread */
  void (*restore_thread)(void*);                                  /**< PyEval_RestoreThread */
  int (*check_signals)(void);                                     /**< PyErr_CheckSignals */
  void* (*call_function)(void* callable, const char* format, ...); /**< PyObject_CallFunction */
  void (*decrease_reference)(void*);                              /**< Py_DecRef */
} macaw_py_interpreter;

/** Called once, before anything else. */
void macaw_py_initialize(const macaw_py_interpreter* interpreter);

/** Calls the function {"function": NAME, "object": ADDRESS, ...} on the memory of the table `addresses`. The caller holds the
    interpreter's lock, which is released while a network runs. `callback` is null or a callable of Python: a run calls it with the address of the call and arguments in the form of
    a result, and it answers by macaw_py_reply(). The result is valid until the thread's next call;
    {"error": CODE, "message": BYTES} reports an error. Null: an exception was raised in Python. */
const char* macaw_py_call(const char* json, const uint64_t* addresses, void* callback);

/** The answer of a callback, before it returns. */
void macaw_py_reply(void* call, const char* json, const uint64_t* addresses);

/** Frees an object, or the memory of an array. */
void macaw_py_free(void* owner);

#ifdef __cplusplus
}
#endif

#endif
