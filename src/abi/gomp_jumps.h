// How GOMP_task() and what it jumps to hand its ten arguments on: by jumps, as they came, without a frame where the
// compiler can be made to. For gomp_task.cpp alone.
#pragma once
#include "abi/abi.h"
#include "runtime/task/gomp_body.h"

using Fn = einkorn::runtime::Gomp::Fn;
using CopyFn = einkorn::runtime::Gomp::CopyFn;

// EK_ALL_ARGUMENTS: of what GOMP_task() goes on with. (EK_JUMPED_TO, and under a name that assembly knows.)
#if EK_TAIL_JUMPS
#define EK_ALL_ARGUMENTS extern "C" __attribute__((visibility("hidden")))
// The last three arguments, which lie on the stack, stay where the caller has put them, and are not loaded: so neither
// GOMP_task() nor what it jumps to names those that it does not read. noipa: else the compiler would change what it is
// passed.
extern "C" void einkorn_gomp_task_slow_path_7(Fn, void*, CopyFn, long, long, bool,
                                              unsigned) __asm__("einkorn_gomp_task_slow_path")
    __attribute__((visibility("hidden")));
extern "C" void einkorn_gomp_task_slow_path_8(Fn, void*, CopyFn, long, long, bool, unsigned,
                                              void**) __asm__("einkorn_gomp_task_slow_path")
    __attribute__((visibility("hidden")));
extern "C" void einkorn_gomp_task_depend_7(Fn, void*, CopyFn, long, long, bool,
                                           unsigned) __asm__("einkorn_gomp_task_depend")
    __attribute__((visibility("hidden")));
#define EK_TASK_PARAMETERS Fn fn, void *data, CopyFn copy, long size, long align, bool if_clause, unsigned flags
#define EK_TASK_ARGUMENTS fn, data, copy, size, align, if_clause, flags
#define EK_FRAMELESS __attribute__((noipa))
#define EK_SLOW_PATH einkorn_gomp_task_slow_path_7
#define EK_DEPEND einkorn_gomp_task_depend_7
#define EK_DEPEND_PARAMETERS EK_TASK_PARAMETERS, void** depend
#define EK_DEPEND_SLOW_PATH einkorn_gomp_task_slow_path_8(EK_TASK_ARGUMENTS, depend)
#else
#define EK_ALL_ARGUMENTS EK_JUMPED_TO static
#define EK_TASK_PARAMETERS                                                                                            \
  Fn fn, void *data, CopyFn copy, long size, long align, bool if_clause, unsigned flags, void **depend, int priority, \
      void *detach
#define EK_TASK_ARGUMENTS fn, data, copy, size, align, if_clause, flags, depend, priority, detach
#define EK_FRAMELESS EK_JUMPED_TO
#define EK_SLOW_PATH einkorn_gomp_task_slow_path
#define EK_DEPEND einkorn_gomp_task_depend
#define EK_DEPEND_PARAMETERS EK_TASK_PARAMETERS
#define EK_DEPEND_SLOW_PATH EK_SLOW_PATH(EK_TASK_ARGUMENTS)
#endif
