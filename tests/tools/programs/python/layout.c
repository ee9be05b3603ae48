/* Prints where one version of CPython keeps what the sampler of Python stacks reads, from that version's own headers:
 * a row of src/record/python/layouts.inc. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>

#include "internal/pycore_pystate.h"
#if PY_VERSION_HEX >= 0x03090000
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"
#endif
#if PY_VERSION_HEX >= 0x030B0000
#include "internal/pycore_frame.h"
#endif
#if PY_VERSION_HEX >= 0x030C0000
#include "internal/pycore_gil.h"
#endif

#define AT(type, member) ((long)offsetof(type, member))

static void print(const char* name, long value) { printf(", .%s = %ld", name, value); }

static void print_states(void) {
  print("interpreters_head", AT(_PyRuntimeState, interpreters.head));
  print("interpreter_next", AT(PyInterpreterState, next));
#if PY_VERSION_HEX >= 0x030B0000
  print("threads_head", AT(PyInterpreterState, threads.head));
#else
  print("threads_head", AT(PyInterpreterState, tstate_head));
#endif
  print("thread_next", AT(PyThreadState, next));
  print("thread_id", AT(PyThreadState, thread_id));
#if PY_VERSION_HEX >= 0x030B0000
  print("native_thread_id", AT(PyThreadState, native_thread_id));
  print("datastack_chunk", AT(PyThreadState, datastack_chunk));
#endif
#if PY_VERSION_HEX >= 0x030D0000
  print("frame", AT(PyThreadState, current_frame));
#elif PY_VERSION_HEX >= 0x030B0000
  print("cframe", AT(PyThreadState, cframe));
  print("frame", AT(_PyCFrame, current_frame));
#else
  print("frame", AT(PyThreadState, frame));
#endif
}

static void print_gil(void) {
#if PY_VERSION_HEX >= 0x030C0000
  print("gil_pointer", AT(PyInterpreterState, ceval.gil));
#else
  print("gil", AT(_PyRuntimeState, ceval.gil));
#endif
  print("gil_holder", AT(struct _gil_runtime_state, last_holder));
  print("gil_locked", AT(struct _gil_runtime_state, locked));
  print("gil_waits", AT(struct _gil_runtime_state, cond));
  print("gil_end", (long)sizeof(struct _gil_runtime_state));
}

static void print_frame(void) {
#if PY_VERSION_HEX >= 0x030D0000
  print("frame_code", AT(_PyInterpreterFrame, f_executable));
  print("frame_back", AT(_PyInterpreterFrame, previous));
  print("frame_at", AT(_PyInterpreterFrame, instr_ptr));
  print("frame_owner", AT(_PyInterpreterFrame, owner));
#elif PY_VERSION_HEX >= 0x030B0000
  print("frame_code", AT(_PyInterpreterFrame, f_code));
  print("frame_back", AT(_PyInterpreterFrame, previous));
  print("frame_at", AT(_PyInterpreterFrame, prev_instr));
  print("frame_owner", AT(_PyInterpreterFrame, owner));
#else
  print("frame_code", AT(PyFrameObject, f_code));
  print("frame_back", AT(PyFrameObject, f_back));
  print("frame_at", AT(PyFrameObject, f_lasti));
#endif
}

static void print_code(void) {
  print("code_file", AT(PyCodeObject, co_filename));
  print("code_name", AT(PyCodeObject, co_name));
  print("code_first_line", AT(PyCodeObject, co_firstlineno));
#if PY_VERSION_HEX >= 0x030B0000
  print("code_qualified_name", AT(PyCodeObject, co_qualname));
  print("code_lines", AT(PyCodeObject, co_linetable));
  print("code_instructions", AT(PyCodeObject, co_code_adaptive));
#elif PY_VERSION_HEX >= 0x030A0000
  print("code_lines", AT(PyCodeObject, co_linetable));
#else
  print("code_lines", AT(PyCodeObject, co_lnotab));
#endif
}

int main(void) {
  printf("SONDE_PYTHON_LAYOUT(.minor = %d", PY_MINOR_VERSION);
  print_states();
  print_gil();
  print_frame();
  print_code();
  print("text_state", AT(PyASCIIObject, state));
  print("text_ascii", (long)sizeof(PyASCIIObject));
  print("text_compact", (long)sizeof(PyCompactUnicodeObject));
  printf(")\n");
  return 0;
}
