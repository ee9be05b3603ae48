#include "cli/serve/signals.h"

#include <csignal>
#include <thread>

#include <unistd.h>

#include <fmt/format.h>

#include "cli/command.h"

namespace sonde::serve {
namespace {

sigset_t handled() {
  sigset_t set = {};
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

Signals::Signals() {
  const sigset_t set = handled();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(bugprone-signal-handler): clients that go away are an error of a write
}

std::optional<int> Signals::wait(std::chrono::nanoseconds patience) {
  constexpr int64_t kSecond = 1'000'000'000;
  const sigset_t set = handled();
  const timespec limit = {.tv_sec = patience.count() / kSecond, .tv_nsec = patience.count() % kSecond};
  const int signal = sigtimedwait(&set, nullptr, &limit);
  if (signal < 0) return std::nullopt;
  return signal;
}

void Signals::end_process_after(std::chrono::seconds patience) {
  std::thread([patience] {
    std::optional<int> signal = wait(patience);
    while (signal == SIGHUP) signal = wait(patience);
    fmt::print(stderr, "sonde: {}\n",
               signal ? "terminated by a second signal"
                      : "terminated after the stop timeout; data that was not written yet is lost");
    _exit(kCannot);
  }).detach();
}

}  // namespace sonde::serve
