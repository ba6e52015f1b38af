// What a program may do wrong with codelets: each kind in a child of its own, which has to end as is documented: with a message that
// names what is wrong, or with the status that it asked for. Usage: wrong [KIND]; on another OpenMP library it does nothing.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <pthread.h>
#include <regex>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <einkorn/codelet.hpp>

namespace {

constexpr int kStatus = 7;
enum How { throws, ends, leaves, reason };  // an exception, exit(), pthread_exit(), no ek_next

void do_wrong(How how) {
  if (how == throws) throw std::runtime_error("of the program");
  if (how == ends) exit(kStatus);
  if (how == leaves) pthread_exit(nullptr);
}

// ---- graphs ----
void fire_wrong(void* how, uint32_t i) {
  if (i == 2) do_wrong(How(uintptr_t(how)));
}
void nothing(void*, uint32_t) {}
void graph_of(How how) {
  ek_graph* g = ek_graph_new("g");
  const int c = ek_graph_class(g, fire_wrong, reinterpret_cast<void*>(how), 5, 30);
  for (uint32_t i = 0; i < 4; ++i) ek_graph_arc(g, c, i, c, i + 1);
  ek_graph_close(g);
  ek_graph_run(g);
}
void graph(How how) { graph_of(how); }
void graph_in_region(How how) {
  #pragma omp parallel num_threads(3)
  #pragma omp single
  graph_of(how);
}

// A rule of which the answer changes when the graph is closed. In a graph that is too large for its answers to be kept.
constexpr uint32_t kOthers = 131072;
bool closed;
enum Change { fewer, more, again, far };
int next_of(void* change, uint32_t i, uint32_t* out) {
  int n = 0;
  const Change how = closed ? Change(uintptr_t(change)) : Change(-1);
  if (i == 3 && how == again) return out[0] = 1, 1;
  if (i >= 3) return 0;
  if (i == 0) {  // 0 -> 1, 2; 1 -> 3; 2 -> 3
    out[n++] = 1;
    out[n++] = 2;
    if (how == more) out[n++] = 3, out[n++] = 3;
    return n;
  }
  if (i == 2 && how == fewer) return 0;
  out[n++] = how == far ? 9 : 3;
  return n;
}
void rule(Change change) {
  ek_graph* g = ek_graph_new("g");
  const int c = ek_graph_class(g, nothing, reinterpret_cast<void*>(change), 4, 30);
  ek_graph_rule(g, c, c, next_of);
  ek_graph_class(g, nothing, nullptr, kOthers, 40);
  if (ek_graph_close(g) != 0) return;
  closed = true;
  ek_graph_run(g);
}
void late() {
  ek_graph* g = ek_graph_new("g");
  const int c = ek_graph_class(g, nothing, nullptr, 4, 30);
  ek_graph_close(g);
  ek_graph_arc(g, c, 1, c, 2);
  ek_graph_rule(g, c, c, next_of);
  ek_graph_class(g, nothing, nullptr, 4, 50);
  exit(ek_graph_run(g) == 0 ? kStatus : 1);
}

// ---- procedures ----
struct Frame { How how; int depth; };
ek_next run_wrong(ek_self* me) {
  auto* f = static_cast<Frame*>(me->frame);
  if (f->depth > 0) {
    if (me->at != 0) return EK_END;
    const Frame next{f->how, f->depth - 1};
    ek_invoke(me, me->proc, &next);
    EK_YIELD(me, 1, EK_WAIT);
  }
  if (me->at == 0) EK_YIELD(me, 1, EK_SYNC);
  if (me->id != me->n - 1) return EK_END;
  if (f->how == reason) EK_YIELD(me, 2, static_cast<ek_next>(9));
  do_wrong(f->how);
  return EK_END;
}
const ek_cbb kLines[] = {{61, 0, 0}, {64, 0, 0}};
const ek_proc kWrong = {"p", "wrong.c", run_wrong, sizeof(Frame), 0, kLines, 2, EK_PINNED};
const ek_proc kFree = {"p", "wrong.c", run_wrong, sizeof(Frame), 0, kLines, 2, EK_FREE};
void launched(How how) {
  const Frame f{how, 0};
  ek_launch(&kWrong, &f);
}
void invoked(How how) {
  const Frame f{how, 3};
  #pragma omp parallel num_threads(2)
  #pragma omp single
  {
    ek_invoke(nullptr, &kWrong, &f);
    #pragma omp taskwait
  }
}
void at_once(How how) {
  const Frame f{how, 3};
  #pragma omp parallel num_threads(1)
  ek_invoke(nullptr, &kWrong, &f);
}
void pinned(How how) {
  const Frame f{how, 0};
  ek_run(&kWrong, &f, 2);
}
void free_region(How how) {
  setenv("EINKORN_CODELETS", "alone", 1);
  const Frame f{how, 0};
  ek_run(&kFree, &f, 2);
}

// ---- by hand ----
ek_codelet g_codelet;
void fire_by_hand(ek_codelet* c) { do_wrong(How(uintptr_t(c->frame))); }
void make(int count, How how = How(-1)) {
  ek_codelet_init(&g_codelet, fire_by_hand, reinterpret_cast<void*>(how), uint32_t(count), 1, 12);
}
void by_hand(How how) {
  make(1, how);
  #pragma omp parallel num_threads(2)
  #pragma omp single
  ek_dec(&g_codelet);
}
void twice() {
  make(1);
  #pragma omp parallel num_threads(1)
  for (int i = 0; i < 2; ++i) ek_dec(&g_codelet);
}
void not_made() {
  #pragma omp parallel num_threads(1)
  ek_dec(&g_codelet);
}
void* signal_it(void*) {
  ek_dec(&g_codelet);
  return nullptr;
}
void* make_and_signal_it(void*) {
  make(1);
  return signal_it(nullptr);
}
void strange_maker() {
  pthread_t t;
  if (pthread_create(&t, nullptr, make_and_signal_it, nullptr) == 0) pthread_join(t, nullptr);
}
// All signals but the last may come from anywhere.
void strange_thread(int count) {
  make(count);
  pthread_t t;
  if (pthread_create(&t, nullptr, signal_it, nullptr) == 0) pthread_join(t, nullptr);
  if (count == 1) return;
  #pragma omp parallel num_threads(1)
  ek_dec(&g_codelet);
  exit(g_codelet.internal_count == 0 ? kStatus : 1);
}

// The names of the research runtime: the codelet's constructor is what has a line.
struct Thrower : einkorn::ThreadedProcedure {
  struct Its : einkorn::Codelet {
    explicit Its(Thrower* t) : Codelet(1, 1, t, 4) {}
    void fire() override { do_wrong(throws); }
  } codelet{this};
  explicit Thrower(bool early) {
    if (early) do_wrong(throws);
    codelet.decDep();
  }
};

struct Kind {
  const char *name, *says;  // a regular expression; nullptr: it ends with kStatus, and says nothing
  void (*run)();
};
#define THROWN(where) "codelets: an exception left " where ".*: catch it there[^]*of the program"  // what() of it
#define LEFT(where) "codelets: the thread was to end in " where
#define IN_P "p .wrong.c:64., where it had gone on at 1"
#define EACH(name, function, where)                                              \
  {name ".throws", THROWN(where), [] { function(throws); }},                     \
      {name ".leaves", LEFT(where), [] { function(leaves); }}, {name ".exit", nullptr, [] { function(ends); }}
const char kNoNext[] = "EK_YIELD.. of p .wrong.c.: its function returns what is no ek_next";
const Kind kKinds[] = {
    EACH("graph", graph, "codelet line 30 .2. of graph .g."),
    EACH("graph_in_region", graph_in_region, "codelet line 30 .2. of graph .g."),
    EACH("launched", launched, IN_P),
    EACH("invoked", invoked, IN_P),
    EACH("at_once", at_once, IN_P),
    EACH("pinned", pinned, IN_P),
    EACH("free_region", free_region, IN_P),
    EACH("by_hand", by_hand, "codelet 12, made at .*wrong.cpp:[0-9]+"),
    {"launched.reason", kNoNext, [] { launched(reason); }},
    {"invoked.reason", kNoNext, [] { invoked(reason); }},
    {"at_once.reason", kNoNext, [] { at_once(reason); }},
    {"pinned.reason", kNoNext, [] { pinned(reason); }},
    {"free_region.reason", kNoNext, [] { free_region(reason); }},
    {"rule.fewer", "graph 'g': 1 of 131076 codelets have never been ready .line 30 .3. still waits for 1.: a rule", [] { rule(fewer); }},
    {"rule.more", "graph 'g': more than its 131076 codelets were fired in one run: a rule", [] { rule(more); }},
    {"rule.again", "graph 'g': more than its 131076 codelets were fired in one run: a rule", [] { rule(again); }},
    {"rule.far", "graph 'g': the rule of line 30 .[12]. gave other successors", [] { rule(far); }},
    {"late", "'g': an arc from line 30 .1. to line 30 .2.: the graph is closed already, and stays as it is[^]*"
             "'g': a rule from line 30 .0. on: the graph is closed[^]*'g': class 1 of line 50: the graph is closed", late},
    {"twice", "codelet 12, made at .*wrong.cpp:[0-9]+: it has had all signals that it waits for, and was not reset", twice},
    {"not_made", "codelet 0, which was not made by ek_codelet_init", not_made},
    {"stranger", "codelet 12, made at .*wrong.cpp:[0-9]+, by a thread that is in no OpenMP region", [] { strange_thread(1); }},
    {"stranger.made", "codelet 12, made at .*wrong.cpp:[0-9]+, by a thread that is in no OpenMP region", strange_maker},
    {"stranger.first", nullptr, [] { strange_thread(2); }},
    {"constructor", "an exception left a threaded procedure", [] { einkorn::launch<Thrower>(true); }},
    {"fire", "an exception left codelet 4, made at .*wrong.cpp:[0-9]+", [] { einkorn::launch<Thrower>(false); }},
};

// The end of the child, and what it has written.
int execute(const Kind& kind, std::string* said) {
  int ends_of[2];
  if (pipe(ends_of)) exit(2);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);
    dup2(ends_of[1], 2);
    close(ends_of[0]), close(ends_of[1]);
    try {
      kind.run();
    } catch (...) {
      fputs("the exception went through the library\n", stderr);
    }
    _exit(0);
  }
  close(ends_of[1]);
  char part[4096];
  for (ssize_t n; (n = read(ends_of[0], part, sizeof part)) > 0;) said->append(part, size_t(n));
  close(ends_of[0]);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  // In a child: threads of a library are not there in the next one.
  std::string said;
  const Kind on{"on", nullptr, [] { _exit(ek_on() ? kStatus : 0); }};
  if (execute(on, &said) == 0) return puts("another runtime"), 0;
  int wrong = 0;
  const char* only = argc > 1 && argv[1][0] > '9' ? argv[1] : nullptr;
  for (const Kind& kind : kKinds) {
    if (only && strcmp(only, kind.name)) continue;
    said.clear();
    const int status = execute(kind, &said);
    const bool ended = WIFEXITED(status) && WEXITSTATUS(status) == kStatus;
    // "late" goes on, and ends as it asked for.
    const bool right = kind.says ? std::regex_search(said, std::regex(kind.says, std::regex::ECMAScript)) && status != 0
                                 : ended && said.find("instance") == said.npos && said.find("exception") == said.npos;
    if (right) continue;
    printf("%s: status 0x%x, and on standard error: %s\n", kind.name, unsigned(status), said.c_str());
    ++wrong;
  }
  if (wrong == 0) puts("ok");
  return wrong != 0;
}
