#include "cli/tasks/interrupt.h"

#include <poll.h>

namespace sonde::tasks {
namespace {

volatile std::sig_atomic_t came_now = 0;

extern "C" void note(int /*signal*/) { came_now = 1; }

/// Without SA_RESTART, so that a call that waits returns.
void take(int signal, struct sigaction& before) {
  struct sigaction action{};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  came_now = 0;
  take(SIGINT, interrupt_);
  take(SIGTERM, terminate_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

bool Interrupt::came() { return came_now != 0; }

void Interrupt::sleep(std::chrono::milliseconds time) {
  if (!came()) poll(nullptr, 0, static_cast<int>(time.count()));
}

}  // namespace sonde::tasks
