#include "runtime/task/target.h"

#include <cstring>

#include "runtime/settings/icv.h"
#include "runtime/task/capture.h"
#include "runtime/team/league.h"
#include "runtime/places/places.h"
#include "runtime/observe/tool.h"

namespace einkorn::runtime {

namespace {

int default_device(const Worker* w) { return icv(w).default_device; }

[[noreturn]] void invalid() {
  fatal(
      "omp_invalid_device encountered: a device clause, a device routine or the default device (OMP_DEFAULT_DEVICE, "
      "omp_set_default_device) names no device. Here is only the host: omp_get_initial_device()");
}

}  // namespace

bool is_invalid_device(int device) { return device == invalid_device(); }

void check_offload(Worker* w, int device) {
  if (EK_LIKELY(device == kDeviceHost)) return;
  if (device == kDeviceIcv || device == kDeviceDefault) {
    device = default_device(w);
    if (device == kInitialDevice) return;
  }
  if (EK_LIKELY(device == 0)) return;  // the host itself was asked for
  if (EK_UNLIKELY(g_config.target_offload == TargetOffload::mandatory))
    fatal_libgomp(
        "OMP_TARGET_OFFLOAD is set to MANDATORY, but only the host device is available: no device %d to run this target "
        "region. Set OMP_TARGET_OFFLOAD=default to let target regions run on the host, or link with a library that has "
        "devices",
        device);
  if (EK_UNLIKELY(device == kInvalidDevice)) invalid();
}

bool means_host(Worker* w, int device) {
  if (device == kDeviceDefault) device = default_device(w);
  if (EK_UNLIKELY(is_invalid_device(device))) invalid();
  return device == 0 || device == kInitialDevice;
}

void in_target_team(Worker* w, uint32_t icv, void (*fn)(void*), void* data) {
  InitialTeam t;
  initial_begin(w, &t, icv, 1, 0);
  w->slot->first_place = 0;
  w->slot->places = int16_t(first_partition());
  fn(data);
  initial_end(w, &t);
}

void target_region(Worker* w, void (*fn)(void*), void* data, int thread_limit) {
  refuse_if_captures(w, "a target region");
  if (EK_UNLIKELY(w->tool != nullptr)) tool::target_event(w, ompt_scope_begin);
  uint32_t variables = initial_icv();
  if (thread_limit > 0) {
    Icv limited = icv(variables);
    limited.thread_limit = thread_limit;
    variables = intern_icv(limited);
  }
  in_target_team(w, variables, fn, data);
  if (EK_UNLIKELY(w->tool != nullptr)) tool::target_event(w, ompt_scope_end);
}

bool copy_box(void* to, const void* from, const Box& box) {
  // Bytes between neighbours in the outermost dimension.
  size_t to_step = box.element, from_step = box.element, to_offset, from_offset, bytes;
  for (int i = 1; i < box.dims; ++i)
    if (__builtin_mul_overflow(to_step, box.to_dims[i], &to_step) ||
        __builtin_mul_overflow(from_step, box.from_dims[i], &from_step))
      return false;
  if (__builtin_mul_overflow(to_step, box.to_offsets[0], &to_offset) ||
      __builtin_mul_overflow(from_step, box.from_offsets[0], &from_offset))
    return false;
  char* t = static_cast<char*>(to) + to_offset;
  const char* f = static_cast<const char*>(from) + from_offset;
  if (box.dims == 1) {
    if (__builtin_mul_overflow(box.element, box.volume[0], &bytes)) return false;
    memcpy(t, f, bytes);
    return true;
  }
  Box inner{box.element,          box.dims - 1,    box.volume + 1,   box.to_offsets + 1,
            box.from_offsets + 1, box.to_dims + 1, box.from_dims + 1};
  for (size_t i = 0; i < box.volume[0]; ++i)
    if (!copy_box(t + i * to_step, f + i * from_step, inner)) return false;
  return true;
}

}  // namespace einkorn::runtime
