// What this version does not serve: names the construct, says what to do, and stops.
#include <cstring>

#include "abi/abi.h"

namespace einkorn::abi {

namespace {

// By the beginning of the symbol; the first match counts.
constexpr struct {
  const char* prefix;
  const char* construct;
} kConstructs[] = {
    {"acc_", "OpenACC"},
    {"GOACC_", "OpenACC"},
    {"GOMP_PLUGIN_", "an offloading plugin of libgomp"},
    {"__kmpc_atomic", "atomic operations of the Intel compilers"},
    {"kmp_threadprivate", "threadprivate variables of the Intel compilers"},
};

}  // namespace

void unsupported(const char* construct, const char* symbol) {
  fatal(
      "this program uses %s (%s), which this version of Einkorn does not serve. Run it without einkorn, on its own "
      "OpenMP library.",
      construct, symbol);
}

}  // namespace einkorn::abi

extern "C" [[noreturn]] void einkorn_unsupported_symbol(const char* symbol);
void einkorn_unsupported_symbol(const char* symbol) {
  for (const auto& c : einkorn::abi::kConstructs)
    if (!strncmp(symbol, c.prefix, strlen(c.prefix))) einkorn::abi::unsupported(c.construct, symbol);
  einkorn::abi::unsupported("a routine", symbol);
}
