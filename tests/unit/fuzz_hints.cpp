// Damaged hints files: no crash and no hang; each line that is not read is named, in a message that a terminal can
// show; what was read is the same when it is written and read again.
//
//   fuzz_hints [--iterations N] [--seconds S] [--seed N]     the same inputs for the same seed
#include <cstdio>
#include <cstdlib>

#include "fuzz_text.h"
#include "hints/text.h"

namespace {

using namespace einkorn::hints;

const char* const kFiles[] = {
    "einkorn-hints 1\nobject fib 3f0c6e\n# was 2 s\ntask fib.c:21 at 0x11b5 cutoff=9\nloop sum.c:8 at 0x1243,0x1301 "
    "schedule=dynamic,64\nregion sum.c:7 at 0x1200-0x1280 threads=2\nobject libx.so.1 00\ntaskloop f%28int%29 grain=100 bold\nallocation sum.c:5 at 0x1100 place=fine\nvariable x.1 at 0x40-0x90 place=blocked\n",
    "einkorn-hints 1\nset OMP_PROC_BIND=close\nobject a b\nset EINKORN_SCHEDULE=ws\n", "einkorn-hints 2\n",
    "einkorn-hints 1\nobject a 00\ntask a.c:1 cutoff=1\ntask a.c:1 at 0x1 cutoff=1\ntask a.c:1 at 0x0-0x9 cutoff=2\n",
    ""};
const char* const kPieces[] = {"\n",
                               "\r\n",
                               " ",
                               "\t",
                               "#",
                               "%",
                               "%0",
                               "%00",
                               "=",
                               ",",
                               "-",
                               "0x",
                               "at",
                               " at 0x10 ",
                               "object ",
                               "object x ",
                               "task ",
                               "loop ",
                               "region ",
                               "taskloop ",
                               "allocation ",
                               "set ",
                               "OMP_PLACES=",
                               "place=",
                               "blocked",
                               "cutoff=",
                               "grain=",
                               "threads=",
                               "chunk=",
                               "schedule=",
                               "static",
                               "dynamic",
                               "guided,",
                               "bold",
                               "a.c:1",
                               "-1",
                               "4294967296",
                               "\xff",
                               "\x1b[31m",
                               "einkorn-hints",
                               "0xffffffffffffffff",
                               "99999999999999999999"};

[[noreturn]] void wrong(const char* what, const std::string& input, const std::string& more) {
  fprintf(stderr, "fuzz_hints: %s: %s\ninput:\n%s\n", what, more.c_str(), input.c_str());
  abort();
}

void try_file(const std::string& text) {
  File file, again;
  std::vector<Complaint> complaints, none;
  const bool good = parse(text, file, complaints);
  for (const Complaint& c : complaints) {
    if (c.line < 1 || c.what.empty() || c.what.size() > 300) wrong("no complaint", text, c.what);
    for (const char byte : c.what)
      if (byte < ' ' || byte == 0x7f) wrong("a message that is not for a terminal", text, c.what);
  }
  if (!good && (complaints.empty() || !file.hints.empty())) wrong("refused without a reason, or not wholly", text, "");
  if (!good) return;
  for (const Hint& h : file.hints)
    if (h.place.find_first_of("\n\x1b") != h.place.npos || h.place.empty() ||
        (h.construct == Construct::set ? h.value.empty() || h.value.find_first_of("\n\x1b") != h.value.npos
                                       : h.object >= file.objects.size() || values_of(h).empty()))
      wrong("a hint that is none", text, h.place);
  const std::string written = to_text(file);
  if (!parse(written, again, none) || !none.empty()) wrong("what was written is not read", text, written);
  if (to_text(again) != written) wrong("it does not come back", written, to_text(again));
}

}  // namespace

int main(int argc, char** argv) {
  return fuzz::run(argc, argv, "fuzz_hints", [](uint64_t, fuzz::Random& random) {
    try_file(fuzz::mutated(kFiles[random() % std::size(kFiles)], random() % 8, kPieces, true, random));
  });
}
