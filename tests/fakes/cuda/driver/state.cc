#include "driver/state.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>

namespace fake_cuda {
namespace {

std::atomic<const Listener*> the_listener{nullptr};
std::atomic<bool> forked{false};
std::atomic<uint32_t> next_correlation{1};
thread_local uint32_t depth = 0;
thread_local uint32_t correlation = 0;

void into_graph(Graph& graph, const Operation& operation, int64_t duration) {
  auto node = std::make_unique<Node>();
  node->id = state().next_node++;
  node->operation = operation;
  node->duration = duration;
  const void* handle = node.get();
  graph.nodes.push_back(std::move(node));
  if (const Listener* l = listener()) l->graph_changed(13, {&graph, nullptr, handle, nullptr, 0, nullptr});
}

void listen(const Listener* l) { the_listener.store(l); }
bool is_initialized() { return state().initialized && !is_forked(); }
uint32_t devices() { return kDevices; }

uint32_t contexts(ContextInfo* into, uint32_t room) {
  const std::lock_guard lock(state().mutex);
  uint32_t count = 0;
  for (const auto& context : state().contexts) {
    if (context == nullptr || context->id == 0 || count == room) continue;
    into[count++] = {context->id, context->device, context->null_stream.id};
  }
  return count;
}

ContextInfo context_of(const void* handle) {
  const std::lock_guard lock(state().mutex);
  for (const auto& context : state().contexts) {
    if (context.get() == handle && handle != nullptr) return {context->id, context->device, context->null_stream.id};
  }
  return {};
}

const void* context_here() { return current_context(); }

uint32_t stream_id(const void* handle) {
  if (handle != nullptr) return static_cast<const Stream*>(handle)->id;
  return current_context() == nullptr ? kNone : current_context()->null_stream.id;
}

uint64_t graph_node_id(const void* node) { return static_cast<const Node*>(node)->id; }
uint32_t graph_id(const void* graph_or_exec) { return static_cast<const Graph*>(graph_or_exec)->id; }

}  // namespace

State& state() {
  static State& the = *new State;
  return the;
}

Context*& current_context() {
  thread_local Context* context = nullptr;
  return context;
}

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void sleep_until(int64_t time) {
  const timespec end{time / 1'000'000'000, time % 1'000'000'000};
  while (now_ns() < time) syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr);
}

const Listener* listener() { return the_listener.load(std::memory_order_acquire); }

bool is_forked() { return forked.load(std::memory_order_relaxed); }

void enter(ApiCall* call) {
  call->is_outer = depth++ == 0;
  if (call->is_outer) correlation = next_correlation.fetch_add(1, std::memory_order_relaxed);
  call->correlation = correlation;
  if (const Listener* l = listener()) l->entered(*call);
}

void leave(ApiCall* call) {
  --depth;
  if (const Listener* l = listener()) l->left(*call);
}

int64_t give(Stream& stream, Operation operation, int64_t duration, const ApiCall& call) {
  {
    const std::lock_guard lock(state().mutex);
    operation.device = stream.context->device;
    operation.context = stream.context->id;
    operation.stream = stream.id;
    operation.correlation = call.correlation;
    if (stream.capture == nullptr) {
      operation.grid_id = operation.sort == Sort::kernel ? state().next_grid++ : 0;
      operation.start = std::max(now_ns(), stream.ready);
      operation.end = stream.ready = operation.start + duration;
    }
  }
  if (stream.capture != nullptr) {
    into_graph(*stream.capture, operation, duration);
  } else if (const Listener* l = listener()) {
    l->worked(operation);
  }
  return operation.start;
}

Stream& stream_of(void* handle) {
  return handle == nullptr ? current_context()->null_stream : *static_cast<Stream*>(handle);
}

void tell_wait(uint32_t type, uint32_t stream, uint32_t event, int64_t start, const ApiCall& call) {
  const Listener* l = listener();
  if (l == nullptr) return;
  Operation wait;
  wait.sort = Sort::synchronization;
  wait.kind = type;
  wait.start = start;
  wait.end = now_ns();
  wait.device = current_context()->device;
  wait.context = current_context()->id;
  wait.stream = stream;
  wait.event = event;
  wait.correlation = call.correlation;
  l->worked(wait);
}

extern "C" __attribute__((visibility("default"))) const Table* fakeCudaTable() {
  static const Table table = {enter,      leave,        listen,    is_initialized, devices, contexts,
                              context_of, context_here, stream_id, graph_node_id,  graph_id};
  static const int once = pthread_atfork(nullptr, nullptr, [] { forked = state().initialized.load(); });
  static_cast<void>(once);
  return &table;
}

}  // namespace fake_cuda
