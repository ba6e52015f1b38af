// The error directive at execution: GOMP_error, GOMP_warning, __kmpc_error. OpenMP 5.1, 2.5.4.
#include <algorithm>
#include <cstring>

#include "abi/kmpc.h"
#include "base/printable.h"
#include "runtime/observe/tool.h"

using namespace einkorn::abi;

namespace {

// In libgomp's words, which programs' own tests look for. Text of gcc comes with its length, ~0 for a C string; or
// nullptr.
void tell(bool fatal, const char* text, size_t length, const void* ra) {
  if (EK_LIKELY(!tool::active()) || !self()->tool) return;
  tool::error(fatal, text ? text : "", text ? length : 0, ra);
}

// A message of the program's, which may hold what somebody else has given it, for a terminal. Its first 4,000 bytes.
struct Shown {
  char text[4001];
  Shown(const char* from, size_t length) {
    length = std::min(length, sizeof text - 1);
    memcpy(text, from ? from : "", length);
    text[einkorn::make_printable(text, length, true)] = 0;
  }
};

void say(const char* kind, const char* text, size_t length, bool fatal, const void* ra) {
  if (text && length == ~size_t(0)) length = strlen(text);
  tell(fatal, text, length, ra);
  if (!text) length = 0;
  fprintf(stderr, "\nlibgomp: %serror directive encountered%s%s\n", kind, text ? ": " : "", Shown(text, length).text);
}

}  // namespace

EK_EXPORT void GOMP_warning(const char* text, size_t length) { say("", text, length, false, EK_CALLER); }
EK_EXPORT void GOMP_error(const char* text, size_t length) {
  say("fatal error: ", text, length, true, EK_CALLER);
  exit(EXIT_FAILURE);  // as from a call in the program: what it has printed is not lost
}

// In the words of LLVM's library. psource is ";file;function;line;column;;". severity: 1 warning, 2 fatal.
EK_EXPORT void __kmpc_error(const Ident* loc, int severity, const char* text) {
  char where[320] = "";
  char file[256], function[128];
  int line, column;
  if (const char* source = source_of(loc);
      source && sscanf(source, ";%255[^;];%127[^;];%d;%d", file, function, &line, &column) == 4)
    snprintf(where, sizeof where, "%s:%d:%d: ", file, line, column);
  bool fatal = severity == 2;
  fprintf(stderr, "OMP: %s: %sEncountered user-directed %s: %s.\n", fatal ? "Error #282" : "Warning #283", where,
          fatal ? "error" : "warning", Shown(text, text ? strlen(text) : 0).text);
  tell(fatal, text, text ? strlen(text) : 0, EK_CALLER);
  if (fatal) exit(EXIT_FAILURE);
}
