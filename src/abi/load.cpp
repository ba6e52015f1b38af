// What happens when the library is loaded and when the process ends.
#include "abi/abi.h"
#include "record/stream.h"
#include "runtime/team/placed.h"
#include "runtime/observe/tool.h"
#include "runtime/task/helpers.h"
#include "runtime/team/worker.h"

namespace einkorn::abi {
void start_tool();  // ompt.cpp
}

namespace {

__attribute__((constructor(101))) void loaded() {
  einkorn::runtime::runtime_init();
  einkorn::abi::start_tool();
}

// Also after exit() inside a region: the other threads may still run, the recorder takes what is there.
__attribute__((destructor(101))) void unloaded() {
  einkorn::runtime::tool::finish();
  einkorn::runtime::write_stats();
  einkorn::runtime::end_helpers();
  einkorn::runtime::end_threads_at_exit();
  einkorn::record::finish();
}

}  // namespace
