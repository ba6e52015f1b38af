// A tool that counts libomptarget's events and checks what they carry. Built with -DEMI for the emi forms.
#include <omp-tools.h>
#include <stdio.h>
#include <string.h>

static long targets[8][4], operations[8][4], bytes, submits[4], initialized, loaded, finalized, lost;

static void target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, const void *code) {
  ++targets[kind & 7][endpoint];
  if (!code) ++lost;
}
static void operation(ompt_scope_endpoint_t endpoint, ompt_target_data_op_t kind, size_t size) {
  ++operations[kind & 7][endpoint];
  if (endpoint != ompt_scope_end) bytes += (long)size;
}
#ifdef EMI
static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                      ompt_data_t *target_task, ompt_data_t *data, const void *code) {
  // The task's data is kept by the host's runtime: what the tool stores at the begin is there at the end.
  if (!task || !data) ++lost;
  else if (endpoint == ompt_scope_begin) task->value = data->value = 4711;
  else if (task->value != 4711 || data->value != 4711) ++lost;
  target(kind, endpoint, code);
}
static void on_operation(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task, ompt_data_t *data, ompt_id_t *id,
                         ompt_target_data_op_t kind, void *from, int from_device, void *to, int to_device, size_t size,
                         const void *code) {
  operation(endpoint, kind, size);
}
static void on_submit(ompt_scope_endpoint_t endpoint, ompt_data_t *data, ompt_id_t *id, unsigned teams) {
  ++submits[endpoint];
}
#else
static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task, ompt_id_t id,
                      const void *code) {
  if (!task) ++lost;
  target(kind, endpoint, code);
}
static void on_operation(ompt_id_t id, ompt_id_t host_id, ompt_target_data_op_t kind, void *from, int from_device,
                         void *to, int to_device, size_t size, const void *code) {
  operation(ompt_scope_beginend, kind, size);
}
static void on_submit(ompt_id_t id, ompt_id_t host_id, unsigned teams) { ++submits[0]; }
#endif
static void on_initialize(int number, const char *type, ompt_device_t *device, ompt_function_lookup_t lookup,
                          const char *documentation) {
  ++initialized;
}
static void on_load(int number, const char *file, int64_t offset, void *in_file, size_t size, void *host, void *device,
                    uint64_t id) {
  ++loaded;
}
static void on_finalize(int number) { ++finalized; }

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
#ifdef EMI
  set(ompt_callback_target_emi, (ompt_callback_t)on_target);
  set(ompt_callback_target_data_op_emi, (ompt_callback_t)on_operation);
  set(ompt_callback_target_submit_emi, (ompt_callback_t)on_submit);
#else
  set(ompt_callback_target, (ompt_callback_t)on_target);
  set(ompt_callback_target_data_op, (ompt_callback_t)on_operation);
  set(ompt_callback_target_submit, (ompt_callback_t)on_submit);
#endif
  set(ompt_callback_device_initialize, (ompt_callback_t)on_initialize);
  set(ompt_callback_device_load, (ompt_callback_t)on_load);
  set(ompt_callback_device_finalize, (ompt_callback_t)on_finalize);
  return 1;
}
static void end(ompt_data_t *data) {
  for (int kind = 0; kind < 8; ++kind)
    for (int endpoint = 0; endpoint < 4; ++endpoint) {
      if (targets[kind][endpoint]) printf("target %d %d: %ld\n", kind, endpoint, targets[kind][endpoint]);
      if (operations[kind][endpoint]) printf("operation %d %d: %ld\n", kind, endpoint, operations[kind][endpoint]);
    }
  printf("submit %ld %ld %ld, %ld bytes, devices %ld, images %ld, ended %ld, lost %ld\n", submits[0], submits[1],
         submits[2], bytes, initialized, loaded, finalized, lost);
}
static ompt_start_tool_result_t tool = {start, end, {0}};
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) { return &tool; }
