#include <cstring>

#include "schedule/types.h"

namespace einkorn::schedule {

namespace {
constexpr Schedule kPresets[] = {
    {"ws", "work stealing: own queue last-in first-out, then the oldest tasks of a random victim", Places::core, Order::lifo,
     When::created, Defer::always, Push::local, Select::random, Take::quarter, Wait::descendants},
    {"ws-adaptive", "the same, but fine tasks run at once while nobody looks for work and enough of them are queued",
     Places::core, Order::lifo, When::created, Defer::adaptive, Push::local, Select::random, Take::quarter, Wait::descendants},
};
}

const Schedule* presets(int* count) {
  *count = int(sizeof kPresets / sizeof kPresets[0]);
  return kPresets;
}

const Schedule* find_preset(const char* name) {
  for (const Schedule& s : kPresets)
    if (!strcmp(s.name, name)) return &s;
  return nullptr;
}

}  // namespace einkorn::schedule
