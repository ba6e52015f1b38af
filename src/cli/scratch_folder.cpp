#include "cli/scratch_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "cli/child.h"
#include "cli/verbs.h"

namespace einkorn::cli {

namespace {

constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kEndingSignals) sigaddset(&set, number);
  return set;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code error;
  std::filesystem::path place = std::filesystem::temp_directory_path(error);
  if (error) place = "/tmp";
  path_ = (std::filesystem::absolute(place) / "einkorn-cc-XXXXXX").string();
  const sigset_t ending = ending_signals();
  sigprocmask(SIG_BLOCK, &ending, &before_);
  if (!mkdtemp(path_.data())) {
    const int why = errno;
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    throw std::system_error(why, std::generic_category(), path_);
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void ScratchFolder::as_before() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

bool ScratchFolder::ends(int signal) {
  const sigset_t ending = ending_signals();
  return sigismember(&ending, signal) == 1;
}

bool ScratchFolder::interrupted() {
  sigset_t pending;
  if (sigpending(&pending) != 0) return false;
  for (const int number : kEndingSignals) {
    struct sigaction action;
    if (sigismember(&pending, number) == 1 && sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      return true;
  }
  return false;
}

void in_scratch_folder(const std::function<int(const ScratchFolder&)>& work) {
  ChildEnd end;
  {
    const ScratchFolder scratch;
    fflush(nullptr);
    end = run_child([&]() -> int {
      scratch.as_before();
      std::exit(work(scratch));  // not by the destructor of the folder, which is its parent's
    });
  }
  if (end.exec_error)
    std::exit(fail(kOurError, fmt::format("no process can be started: {}.", strerror(end.exec_error))));
  end_like(end);
}

}  // namespace einkorn::cli
