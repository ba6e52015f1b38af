// OMPT's target events of programs whose devices libomptarget has. It asks here for the callbacks that the tool has
// registered, keeps them, and calls them itself. As in LLVM 19.
#include <cstring>

#include "abi/abi.h"
#include "runtime/observe/tool.h"
#include "runtime/team/worker.h"

using namespace einkorn::abi;
namespace tool = einkorn::runtime::tool;

namespace {

int registered_callback(ompt_callbacks_t event, ompt_callback_t* f) {
  ompt_callback_t registered = tool::get_callback(event);
  if (!registered) return 0;
  *f = registered;
  return 1;
}

// libomptarget passes these pointers to the tool. nullptr: the tool has ended.
tool::TaskData* current_task() {
  Worker* w = self();
  return w->tool ? tool::task_at(w, 0) : nullptr;
}
ompt_data_t* host_task_data() {
  tool::TaskData* t = current_task();
  return t ? &t->data : nullptr;
}
ompt_data_t* target_task_data() {
  tool::TaskData* t = current_task();
  return t ? &t->target : nullptr;
}

struct TargetEvent {
  const char* name;
  ompt_callbacks_t number;
};
#define EK_EVENT(name) {#name, name}
constexpr TargetEvent kTargetEvents[] = {
    EK_EVENT(ompt_callback_target),
    EK_EVENT(ompt_callback_target_emi),
    EK_EVENT(ompt_callback_target_data_op),
    EK_EVENT(ompt_callback_target_data_op_emi),
    EK_EVENT(ompt_callback_target_submit),
    EK_EVENT(ompt_callback_target_submit_emi),
    EK_EVENT(ompt_callback_target_map),
    EK_EVENT(ompt_callback_target_map_emi),
    EK_EVENT(ompt_callback_device_initialize),
    EK_EVENT(ompt_callback_device_finalize),
    EK_EVENT(ompt_callback_device_load),
    EK_EVENT(ompt_callback_device_unload),
};
#undef EK_EVENT

ompt_interface_fn_t lookup_of_library(const char* name) {
  if (!strcmp(name, "ompt_get_callback")) return reinterpret_cast<ompt_interface_fn_t>(registered_callback);
  if (!strcmp(name, "ompt_get_task_data")) return reinterpret_cast<ompt_interface_fn_t>(host_task_data);
  if (!strcmp(name, "ompt_get_target_task_data")) return reinterpret_cast<ompt_interface_fn_t>(target_task_data);
  for (const TargetEvent& e : kTargetEvents)
    if (!strcmp(name, e.name)) return reinterpret_cast<ompt_interface_fn_t>(tool::get_callback(e.number));
  return nullptr;
}

}  // namespace

// libomptarget calls this function when it is loaded. Our constructor has started the tool before: libomptarget
// depends on this library.
EK_EXPORT void ompt_libomp_connect(ompt_start_tool_result_t* library) {
  if (!library || !tool::active()) return;
  library->initialize(lookup_of_library, 0, nullptr);
  tool::connect(library);
}
