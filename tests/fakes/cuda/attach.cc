#include <dlfcn.h>
#include <unistd.h>

#include "parts.h"

namespace fake_cuda::cupti {
namespace {

std::atomic<bool> forked{false};
constexpr uint32_t kLaunchKernel = 307;  // cuLaunchKernel

void entered(ApiCall& call) {
  if (!is_forked()) call.start = timestamp();
  call_client(call, false);
  const LaunchObserver observer = launch_observer.load();
  if (observer != nullptr && call.domain == Domain::driver && call.id == kLaunchKernel) observer(call);
}

void left(ApiCall& call) {
  call_client(call, true);
  if (!is_forked() && call.start != 0) record_call(call);
}

void worked(const Operation& operation) {
  note_for_sampling(operation);
  note_for_pc_sampling(operation);
  note_for_sass_metrics(operation);
  record_operation(operation);
}

void context_created(const void* handle, const ContextInfo& context) {
  record_context(context);
  tell_resource(1, handle, handle, nullptr);
  load_code(handle);
}

void stream_created(const void* handle, const StreamInfo& stream) {
  record_stream(stream);
  tell_resource(3, nullptr, handle, nullptr);
}

void initialized() {
  tell_resource(5, nullptr, nullptr, nullptr);
  if (is_enabled(kDevice)) tell_devices();
}

constexpr Listener kListener = {entered,           left,       worked, context_created, stream_created, tell_graph,
                                tell_synchronized, initialized};

const Table* find_driver() {
  void* library = dlopen(kDriverLibrary, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  const auto get = reinterpret_cast<GetTable>(dlsym(library, kTableFunction));
  return get == nullptr ? nullptr : get();
}

[[maybe_unused]] const int at_fork = pthread_atfork(nullptr, nullptr, [] { forked = true; });

}  // namespace

std::atomic<LaunchObserver> launch_observer{nullptr};
std::atomic<Counters> counters_of{Counters::nobody};
std::atomic<bool> knows_chip{false};

bool is_forked() { return forked.load(std::memory_order_relaxed); }

const Table* driver() {
  static std::atomic<const Table*> found{nullptr};
  if (is_forked()) return nullptr;
  if (found.load() == nullptr) found = find_driver();
  return found;
}

bool attach() {
  if (driver() == nullptr) return false;
  driver()->listen(&kListener);
  return true;
}

}  // namespace fake_cuda::cupti
