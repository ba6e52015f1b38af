// Device queries (OpenMP 5.1, 3.7; identities: 6.0) for a process whose only device is the host, or libomptarget's.
#include <climits>
#include <cstring>

#include "abi/abi.h"
#include "abi/offloaded.h"
#include "runtime/settings/icv.h"
#include "runtime/task/target.h"

using namespace einkorn::abi;

EK_EXPORT int omp_get_num_devices() {
  EK_OFFLOADED(omp_get_num_devices);
  return 0;
}
EK_EXPORT int omp_get_initial_device() {
  EK_OFFLOADED(omp_get_initial_device);
  return 0;
}
EK_EXPORT int omp_get_device_num() {
  EK_OFFLOADED(omp_get_device_num);
  return 0;
}
EK_EXPORT int omp_is_initial_device() { return 1; }
EK_EXPORT int omp_get_default_device() {
  const int device = icv(self()).default_device;
  // OMP_TARGET_OFFLOAD=MANDATORY leaves no default device where the host is the only one (config.cpp). libomptarget,
  // which comes after the settings are read, has others: then the first is the default, as without the setting.
  if (EK_UNLIKELY(device == kInvalidDevice) && g_config.target_offload == TargetOffload::mandatory &&
      omp_get_num_devices() > 0)
    return 0;
  return device;
}
EK_EXPORT void omp_set_default_device(int device) {
  if (device == kDeviceDefault) return;
  change_icv(self(), [&](Icv& v) { v.default_device = device; });
}
EK_EXPORT int omp_get_num_devices_() { return omp_get_num_devices(); }
EK_EXPORT int omp_get_initial_device_() { return omp_get_initial_device(); }
EK_EXPORT int omp_get_device_num_() { return omp_get_device_num(); }
EK_EXPORT int omp_is_initial_device_() { return 1; }
EK_EXPORT int omp_get_default_device_() { return omp_get_default_device(); }
EK_EXPORT void omp_set_default_device_(const int* device) { omp_set_default_device(*device); }
EK_EXPORT void omp_set_default_device_8_(const int64_t* device) { omp_set_default_device(int(*device)); }

// Identities (OpenMP 6.0). The host's is the word of the library that the program was built for, and each is
// understood.
namespace {
constexpr char kHostOfLibgomp[] = "OMP_INITIAL_DEVICE", kHostOfLibomp[] = "HOST";

// What a character function of Fortran returns in libgomp.
void return_text(const char* text, const char** to, size_t* length) {
  *to = text;
  *length = text ? strlen(text) : 0;
}
}  // namespace

EK_EXPORT const char* omp_get_uid_from_device(int device) {
  EK_OFFLOADED(omp_get_uid_from_device, device);
  if (is_invalid_device(device) || !means_host(self(), device)) return nullptr;
  return g_config.for_libomp ? kHostOfLibomp : kHostOfLibgomp;
}
EK_EXPORT int omp_get_device_from_uid(const char* uid) {
  EK_OFFLOADED(omp_get_device_from_uid, uid);
  const bool host = uid && (!strcmp(uid, kHostOfLibgomp) || !strcmp(uid, kHostOfLibomp));
  return host ? kInitialDevice : invalid_device();
}
EK_EXPORT void omp_get_uid_from_device_(const char** uid, size_t* length, int device) {
  return_text(omp_get_uid_from_device(device), uid, length);
}
EK_EXPORT void omp_get_uid_from_device_8_(const char** uid, size_t* length, int64_t device) {
  return_text(omp_get_uid_from_device(int(device)), uid, length);
}
EK_EXPORT int omp_get_device_from_uid_(const char* uid, size_t length) {
  auto* text = static_cast<char*>(__builtin_alloca(length + 1));
  memcpy(text, uid, length);
  text[length] = 0;
  return omp_get_device_from_uid(text);
}
