// What LLVM's libomptarget asks of the runtime beside it, apart from tasks. LLVM 19: kmp_csupport.cpp, kmp_tasking.cpp.
#include "abi/kmpc.h"

using namespace einkorn::abi;

// libomptarget asks when it is loaded, which clang's -fopenmp-targets and PyOMP do also where no device is used.
EK_EXPORT int __kmpc_get_target_offload() { return int(g_config.target_offload); }

// A target task that waits for its device could go back to the queue between looks, if we let it keep a handle. It
// waits on its thread instead, which libomptarget does when it is told that there is no queue to go back to.
EK_EXPORT bool __kmpc_omp_has_task_team(int32_t) { return false; }
EK_EXPORT void** __kmpc_omp_get_target_async_handle_ptr(int32_t) { return nullptr; }
