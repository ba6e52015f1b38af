// clang's teams. LLVM 19: kmp_csupport.cpp, kmp_runtime.cpp.
#include <cstdarg>

#include "abi/kmpc.h"
#include "runtime/settings/icv.h"
#include "runtime/team/league.h"
#include "runtime/team/worker.h"

using namespace einkorn::abi;

namespace {

void push_teams(int least, int most, int thread_limit) {
  Worker* w = self();
  w->pushed_teams[0] = least > 0 ? least : 0;
  w->pushed_teams[1] = most > 0 ? most : 0;
  w->pushed_teams[2] = thread_limit > 0 ? thread_limit : 0;
}

}  // namespace

EK_EXPORT void __kmpc_push_num_teams(const Ident*, int32_t, int32_t teams, int32_t thread_limit) {
  push_teams(teams, teams, thread_limit);
}
EK_EXPORT void __kmpc_push_num_teams_51(const Ident*, int32_t, int32_t least, int32_t most, int32_t thread_limit) {
  push_teams(least, most, thread_limit);
}

EK_EXPORT void __kmpc_fork_teams(const Ident*, int32_t argc, void* microtask, ...) {
  auto** argv = static_cast<void**>(__builtin_alloca(sizeof(void*) * size_t(argc < kArgvRoom ? kArgvRoom : argc)));
  va_list args;
  va_start(args, microtask);
  for (int i = 0; i < argc; ++i) argv[i] = va_arg(args, void*);
  va_end(args);
  Worker* w = self();
  const int teams = teams_between(w->pushed_teams[0], w->pushed_teams[1]);
  Microtask m{microtask, argc, argv};
  League league{
      run_microtask, &m, teams, 1, w->pushed_teams[2], true, microtask, EK_CALLER, einkorn::record::kSiteClang};
  push_teams(0, 0, 0);
  run_league(w, league);
}

// thread_limit of a target region.
EK_EXPORT void __kmpc_set_thread_limit(const Ident*, int32_t, int32_t limit) { limit_threads(self(), limit); }
