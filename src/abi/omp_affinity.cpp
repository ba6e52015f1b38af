// Places and where threads are: OpenMP 5.1, 3.3. In C, for Fortran (name_, name_8_ with 8-byte integers), and for C
// under the names that LLVM's omp.h gives what Fortran overloads (ompc_).
#include <cstring>

#include "abi/abi.h"
#include "runtime/settings/icv.h"
#include "runtime/places/places.h"
#include "runtime/team/worker.h"

using namespace einkorn::abi;

namespace {

// Without binding LLVM's library has one place, with all CPUs of the process, and libgomp has none.
bool has_one_for_all() { return g_places.count == 0 && g_config.for_libomp; }
int places() { return has_one_for_all() ? 1 : g_places.count; }
const einkorn::base::CpuSet& set_of(int64_t place) { return has_one_for_all() ? g_initial_cpus : g_places.sets[place]; }

int place_procs(int64_t place) { return place >= 0 && place < places() ? set_of(place).count() : 0; }

template <class Int>
void proc_ids(int64_t place, Int* ids) {
  if (place < 0 || place >= places()) return;
  const auto& set = set_of(place);
  for (int cpu = set.next(0); cpu >= 0; cpu = set.next(cpu + 1)) *ids++ = cpu;
}

int partition_size() { return g_places.count > 0 ? self()->slot->places : places(); }

template <class Int>
void partition_places(Int* nums) {
  const int first = g_places.count > 0 ? self()->slot->first_place : 0;
  for (int i = 0, n = partition_size(); i < n; ++i) nums[i] = first + i;
}

// A Fortran string has a length and no end.
struct FortranText {
  char text[4096];
  FortranText(const char* s, size_t length) {
    if (length >= sizeof text) length = sizeof text - 1;
    memcpy(text, s, length);
    text[length] = 0;
  }
};

size_t copy_format(char* to, size_t size) {
  const char* format = affinity_format();
  size_t n = strlen(format);
  if (size > 0) {
    size_t m = n < size ? n : size - 1;
    memcpy(to, format, m);
    to[m] = 0;
  }
  return n;
}

}  // namespace

EK_EXPORT int omp_get_proc_bind() { return int(icv(self()).proc_bind); }
EK_EXPORT int omp_get_proc_bind_() { return omp_get_proc_bind(); }
EK_EXPORT int omp_get_num_places() { return places(); }
EK_EXPORT int omp_get_num_places_() { return places(); }
EK_EXPORT int omp_get_place_num() { return g_places.count > 0 ? self()->place : places() - 1; }
EK_EXPORT int omp_get_place_num_() { return omp_get_place_num(); }
EK_EXPORT int omp_get_place_num_procs(int place) { return place_procs(place); }
EK_EXPORT int omp_get_place_num_procs_(const int* place) { return place_procs(*place); }
EK_EXPORT int omp_get_place_num_procs_8_(const int64_t* place) { return place_procs(*place); }
EK_EXPORT void omp_get_place_proc_ids(int place, int* ids) { proc_ids(place, ids); }
EK_EXPORT void omp_get_place_proc_ids_(const int* place, int* ids) { proc_ids(*place, ids); }
EK_EXPORT void omp_get_place_proc_ids_8_(const int64_t* place, int64_t* ids) { proc_ids(*place, ids); }
EK_EXPORT int omp_get_partition_num_places() { return partition_size(); }
EK_EXPORT int omp_get_partition_num_places_() { return partition_size(); }
EK_EXPORT void omp_get_partition_place_nums(int* nums) { partition_places(nums); }
EK_EXPORT void omp_get_partition_place_nums_(int* nums) { partition_places(nums); }
EK_EXPORT void omp_get_partition_place_nums_8_(int64_t* nums) { partition_places(nums); }

EK_EXPORT void omp_set_affinity_format(const char* format) { set_affinity_format(format, strlen(format)); }
EK_EXPORT void ompc_set_affinity_format(const char* format) { omp_set_affinity_format(format); }
EK_EXPORT void omp_set_affinity_format_(const char* format, size_t length) { set_affinity_format(format, length); }

EK_EXPORT size_t omp_get_affinity_format(char* to, size_t size) { return copy_format(to, size); }
EK_EXPORT size_t ompc_get_affinity_format(char* to, size_t size) { return copy_format(to, size); }
EK_EXPORT int omp_get_affinity_format_(char* to, size_t size) {
  const char* format = affinity_format();
  size_t n = strlen(format);
  memset(to, ' ', size);
  memcpy(to, format, n < size ? n : size);
  return int(n);
}

EK_EXPORT void omp_display_affinity(const char* format) { display_affinity(self(), format, false); }
EK_EXPORT void ompc_display_affinity(const char* format) { display_affinity(self(), format, true); }
EK_EXPORT void omp_display_affinity_(const char* format, size_t length) {
  display_affinity(self(), FortranText(format, length).text, false);
}

EK_EXPORT size_t omp_capture_affinity(char* to, size_t size, const char* format) {
  return affinity_text(self(), format, to, size);
}
EK_EXPORT size_t ompc_capture_affinity(char* to, size_t size, const char* format) {
  return affinity_text(self(), format, to, size);
}
EK_EXPORT int omp_capture_affinity_(char* to, const char* format, size_t size, size_t length) {
  char text[4096];
  size_t n = affinity_text(self(), FortranText(format, length).text, text, sizeof text);
  size_t have = n < sizeof text - 1 ? n : sizeof text - 1;
  memset(to, ' ', size);
  memcpy(to, text, have < size ? have : size);
  return int(n);
}
