// Identities of devices and filling their memory, as programs of gcc 15, gcc 16 and clang 22 ask for it (OpenMP 6.0).
// flags gcc: -ldl
// flags clang: -ldl
// peer gcc: libgomp 12 does not have it
// peer clang: libomp 19 does not have it
#define _GNU_SOURCE
#include "newer_names.h"

enum { kBytes = 64 };

static void identities(const char *node) {
  const char *(*uid_of)(int) = named("omp_get_uid_from_device", node);
  int (*device_of)(const char *) = named("omp_get_device_from_uid", node);
  const int host = omp_get_initial_device();
  const char *uid = uid_of(host);
  CHECK(uid && *uid);
  CHECK(uid_of(-1) == uid);  // omp_initial_device
  const int back = device_of(uid);
  CHECK(back == host || back == -1);
  CHECK(uid_of(host + 1) == NULL);
  CHECK(uid_of(-6) == NULL);
  CHECK(device_of(NULL) < -1);  // omp_invalid_device
  CHECK(device_of("no such device") < -1);
  CHECK(uid_of(device_of("no such device")) == NULL);
}

// gfortran 15 passes the device by value, and gets a pointer and a length.
static void identities_of_gfortran(void) {
  void (*uid_of)(const char **, size_t *, int) = named("omp_get_uid_from_device_", "GOMP_6.0");
  void (*uid_of_8)(const char **, size_t *, int64_t) = named("omp_get_uid_from_device_8_", "GOMP_6.0");
  int (*device_of)(const char *, size_t) = named("omp_get_device_from_uid_", "GOMP_6.0");
  const char *uid = NULL, *uid_8 = NULL, *none = "";
  size_t length = 0, length_8 = 0, nothing = 1;
  uid_of(&uid, &length, -1);
  uid_of_8(&uid_8, &length_8, omp_get_initial_device());
  uid_of(&none, &nothing, -6);
  CHECK(uid && strlen(uid) == length);
  CHECK(uid_8 == uid && length_8 == length);
  CHECK(none == NULL && nothing == 0);
  char padded[256];
  memset(padded, ' ', sizeof padded);
  memcpy(padded, uid, length);
  CHECK_EQUAL(device_of(padded, length), -1);
  CHECK(device_of(padded, length + 1) < -1);
}

static int wrong_bytes(const unsigned char *p, int value) {
  int wrong = 0;
  for (int i = 0; i < kBytes; ++i) wrong += p[i] != value;
  return wrong;
}

static void memory(void) {
  void *(*fill)(void *, int, size_t, int) = named("omp_target_memset", "GOMP_6.0.1");
  void *(*fill_later)(void *, int, size_t, int, int, void *) = named("omp_target_memset_async", "GOMP_6.0.1");
  unsigned char text[kBytes] = {0};
  const int host = omp_get_initial_device();
  CHECK(fill(text, 7, sizeof text, host) == text);
  CHECK_EQUAL(wrong_bytes(text, 7), 0);
  CHECK(fill(text, 8, 0, host) == text);
  CHECK_EQUAL(wrong_bytes(text, 7), 0);
#pragma omp parallel
#pragma omp single
  for (int round = 1; round <= 20; ++round) {
    CHECK(fill_later(text, round, sizeof text, -1, 0, NULL) == text);
#pragma omp taskwait
    CHECK_EQUAL(wrong_bytes(text, round), 0);
#ifndef __clang__  // whose depend objects are others
    // After the task that the object names.
    omp_depend_t written;
    int slow = 0;
#pragma omp depobj(written) depend(inout : slow)
#pragma omp task depend(out : slow) shared(slow, text)
    {
      nap_us(300);
      memset(text, 99, sizeof text);
      set_to(&slow, 1);
    }
    fill_later(text, 100 + round, sizeof text, host, 1, &written);
#pragma omp task depend(in : slow) shared(text)
    CHECK_EQUAL(wrong_bytes(text, 100 + round), 0);
#pragma omp taskwait
#pragma omp depobj(written) destroy
#endif
  }
}

int main(void) {
  identities("GOMP_6.0");
  identities("OMP_6.0");
  identities("VERSION");
  identities_of_gfortran();
  memory();
  return check_end();
}
