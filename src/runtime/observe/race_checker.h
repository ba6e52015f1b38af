// Programs in which a tool looks for races: ThreadSanitizer is in the process, or a tool asks for events of tasks.
#pragma once
#include "runtime/observe/tool.h"

namespace einkorn::runtime::tool {

// Was the program built with -fsanitize=thread? Our own hooks for accesses (src/accesses) do not count.
bool has_thread_sanitizer();

// ThreadSanitizer does not know what OpenMP orders. Archer is the tool that tells it, and LLVM's runtime loads it by
// itself. This is its dlopen() handle; nullptr: Archer is not installed, or the program is privileged.
void* open_archer();
inline constexpr const char* kArcher = "libarcher.so";

// A race between two tasks can be seen only where different threads run them, and the default schedule lets one thread
// run the small ones. From here on tasks are handed out (the preset `deferred`), unless the user has chosen a schedule.
// Called while the library is loaded, before there is a second thread.
void hand_out_tasks();

}  // namespace einkorn::runtime::tool
