#include "monitor/loop/event_listener.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace sonde::monitor::loop {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kWait(1000);
/// Between waits that fail: no GPU reports events, or one is lost.
constexpr milliseconds kPause(5000);
/// For GPUs that do not answer while they are subscribed to: the others need not wait for them.
constexpr milliseconds kSubscribeTimeout(2000);
constexpr milliseconds kLookTimeout(1000);
/// A fault that reports without end must not fill memory.
constexpr size_t kMaxEvents = 10000;

}  // namespace

struct EventListener::Shared {
  std::shared_ptr<device::DeviceSource> source;
  bool on_demand = false;
  std::mutex mutex;
  std::condition_variable changed;
  size_t subscribed = 0;  ///< GPUs that answered, whatever they said
  int64_t asked = 0;
  int64_t looked = 0;
  bool ends = false;
  std::vector<device::GpuEvent> events;

  void subscribe_all(const std::shared_ptr<Shared>& self) {
    for (size_t gpu = 0; gpu < source->gpu_count(); ++gpu) {
      std::thread([self, gpu] {
        (void)self->source->subscribe(gpu);
        const std::scoped_lock lock(self->mutex);
        ++self->subscribed;
        self->changed.notify_all();
      }).detach();
    }
    std::unique_lock lock(mutex);
    changed.wait_for(lock, kSubscribeTimeout, [&] { return subscribed == source->gpu_count() || ends; });
  }

  void run() {
    while (true) {
      int64_t answers = 0;
      {
        std::unique_lock lock(mutex);
        if (on_demand) changed.wait(lock, [&] { return asked > looked || ends; });
        if (ends) return;
        answers = asked;
      }
      const auto found = source->wait_for_events(on_demand ? milliseconds(0) : kWait);
      std::unique_lock lock(mutex);
      if (found) events.insert(events.end(), found->begin(), found->end());
      if (events.size() > kMaxEvents) {
        events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(kMaxEvents));
      }
      looked = answers;
      changed.notify_all();
      if (!found && !on_demand) changed.wait_for(lock, kPause, [&] { return ends; });
    }
  }
};

EventListener::EventListener(std::shared_ptr<device::DeviceSource> source, bool on_demand)
    : shared_(std::make_shared<Shared>()) {
  shared_->source = std::move(source);
  shared_->on_demand = on_demand;
  std::thread([shared = shared_] {
    shared->subscribe_all(shared);
    shared->run();
  }).detach();
}

EventListener::~EventListener() {
  const std::scoped_lock lock(shared_->mutex);
  shared_->ends = true;
  shared_->changed.notify_all();
}

std::vector<device::GpuEvent> EventListener::take() {
  std::unique_lock lock(shared_->mutex);
  if (shared_->on_demand) {
    const int64_t mine = ++shared_->asked;
    shared_->changed.notify_all();
    shared_->changed.wait_for(lock, kSubscribeTimeout + kLookTimeout, [&] { return shared_->looked >= mine; });
  }
  return std::exchange(shared_->events, {});
}

}  // namespace sonde::monitor::loop
