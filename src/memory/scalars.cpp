#include "memory/scalars.h"

#include <pthread.h>

#include <unordered_set>

namespace einkorn::memory {

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
// Never destroyed: the program may free its variables after us.
std::unordered_set<void*>* g_scalars = nullptr;

}  // namespace

void note_scalar(void* p) {
  pthread_mutex_lock(&g_lock);
  if (!g_scalars) g_scalars = new std::unordered_set<void*>;
  g_scalars->insert(p);
  pthread_mutex_unlock(&g_lock);
}

bool take_scalar(void* p) {
  pthread_mutex_lock(&g_lock);
  const bool noted = g_scalars && g_scalars->erase(p) != 0;
  pthread_mutex_unlock(&g_lock);
  return noted;
}

void scalars_reset_lock() { pthread_mutex_init(&g_lock, nullptr); }

}  // namespace einkorn::memory
