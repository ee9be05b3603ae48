#include <cstdlib>

#include "parts.h"

namespace fake_cuda::cupti {
namespace {

using Callback = void (*)(void* data, uint32_t domain, uint32_t id, const void* told);

constexpr uint32_t kDomains = 7;
constexpr uint32_t kIds = 1024;

struct Subscriber {
  std::atomic<Callback> callback{nullptr};
  std::atomic<void*> data{nullptr};
  std::atomic<bool> enabled[kDomains][kIds] = {};
};
Subscriber the;

/// CUpti_CallbackData
struct CallbackData {
  uint32_t site;
  const char* function;
  const void* parameters;
  void* result;
  const char* symbol;
  const void* context;
  uint32_t context_id;
  uint64_t* data;
  uint32_t correlation;
};

/// CUpti_ResourceData
struct ResourceData {
  const void* context;
  const void* handle;
  const void* descriptor;
};

/// CUpti_GraphData
struct GraphData {
  const void* graph;
  const void* original_graph;
  const void* node;
  const void* original_node;
  uint32_t node_type;
  const void* dependency;
  const void* exec;
};

/// CUpti_SynchronizeData
struct SynchronizeData {
  const void* context;
  const void* stream;
};

bool is_wanted(uint32_t domain, uint32_t id) {
  return the.callback.load(std::memory_order_relaxed) != nullptr && id < kIds &&
         the.enabled[domain][id].load(std::memory_order_relaxed);
}

void tell(uint32_t domain, uint32_t id, const void* told) {
  const Callback callback = the.callback.load();
  if (callback != nullptr) callback(the.data.load(), domain, id, told);
}

const void* context_here() { return driver() == nullptr ? nullptr : driver()->current_context(); }

bool is_subscriber(const void* subscriber) { return subscriber == &the && the.callback.load() != nullptr; }

}  // namespace

void call_client(ApiCall& call, bool is_exit) {
  const auto domain = static_cast<uint32_t>(call.domain);
  if (is_exit ? !call.was_told : !is_wanted(domain, call.id)) return;
  call.was_told = true;
  const void* context = context_here();
  const uint32_t context_id = context == nullptr ? 0 : driver()->context_of(context).id;
  const CallbackData told{is_exit ? 1U : 0U, call.name, call.parameters, is_exit ? &call.result : nullptr,
                          call.symbol,       context,   context_id,      &call.data,
                          call.correlation};
  tell(domain, call.id, &told);
}

void tell_resource(uint32_t id, const void* context, const void* handle, const void* descriptor) {
  constexpr auto kDomain = static_cast<uint32_t>(Domain::resource);
  if (!is_wanted(kDomain, id)) return;
  const ResourceData told{context == nullptr ? context_here() : context, handle, descriptor};
  const bool has_data = context != nullptr || handle != nullptr || descriptor != nullptr;
  tell(kDomain, id, has_data ? &told : nullptr);
}

void tell_graph(uint32_t id, const GraphInfo& graph) {
  const GraphData data{graph.graph, graph.original_graph, graph.node, graph.original_node, graph.node_type, nullptr,
                       graph.exec};
  tell_resource(id, nullptr, nullptr, &data);
}

void tell_synchronized(uint32_t id, const void* context, const void* stream) {
  constexpr auto kDomain = static_cast<uint32_t>(Domain::synchronize);
  if (!is_wanted(kDomain, id)) return;
  const SynchronizeData told{context, stream};
  tell(kDomain, id, &told);
}

bool has_subscriber() { return the.callback.load() != nullptr; }

void forget_subscriber() {
  the.callback = nullptr;
  for (auto& domain : the.enabled) {
    for (auto& id : domain) id = false;
  }
}

/// The driver's calls that are watched now, but for the profiler's start and stop, which cost no other call anything.
EXPORT uint32_t fakeCuptiWatched() {
  constexpr uint32_t kProfilerStart = 308, kProfilerStop = 309;
  const auto& enabled = the.enabled[static_cast<uint32_t>(Domain::driver)];
  uint32_t count = 0;
  for (uint32_t id = 0; id < kIds; ++id) {
    if (enabled[id] && id != kProfilerStart && id != kProfilerStop) ++count;
  }
  return count;
}

EXPORT uint32_t cuptiSubscribe(void** subscriber, Callback callback, void* data) {
  if (subscriber == nullptr) return kInvalidParameter;
  if (faults().subscribe_fails != 0) return faults().subscribe_fails;
  if (!attach()) return kUnknown;
  if (getenv("SONDE_FAKE_CUINIT") != nullptr) return kNotInitialized;  // as the real ones where there is no GPU
  Callback none = nullptr;
  if (!the.callback.compare_exchange_strong(none, callback)) return kMultipleSubscribers;
  the.data = data;
  *subscriber = &the;
  return kSuccess;
}

EXPORT uint32_t cuptiUnsubscribe(void* subscriber) {
  note_call("cuptiUnsubscribe");
  if (!is_subscriber(subscriber)) return kInvalidParameter;
  forget_subscriber();
  return kSuccess;
}

EXPORT uint32_t cuptiEnableCallback(uint32_t enable, void* subscriber, uint32_t domain, uint32_t id) {
  note_call("cuptiEnableCallback");
  if (!is_subscriber(subscriber) || domain >= kDomains || id >= kIds) return kInvalidParameter;
  the.enabled[domain][id] = enable != 0;
  return kSuccess;
}

EXPORT uint32_t cuptiEnableDomain(uint32_t enable, void* subscriber, uint32_t domain) {
  note_call("cuptiEnableDomain");
  if (!is_subscriber(subscriber) || domain >= kDomains) return kInvalidParameter;
  for (auto& id : the.enabled[domain]) id = enable != 0;
  return kSuccess;
}

EXPORT uint32_t cuptiEnableAllDomains(uint32_t enable, void* subscriber) {
  for (uint32_t domain = 1; domain < kDomains; ++domain) {
    const uint32_t error = cuptiEnableDomain(enable, subscriber, domain);
    if (error != kSuccess) return error;
  }
  return kSuccess;
}

EXPORT uint32_t cuptiGetCallbackState(uint32_t* enable, void* subscriber, uint32_t domain, uint32_t id) {
  if (enable == nullptr || !is_subscriber(subscriber) || domain >= kDomains || id >= kIds) return kInvalidParameter;
  *enable = the.enabled[domain][id] ? 1 : 0;
  return kSuccess;
}

EXPORT uint32_t cuptiGetCallbackName(uint32_t domain, uint32_t id, const char** name) {
  if (name == nullptr) return kInvalidParameter;
  *name = nullptr;
#define FAKE_CALL(the_domain, the_id, the_name) \
  if (domain == static_cast<uint32_t>(Domain::the_domain) && id == (the_id)) *name = #the_name;
#include "api_calls.inc"
#undef FAKE_CALL
  return *name == nullptr ? kInvalidParameter : kSuccess;
}

}  // namespace fake_cuda::cupti
