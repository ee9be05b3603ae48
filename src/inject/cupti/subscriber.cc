#include "inject/cupti/subscriber.h"

#include <atomic>
#include <cerrno>

#include "inject/cupti/timeline.h"

namespace sonde::inject::cupti {
namespace {

constexpr uint32_t kMaxHandlers = 8;  ///< more than the parts of this library that add one

constinit std::atomic<Handler> handlers[kMaxHandlers] = {};
constinit Subscriber subscriber = nullptr;

void on_callback(void*, Domain domain, uint32_t id, const void* data) noexcept {
  if (!is_own_process()) return;
  const int error = errno;
  for (const std::atomic<Handler>& handler : handlers) {
    if (const Handler call = handler.load(std::memory_order_acquire); call != nullptr) call(domain, id, data);
  }
  errno = error;
}

}  // namespace

void add_handler(Handler handler) noexcept {
  for (std::atomic<Handler>& place : handlers) {
    Handler none = nullptr;
    if (place.load() == handler || place.compare_exchange_strong(none, handler)) return;
  }
}

Result subscribe(const Library& library) noexcept {
  return subscriber != nullptr ? Result::ok : library.subscribe(&subscriber, on_callback, nullptr);
}

void unsubscribe(const Library& library) noexcept {
  if (subscriber != nullptr) static_cast<void>(library.unsubscribe(subscriber));
  subscriber = nullptr;
}

Result watch(const Library& library, Domain domain, uint32_t id, bool on) noexcept {
  return library.enable_callback(on ? 1 : 0, subscriber, domain, id);
}

Result watch_all(const Library& library, Domain domain, bool on) noexcept {
  return library.enable_domain(on ? 1 : 0, subscriber, domain);
}

}  // namespace sonde::inject::cupti
