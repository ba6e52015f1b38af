// Interoperability objects (OpenMP 5.1, 3.12). They stand for a foreign runtime on a device: without LLVM's
// libomptarget there is none, so that all are omp_interop_none.
#include <cstring>
#include <dlfcn.h>

#include "abi/abi.h"
#include "runtime/task/target.h"

using namespace einkorn::abi;

namespace {

enum Rc { kSuccess = 0, kEmpty = -1, kOutOfRange = -2, kTypeInt = -3, kTypePtr = -4, kTypeStr = -5, kNoValue = 1 };
constexpr int kFirstProperty = -9;  // omp_ipr_first

// -1 fr_id ... -9 targetsync.
constexpr const char* kNames[] = {"fr_id",    "fr_name", "vendor",         "vendor_name", "device_num",
                                  "platform", "device",  "device_context", "targetsync"};

bool known(int property) { return property <= -1 && property >= kFirstProperty; }

// In libraries after ours; not in libgomp or libomp, which one would find there only by mistake.
template <class F>
F* next(const char* name, F*) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

void no_object(int property, int* rc) {
  if (rc) *rc = known(property) ? kEmpty : kOutOfRange;
}

}  // namespace

#define EK_NEXT(name, ...) \
  if (auto* there = next(#name, &name)) return there(__VA_ARGS__)

EK_EXPORT int omp_get_num_interop_properties(const void* object) {
  EK_NEXT(omp_get_num_interop_properties, object);
  return 0;  // beyond those that OpenMP defines
}
EK_EXPORT intptr_t omp_get_interop_int(const void* object, int property, int* rc) {
  EK_NEXT(omp_get_interop_int, object, property, rc);
  no_object(property, rc);
  return 0;
}
EK_EXPORT void* omp_get_interop_ptr(const void* object, int property, int* rc) {
  EK_NEXT(omp_get_interop_ptr, object, property, rc);
  no_object(property, rc);
  return nullptr;
}
EK_EXPORT const char* omp_get_interop_str(const void* object, int property, int* rc) {
  EK_NEXT(omp_get_interop_str, object, property, rc);
  no_object(property, rc);
  return nullptr;
}
EK_EXPORT const char* omp_get_interop_name(const void* object, int property) {
  EK_NEXT(omp_get_interop_name, object, property);
  return known(property) ? kNames[-1 - property] : nullptr;
}
EK_EXPORT const char* omp_get_interop_type_desc(const void* object, int property) {
  EK_NEXT(omp_get_interop_type_desc, object, property);
  return nullptr;  // omp_interop_none has no properties
}
EK_EXPORT const char* omp_get_interop_rc_desc(const void* object, int rc) {
  EK_NEXT(omp_get_interop_rc_desc, object, rc);
  switch (rc) {
    case kNoValue: return "the property has no value for this object";
    case kSuccess: return "no error";
    // In libgomp's words, which programs' own tests look for.
    case kEmpty: return "provided interoperability object is equal to omp_interop_none";
    case kOutOfRange: return "property ID is out of range";
    case kTypeInt: return "the property is an integer: use omp_get_interop_int";
    case kTypePtr: return "the property is a pointer: use omp_get_interop_ptr";
    case kTypeStr: return "the property is a string: use omp_get_interop_str";
    default: return nullptr;
  }
}

// gcc 15's directive: init and destroy name variables, whose new value is omp_interop_none. libgomp 15: target.c.
EK_EXPORT void GOMP_taskwait_depend(void** depend);
EK_EXPORT void GOMP_interop(int device, int inits, void*** init, const int*, const char**, int, void**, int destroys,
                            void*** destroy, unsigned, void** depend) {
  if (inits > 0) means_host(self(), device);
  for (int i = 0; i < destroys; ++i) *destroy[i] = nullptr;
  for (int i = 0; i < inits; ++i) *init[i] = nullptr;
  if (depend) GOMP_taskwait_depend(depend);
}

// gfortran's character functions. LLVM's Fortran routines of the same names follow: exports.txt has which node gets
// which.
#define EK_GFORTRAN_TEXT(name, arguments, call) \
  EK_EXPORT void name arguments {               \
    *text = call;                               \
    *length = *text ? strlen(*text) : 0;        \
  }
EK_GFORTRAN_TEXT(omp_get_interop_str_, (const char** text, size_t* length, const void* object, int property, int* rc),
                 omp_get_interop_str(object, property, rc))
EK_GFORTRAN_TEXT(omp_get_interop_name_, (const char** text, size_t* length, const void* object, int property),
                 omp_get_interop_name(object, property))
EK_GFORTRAN_TEXT(omp_get_interop_type_desc_, (const char** text, size_t* length, const void* object, int property),
                 omp_get_interop_type_desc(object, property))
EK_GFORTRAN_TEXT(omp_get_interop_rc_desc_, (const char** text, size_t* length, const void* object, int rc),
                 omp_get_interop_rc_desc(object, rc))

// LLVM's Fortran: the object and what is asked for by reference.
EK_EXPORT int omp_get_num_interop_properties_(void* const* object) { return omp_get_num_interop_properties(*object); }
EK_EXPORT intptr_t omp_get_interop_int_(void* const* object, const int* property, int* rc) {
  return omp_get_interop_int(*object, *property, rc);
}
EK_EXPORT void* omp_get_interop_ptr_(void* const* object, const int* property, int* rc) {
  return omp_get_interop_ptr(*object, *property, rc);
}
EK_EXPORT const char* einkorn_llvm_interop_str(void* const* object, const int* property, int* rc) {
  return omp_get_interop_str(*object, *property, rc);
}
EK_EXPORT const char* einkorn_llvm_interop_name(void* const* object, const int* property) {
  return omp_get_interop_name(*object, *property);
}
EK_EXPORT const char* einkorn_llvm_interop_type_desc(void* const* object, const int* property) {
  return omp_get_interop_type_desc(*object, *property);
}
EK_EXPORT const char* einkorn_llvm_interop_rc_desc(void* const* object, const int* rc) {
  return omp_get_interop_rc_desc(*object, *rc);
}
