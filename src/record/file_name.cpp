#include "record/file_name.h"
#include <climits>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace einkorn::record {

int64_t mpi_rank() {
  // Hydra/MPICH, Open MPI, PMIx, Slurm.
  for (const char* name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    const char* value = getenv(name);
    if (!value || !*value) continue;
    char* end;
    long rank = strtol(value, &end, 10);
    if (!*end && rank >= 0) return rank;
  }
  return -1;
}

bool expand_name(const char* pattern, TextBuffer& out) {
  if (pattern[0] != '/') {
    char cwd[PATH_MAX];
    if (getcwd(cwd, sizeof cwd)) {
      out.put(cwd);
      out.put('/');
    }
  }
  for (const char* p = pattern; *p; ++p) {
    if (*p != '%') {
      out.put(*p);
      continue;
    }
    switch (p[1]) {
      case 'h': {
        char host[256] = "";
        gethostname(host, sizeof host - 1);
        out.put(host[0] ? host : "unknown");
        break;
      }
      case 'p': out.number(uint64_t(getpid())); break;
      case 'r': out.number(uint64_t(mpi_rank() < 0 ? 0 : mpi_rank())); break;
      case '%': out.put('%'); break;
      default: out.put('%'); continue;  // not ours: stays as it is
    }
    ++p;
  }
  return !out.full();
}

bool alternative_name(const char* name, int pid, int attempt, TextBuffer& out) {
  const char* slash = strrchr(name, '/');
  const char* base = slash ? slash + 1 : name;
  const char* dot = strrchr(base, '.');
  if (!dot || dot == base) dot = base + strlen(base);
  for (const char* p = name; p < dot; ++p) out.put(*p);
  out.put('.');
  out.number(uint64_t(pid));
  if (attempt > 1) {
    out.put('.');
    out.number(uint64_t(attempt));
  }
  out.put(dot);
  return !out.full();
}

}  // namespace einkorn::record
