#include "inject/cupti/graphs.h"

#include <algorithm>
#include <atomic>

#include "inject/cupti/subscriber.h"
#include "inject/encode.h"
#include "inject/thread_chunk.h"
#include "wire/cuda_record.h"

namespace sonde::inject::cupti {
namespace {

using wire::CudaGraphChange;

/// CUPTI's numbers of what happens to resources (CUpti_CallbackIdResource).
struct GraphCallback {
  uint32_t id;
  CudaGraphChange change;
};
constexpr GraphCallback kCallbacks[] = {
    {9, CudaGraphChange::created}, {11, CudaGraphChange::cloned}, {18, CudaGraphChange::instantiated}};

/// CUpti_ResourceData.
struct ResourceData {
  void* context;
  void* resource;
  const void* descriptor;  ///< of a graph: GraphData
};

/// CUpti_GraphData; null for what is not there.
struct GraphData {
  const void* graph;
  const void* original;
  const void* node;
  const void* original_node;
  uint32_t node_type;
  const void* dependency;
  const void* executable;
};
static_assert(sizeof(GraphData) == 56);

uint32_t graph_number(const Guarded<Result(const void*, uint32_t*)>& function, const void* object) noexcept {
  uint32_t number = 0;
  const bool known = object != nullptr && function(object, &number) == Result::ok;
  return known ? number : 0;
}

void write_change(CudaGraphChange change, const GraphData& data) noexcept {
  constexpr uint32_t kBytes = sizeof(wire::RecordHead) + sizeof(wire::CudaGraphBody);
  const Library& cupti = *library();
  const wire::CudaGraphBody body{change, graph_number(cupti.graph_number, data.graph),
                                 graph_number(cupti.graph_number, data.original),
                                 graph_number(cupti.executable_number, data.executable)};
  std::byte* const at = begin_record(kBytes);
  if (at == nullptr) return;
  put(put_head(at, wire::Kind::cuda_graph, kBytes, 0, 0, now_ns()), body);
  commit_record(kBytes);
}

constinit std::atomic<bool> graphs{false};

/// Of some resources there are no data.
const GraphData* data_of(const void* told) noexcept {
  return told == nullptr ? nullptr : static_cast<const GraphData*>(static_cast<const ResourceData*>(told)->descriptor);
}

void on_resource(Domain domain, uint32_t id, const void* told) noexcept {
  if (domain != Domain::resource) return;
  const auto* const callback = std::ranges::find(kCallbacks, id, &GraphCallback::id);
  if (callback == std::end(kCallbacks)) return;
  graphs.store(true, std::memory_order_relaxed);
  const GraphData* const data = data_of(told);
  if (data != nullptr) write_change(callback->change, *data);
}

}  // namespace

void watch_graphs(const Library& library) noexcept {
  add_handler(on_resource);
  for (const GraphCallback& callback : kCallbacks) {
    static_cast<void>(watch(library, Domain::resource, callback.id, true));
  }
}

bool saw_graphs() noexcept { return graphs.load(std::memory_order_relaxed); }

}  // namespace sonde::inject::cupti
