// Entry points that newer compilers call, asked for by name and version node as their programs do: the compilers of this machine need
// not know them.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include "check.h"

static inline void *named(const char *name, const char *node) {
  void *f = dlvsym(RTLD_DEFAULT, name, node);
  if (!f) {
    fprintf(stderr, "%s@%s is not there\n", name, node);
    exit(1);
  }
  return f;
}
