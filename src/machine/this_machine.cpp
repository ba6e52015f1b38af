#include <cstdio>
#include <cstdlib>

#include "base/environment.h"
#include "base/printable.h"
#include "machine/load.h"

namespace einkorn::machine {

namespace {

const char* g_asked = nullptr;
bool g_told = false;  // g_asked counts, not the environment

const Machine* make() {
  auto* m = new Machine;
  const char* asked = g_told ? g_asked : environment("EINKORN_MACHINE");
  std::string why;
  if (asked && *asked) {
    if (load(asked, m, &why)) return m;
    fprintf(stderr, "einkorn: EINKORN_MACHINE is ignored, the program runs on this computer as it is: %s.\n",
            printable(why).c_str());
  }
  *m = load_real(process_cpus());
  return m;
}

}  // namespace

void ask_for(const char* asked) {
  g_asked = asked;
  g_told = true;
}

const Machine& this_machine() {
  static const Machine* const machine = make();  // never destroyed: threads may ask while the process ends
  return *machine;
}

}  // namespace einkorn::machine
