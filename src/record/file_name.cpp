#include "record/file_name.h"
#include <climits>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace einkorn::record {

namespace {

struct Launcher {
  const char *rank, *size;
  bool size_always;  // if it is not set, there is one process, as in the script of a batch job
};
constexpr Launcher kLaunchers[] = {{"PMI_RANK", "PMI_SIZE", false},  // Hydra/MPICH
                                   {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", false},
                                   {"PMIX_RANK", "PMIX_SIZE", false},
                                   {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", true}};

int64_t number_of(const char* variable) {
  const char* value = getenv(variable);
  if (!value || !*value) return -1;
  char* end;
  const long number = strtol(value, &end, 10);
  return !*end && number >= 0 ? number : -1;
}

const Launcher* launcher() {
  for (const Launcher& l : kLaunchers)
    if (number_of(l.rank) >= 0) return &l;
  return nullptr;
}

bool is_one_of_many() {
  const Launcher* l = launcher();
  if (!l) return false;
  const int64_t size = number_of(l->size);
  return size < 0 ? !l->size_always : size > 1;
}

// Where the last part's suffix begins: .grain, or nothing.
const char* suffix_of(const char* name) {
  const char* slash = strrchr(name, '/');
  const char* base = slash ? slash + 1 : name;
  const char* dot = strrchr(base, '.');
  return dot && dot != base ? dot : base + strlen(base);
}

bool tells_processes_apart(const char* pattern) {
  for (const char* p = pattern; *p; ++p)
    if (*p == '%' && *++p && (*p == 'p' || *p == 'r')) return true;
    else if (!*p) break;
  return false;
}

void expand(const char* pattern, int pid, bool with_rank, TextBuffer& out) {
  const auto rank = uint64_t(mpi_rank() < 0 ? 0 : mpi_rank());
  auto put_rank = [&] {
    out.put(".rank");
    out.number(rank);
  };
  if (pattern[0] != '/') {
    char cwd[PATH_MAX];
    if (getcwd(cwd, sizeof cwd)) {
      out.put(cwd);
      out.put('/');
    }
  }
  const char* suffix = with_rank ? suffix_of(pattern) : nullptr;
  for (const char* p = pattern; *p; ++p) {
    if (p == suffix) put_rank();
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
      case 'p': out.number(uint64_t(pid)); break;
      case 'r': out.number(rank); break;
      case '%': out.put('%'); break;
      default: out.put('%'); continue;  // not one of ours: stays as it is
    }
    ++p;
  }
  if (suffix && !*suffix) put_rank();
}

}  // namespace

int64_t mpi_rank() {
  const Launcher* l = launcher();
  return l ? number_of(l->rank) : -1;
}

bool expand_name(const char* pattern, int pid, TextBuffer& out) {
  bool with_rank = is_one_of_many() && !tells_processes_apart(pattern);
  if (with_rank) {
    char plain[PATH_MAX];
    TextBuffer text(plain, sizeof plain);
    expand(pattern, pid, false, text);
    struct stat st;
    with_rank = stat(plain, &st) != 0 || S_ISREG(st.st_mode);  // a device or a pipe has one name
  }
  expand(pattern, pid, with_rank, out);
  return !out.full();
}

bool alternative_name(const char* name, int pid, int attempt, TextBuffer& out) {
  const char* dot = suffix_of(name);
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
