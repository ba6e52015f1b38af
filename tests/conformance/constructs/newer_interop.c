// The interop directive of gcc 15 (GOMP_interop), and the routines under its version node: without a device an object is none.
// flags gcc: -ldl
// flags clang: -ldl
// peer gcc: libgomp 12 does not have it
// peer clang: libomp 19 does not have it
#define _GNU_SOURCE
#include "newer_names.h"

static const char kNode[] = "GOMP_5.1.3";
typedef void Interop(int device, int inits, void ***init, const int *targetsync, const char **prefer, int uses, void **use, int destroys,
                     void ***destroy, unsigned flags, void **depend);

static void routines(void) {
  int (*count)(void *) = named("omp_get_num_interop_properties", kNode);
  intptr_t (*integer)(void *, int, int *) = named("omp_get_interop_int", kNode);
  void *(*pointer)(void *, int, int *) = named("omp_get_interop_ptr", kNode);
  const char *(*text)(void *, int, int *) = named("omp_get_interop_str", kNode);
  const char *(*name)(void *, int) = named("omp_get_interop_name", kNode);
  const char *(*rc_text)(void *, int) = named("omp_get_interop_rc_desc", kNode);
  int rc = 1234;
  CHECK_EQUAL(count(NULL), 0);
  CHECK_EQUAL(integer(NULL, -1, &rc), 0);
  CHECK_EQUAL(rc, -1);  // omp_irc_empty
  CHECK(pointer(NULL, -7, &rc) == NULL && text(NULL, -2, NULL) == NULL);
  CHECK_EQUAL(integer(NULL, 5, &rc), 0);
  CHECK_EQUAL(rc, -2);  // omp_irc_out_of_range
  CHECK(strcmp(name(NULL, -2), "fr_name") == 0);
  CHECK(strcmp(rc_text(NULL, -1), "provided interoperability object is equal to omp_interop_none") == 0);
  CHECK(strcmp(rc_text(NULL, -2), "property ID is out of range") == 0);
  CHECK(rc_text(NULL, 0) && !rc_text(NULL, -6) && !rc_text(NULL, -99));
  const char *(*type)(void *, int) = named("omp_get_interop_type_desc", kNode);
  CHECK(type(NULL, -1) == NULL && type(NULL, -9) == NULL);
  // gfortran's: a pointer and a length come back.
  void (*name_f)(const char **, size_t *, void *, int) = named("omp_get_interop_name_", kNode);
  void (*text_f)(const char **, size_t *, void *, int, int *) = named("omp_get_interop_str_", kNode);
  const char *got = NULL;
  size_t length = 0;
  name_f(&got, &length, NULL, -2);
  CHECK(length == strlen("fr_name") && got && !memcmp(got, "fr_name", length));
  text_f(&got, &length, NULL, -2, &rc);
  CHECK(got == NULL && length == 0);
  CHECK_EQUAL(rc, -1);
  // LLVM's of the same name: by reference, and the text comes back.
  const char *(*name_l)(void **, const int *) = named("omp_get_interop_name_", "VERSION");
  void *none = NULL;
  const int vendor = -3;
  CHECK(strcmp(name_l(&none, &vendor), "vendor") == 0);
}

static void directive(void) {
  Interop *interop = (Interop *)named("GOMP_interop", kNode);
  void *objects[2] = {(void *)1, (void *)2};
  void **variables[2] = {&objects[0], &objects[1]};
  const int targetsync[2] = {0, 1};
  const int host = omp_get_initial_device();
  interop(host, 2, variables, targetsync, NULL, 0, NULL, 0, NULL, 0, NULL);
  CHECK(objects[0] == NULL && objects[1] == NULL);
  interop(host, 0, NULL, NULL, NULL, 2, objects, 0, NULL, 0, NULL);
  objects[0] = (void *)1;
  interop(host, 0, NULL, NULL, NULL, 0, NULL, 1, variables, 0, NULL);
  CHECK(objects[0] == NULL);
#ifndef __clang__  // whose tasks have other dependences
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 20; ++round) {
    int x = 0;
#pragma omp task depend(out : x) shared(x)
    {
      nap_us(300);
      set_to(&x, 1);
    }
    void *depend[] = {(void *)1, (void *)1, &x};  // one address, inout
    interop(host, 0, NULL, NULL, NULL, 1, objects, 0, NULL, 0, depend);
    CHECK_EQUAL(value_of(&x), 1);
  }
#endif
}

int main(void) {
  routines();
  directive();
  return check_end();
}
