#include "record/rounds/file_limit.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include <fmt/format.h>

#include "base/system/system_reason.h"

namespace sonde::record {
namespace {

sigset_t its_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

}  // namespace

FileLimitGuard::FileLimitGuard() {
  const sigset_t set = its_signal();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

FileLimitGuard::~FileLimitGuard() {
  const sigset_t set = its_signal();
  const timespec at_once{};
  while (sigismember(&before_, SIGXFSZ) == 0 && sigtimedwait(&set, nullptr, &at_once) > 0) continue;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

RaisedFileLimit::RaisedFileLimit(uint64_t bytes) {
  if (getrlimit(RLIMIT_FSIZE, &before_) != 0 || before_.rlim_cur >= bytes) return;
  const rlimit wanted{.rlim_cur = bytes, .rlim_max = std::max<rlim_t>(before_.rlim_max, bytes)};
  raised_ = setrlimit(RLIMIT_FSIZE, &wanted) == 0;
}

RaisedFileLimit::~RaisedFileLimit() {
  if (raised_) setrlimit(RLIMIT_FSIZE, &before_);
}

std::string file_limit_note() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  constexpr rlim_t kKilobyte = 1024;
  return fmt::format(
      "; the file size limit is {} KB (ulimit -f); run 'ulimit -f unlimited' in the shell before "
      "it to remove the limit, if permitted",
      limit.rlim_cur / kKilobyte);
}

std::string file_reason(int error) {
  return fmt::format("{}{}", system_reason(error), error == EFBIG ? file_limit_note() : "");
}

}  // namespace sonde::record
