#include "cli/scratch_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

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

}  // namespace einkorn::cli
