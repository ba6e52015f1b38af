// Device memory routines (OpenMP 5.1, 3.8; memset: 6.0) for a process whose only device is the host, or
// libomptarget's.
#include <cerrno>
#include <climits>
#include <cstring>

#include "abi/abi.h"
#include "abi/offloaded.h"
#include "runtime/task/target.h"

using namespace einkorn::abi;

EK_EXPORT void GOMP_task(void (*fn)(void*), void* data, void (*copy)(void*, void*), long size, long align,
                         bool if_clause, unsigned flags, void** depend, int priority, void* detach);

namespace {

// A task that waits for gcc's depend objects (each two words) without a construct of the program's.
void task_after(void (*run)(void*), void* data, size_t size, int count, void* depobjs) {
  auto** depend = static_cast<void**>(__builtin_alloca(sizeof(void*) * size_t(5 + (count > 0 ? count : 0))));
  // The long form of GOMP_task's list: 0, how many, of these out, mutexinoutset, in; the rest are depend objects.
  depend[0] = depend[2] = depend[3] = depend[4] = nullptr;
  depend[1] = reinterpret_cast<void*>(uintptr_t(count > 0 ? count : 0));
  for (int i = 0; i < count; ++i) depend[5 + i] = static_cast<void**>(depobjs) + 2 * i;
  constexpr unsigned kTaskDepend = 1 << 3;
  GOMP_task(run, data, nullptr, long(size), alignof(void*), true, count > 0 ? kTaskDepend : 0, depend, 0, nullptr);
}

bool is_host(int device) { return means_host(self(), device); }

}  // namespace

EK_EXPORT void* omp_target_alloc(size_t size, int device) {
  EK_OFFLOADED(omp_target_alloc, size, device);
  return is_host(device) ? malloc(size) : nullptr;
}
EK_EXPORT void omp_target_free(void* p, int device) {
  EK_OFFLOADED(omp_target_free, p, device);
  if (is_host(device)) free(p);
}
EK_EXPORT int omp_target_is_present(const void* p, int device) {
  EK_OFFLOADED(omp_target_is_present, p, device);
  return p && is_host(device);
}
EK_EXPORT int omp_target_is_accessible(const void* p, size_t size, int device) {
  EK_OFFLOADED(omp_target_is_accessible, p, size, device);
  return p && size > 0 && is_host(device);
}
EK_EXPORT void* omp_get_mapped_ptr(const void* p, int device) {
  EK_OFFLOADED(omp_get_mapped_ptr, p, device);
  return is_host(device) ? const_cast<void*>(p) : nullptr;
}
// There is nothing to associate with: the host's memory is its own.
EK_EXPORT int omp_target_associate_ptr(const void* host, const void* there_, size_t size, size_t offset, int device) {
  EK_OFFLOADED(omp_target_associate_ptr, host, there_, size, offset, device);
  return EINVAL;
}
EK_EXPORT int omp_target_disassociate_ptr(const void* p, int device) {
  EK_OFFLOADED(omp_target_disassociate_ptr, p, device);
  return EINVAL;
}

EK_EXPORT void* omp_target_memset(void* to, int value, size_t size, int device) {
  EK_OFFLOADED(omp_target_memset, to, value, size, device);
  if (is_host(device)) memset(to, value, size);
  return to;
}
EK_EXPORT int omp_target_memcpy(void* to, const void* from, size_t size, size_t to_offset, size_t from_offset,
                                int to_device, int from_device) {
  EK_OFFLOADED(omp_target_memcpy, to, from, size, to_offset, from_offset, to_device, from_device);
  if (!is_host(to_device) || !is_host(from_device)) return EINVAL;
  memcpy(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, size);
  return 0;
}
EK_EXPORT int omp_target_memcpy_rect(void* to, const void* from, size_t element, int dims, const size_t* volume,
                                     const size_t* to_offsets, const size_t* from_offsets, const size_t* to_dims,
                                     const size_t* from_dims, int to_device, int from_device) {
  EK_OFFLOADED(omp_target_memcpy_rect, to, from, element, dims, volume, to_offsets, from_offsets, to_dims, from_dims,
               to_device, from_device);
  if (!to && !from) return INT_MAX;  // asks for the number of dimensions that are served
  if (!is_host(to_device) || !is_host(from_device) || dims < 1) return EINVAL;
  Box box{element, dims, volume, to_offsets, from_offsets, to_dims, from_dims};
  return copy_box(to, from, box) ? 0 : EINVAL;
}

EK_EXPORT void* omp_target_memset_async(void* to, int value, size_t size, int device, int count, void* depobjs) {
  EK_OFFLOADED(omp_target_memset_async, to, value, size, device, count, depobjs);
  if (!is_host(device)) return to;
  struct Fill {
    void* to;
    int value;
    size_t size;
  } fill{to, value, size};
  auto run = [](void* data) {
    auto* f = static_cast<Fill*>(data);
    memset(f->to, f->value, f->size);
  };
  task_after(run, &fill, sizeof fill, count, depobjs);
  return to;
}
// The copies are tasks, done when the objects that they depend on are ready.
EK_EXPORT int omp_target_memcpy_async(void* to, const void* from, size_t size, size_t to_offset, size_t from_offset,
                                      int to_device, int from_device, int count, void* depobjs) {
  EK_OFFLOADED(omp_target_memcpy_async, to, from, size, to_offset, from_offset, to_device, from_device, count, depobjs);
  if (!is_host(to_device) || !is_host(from_device)) return EINVAL;
  struct Copy {
    char* to;
    const char* from;
    size_t size;
  } copy{static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, size};
  auto run = [](void* data) {
    auto* c = static_cast<Copy*>(data);
    memcpy(c->to, c->from, c->size);
  };
  task_after(run, &copy, sizeof copy, count, depobjs);
  return 0;
}
EK_EXPORT int omp_target_memcpy_rect_async(void* to, const void* from, size_t element, int dims, const size_t* volume,
                                           const size_t* to_offsets, const size_t* from_offsets, const size_t* to_dims,
                                           const size_t* from_dims, int to_device, int from_device, int count,
                                           void* depobjs) {
  EK_OFFLOADED(omp_target_memcpy_rect_async, to, from, element, dims, volume, to_offsets, from_offsets, to_dims,
               from_dims, to_device, from_device, count, depobjs);
  if (!to && !from) return INT_MAX;
  if (!is_host(to_device) || !is_host(from_device) || dims < 1) return EINVAL;
  // The five lists are the caller's: the task has them in its own memory.
  struct Copy {
    void* to;
    const void* from;
    size_t element;
    int dims;
    size_t lists[];
  };
  size_t list = size_t(dims) * sizeof(size_t), size = sizeof(Copy) + 5 * list;
  auto* copy = static_cast<Copy*>(__builtin_alloca(size));
  copy->to = to, copy->from = from, copy->element = element, copy->dims = dims;
  const size_t* lists[] = {volume, to_offsets, from_offsets, to_dims, from_dims};
  for (int i = 0; i < 5; ++i) memcpy(copy->lists + i * dims, lists[i], list);
  auto run = [](void* data) {
    auto* c = static_cast<Copy*>(data);
    const size_t* l = c->lists;
    copy_box(c->to, c->from,
             Box{c->element, c->dims, l, l + c->dims, l + 2 * c->dims, l + 3 * c->dims, l + 4 * c->dims});
  };
  task_after(run, copy, size, count, depobjs);
  return 0;
}
