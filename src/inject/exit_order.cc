#include "inject/exit_order.h"

#include <atomic>
#include <cstdlib>

#include "inject/guarded_call.h"

namespace sonde::inject {
namespace {

constexpr int kMaxEnds = 4;
constinit std::atomic<void (*)()> ends[kMaxEnds] = {};
constinit std::atomic<bool> begun{false};

/// The C library runs what was registered last first, and destroys libraries in the same way.
void on_exit() noexcept {
  if (begun.exchange(true)) return;
  for (const std::atomic<void (*)()>& end : ends) {
    if (end.load() != nullptr) end.load()();
  }
  refuse_calls();
}

}  // namespace

void end_at_exit(void (*end)()) noexcept {
  for (std::atomic<void (*)()>& place : ends) {
    void (*none)() = nullptr;
    if (place.load() == end || place.compare_exchange_strong(none, end)) break;
  }
  end_before_libraries();
}

void end_before_libraries() noexcept { static_cast<void>(atexit(on_exit)); }

}  // namespace sonde::inject
