#include "record/cuda/cuda_objects.h"

#include <algorithm>
#include <array>
#include <limits>

#include "record/cuda/uuid_text.h"
#include "record/rounds/body.h"

namespace sonde::record {
namespace {

uint64_t object_key(uint32_t of, uint32_t number) { return uint64_t{of} << 32U | number; }

/// What the driver does not know is 0 there, and no GPU has none of it. What no number here can hold is damage.
std::optional<int64_t> known(uint64_t value, int64_t scale = 1) {
  const auto most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max() / scale);
  return value == 0 || value > most ? std::nullopt : std::optional(static_cast<int64_t>(value) * scale);
}

void fill_limits(Device& d, const wire::DeviceBody& b) {
  d.threads_per_warp = known(b.threads_per_warp);
  d.max_threads_per_block = known(b.max_threads_per_block);
  d.max_warps_per_sm = known(b.max_warps_per_sm);
  d.max_blocks_per_sm = known(b.max_blocks_per_sm);
  d.max_registers_per_block = known(b.max_registers_per_block);
  d.max_registers_per_sm = known(b.max_registers_per_sm);
  d.max_shared_bytes_per_block = known(b.max_shared_bytes_per_block);
  d.max_shared_bytes_per_sm = known(b.max_shared_bytes_per_sm);
  d.max_ipc = known(b.max_ipc);
  d.max_block_x = known(b.max_block[0]);
  d.max_block_y = known(b.max_block[1]);
  d.max_block_z = known(b.max_block[2]);
  d.max_grid_x = known(b.max_grid[0]);
  d.max_grid_y = known(b.max_grid[1]);
  d.max_grid_z = known(b.max_grid[2]);
}

Device device_of_body(const wire::DeviceBody& b, const std::string& name) {
  constexpr int64_t kPerKilo = 1000;
  Device d;
  d.id = b.id;
  d.name = name;
  d.uuid = uuid_text(b.uuid);
  d.cuda_ordinal = b.id;
  d.sm_count = known(b.sm_count);
  d.total_memory_bytes = known(b.memory_bytes);
  d.memory_bandwidth_bytes_per_s = known(b.memory_bandwidth_kb_per_s, kPerKilo);
  d.clock_hz = known(b.clock_khz, kPerKilo);
  d.l2_bytes = known(b.l2_bytes);
  d.compute_major = known(b.compute_major);
  if (d.compute_major) d.compute_minor = b.compute_minor;
  d.copy_engines = known(b.copy_engines);
  d.constant_bytes = known(b.constant_bytes);
  fill_limits(d, b);
  return d;
}

}  // namespace

CudaObjects::CudaObjects(Trace& trace, const Slices& slices) : trace_(trace) {
  LettingGo letting_go(slices.let_go);
  for (const Slice& slice : slices.all) {
    letting_go.has_read(slice);
    wire::Reader reader(slice.records);
    wire::Record record;
    while (reader.next(record)) {
      if (record.head.kind == wire::Kind::cuda_graph) add_graph(body_of<wire::CudaGraphBody>(record), slice);
      add(record, sources_[{slice.process, slice.thread}]);
    }
  }
  for (const auto& [body, source] : devices_) add_device(body, *source);
}

void CudaObjects::add(const wire::Record& record, OfSource& source) {
  switch (record.head.kind) {
    case wire::Kind::cuda_name: return add_text(record, source);
    case wire::Kind::cuda_api_name:
      source.calls[object_key(record.head.domain, static_cast<uint32_t>(record.id))] = trace_.names.intern(record.text);
      return;
    case wire::Kind::cuda_device: devices_.emplace_back(body_of<wire::DeviceBody>(record), &source); return;
    case wire::Kind::cuda_context: {
      const auto context = body_of<wire::ContextBody>(record);
      source.contexts[context.context] = context;
      return;
    }
    case wire::Kind::cuda_stream: {
      const auto stream = body_of<wire::StreamBody>(record);
      source.streams[object_key(stream.context, stream.stream)] = stream;
      return;
    }
    default: return;
  }
}

void CudaObjects::add_text(const wire::Record& record, OfSource& source) {
  const auto body = body_of<wire::CudaNameBody>(record);
  std::string& text = source.texts[body.id];
  if (body.part == 0) text.clear();
  text += record.text;
}

/// Processes that see the same GPU mean one by it, whatever number it has there.
DeviceId CudaObjects::device_row(const wire::DeviceBody& body, const std::string& name) {
  Device device = device_of_body(body, name);
  const auto found = std::ranges::find_if(trace_.devices, [&](const Device& known) {
    return device.uuid.empty() ? known.id == device.id : known.uuid == device.uuid;
  });
  if (found != trace_.devices.end()) return static_cast<DeviceId>(found - trace_.devices.begin());
  const bool taken = std::ranges::find(trace_.devices, device.id, &Device::id) != trace_.devices.end();
  if (taken) device.id = static_cast<int64_t>(trace_.devices.size());
  trace_.devices.push_back(std::move(device));
  return static_cast<DeviceId>(trace_.devices.size() - 1);
}

void CudaObjects::add_device(const wire::DeviceBody& body, OfSource& source) {
  const auto name = source.texts.find(body.name);
  source.devices[body.id] = device_row(body, name == source.texts.end() ? std::string() : name->second);
}

const std::string& CudaObjects::text(const CudaSource& source, uint32_t number) const {
  static const std::string no_text;
  const auto of = sources_.find(source);
  if (of == sources_.end()) return no_text;
  const auto found = of->second.texts.find(number);
  return found == of->second.texts.end() ? no_text : found->second;
}

KernelNames CudaObjects::kernel(const CudaSource& source, uint32_t number) {
  const auto [place, fresh] = sources_[source].kernels.try_emplace(number);
  if (!fresh) return place->second;
  const std::string& mangled = text(source, number);
  return place->second = kernel_names(trace_.names, mangled.empty() ? "kernel without a name" : mangled);
}

NameId CudaObjects::call(const CudaSource& source, uint16_t domain, uint32_t number) {
  constexpr uint16_t kDriver = 1;
  const auto [place, fresh] = sources_[source].calls.try_emplace(object_key(domain, number));
  if (fresh) {
    place->second = trace_.names.intern(
        fmt::format("{} call {} (name lost)", domain == kDriver ? "CUDA driver" : "CUDA runtime", number));
  }
  return place->second;
}

std::optional<uint32_t> CudaObjects::device_of(const CudaSource& source, uint32_t context) const {
  const auto of = sources_.find(source);
  if (of == sources_.end()) return std::nullopt;
  const auto found = of->second.contexts.find(context);
  return found == of->second.contexts.end() ? std::nullopt : std::optional(found->second.device);
}

/// CUPTI also tells of the graphs that come to be on the way to a clone, or to an executable one: of the result itself,
/// and behind it of the forms that the driver makes of it (two in all for an executable graph, with CUPTI 13.0).
void CudaObjects::take_steps_to(const Slice& slice, uint32_t result) {
  std::vector<uint32_t>& created = sources_[{slice.process, slice.thread}].created_graphs;
  const auto first = std::ranges::find(created.rbegin(), created.rend(), result);
  if (first == created.rend()) return;
  const auto from = std::prev(first.base());
  for (auto at = from; at != created.end(); ++at) steps_.insert(object_key(slice.process, *at));
  created.erase(from, created.end());
}

bool CudaObjects::is_step(uint32_t process, uint32_t graph) const {
  return steps_.contains(object_key(process, graph));
}

/// A process that becomes another program numbers its graphs again: then a number says nothing.
void CudaObjects::add_graph(const wire::CudaGraphBody& graph, const Slice& slice) {
  switch (graph.change) {
    case wire::CudaGraphChange::created:
      return sources_[{slice.process, slice.thread}].created_graphs.push_back(graph.graph);
    case wire::CudaGraphChange::cloned: return take_steps_to(slice, graph.graph);
    case wire::CudaGraphChange::instantiated: take_steps_to(slice, graph.executable);
  }
  if (graph.graph == 0 || graph.executable == 0) return;
  const auto note = [&](Numbered<uint32_t>& map, uint32_t from, uint32_t to) {
    const auto [place, fresh] = map.try_emplace(object_key(slice.process, from), to);
    if (!fresh && place->second != to) place->second = kNone;
  };
  note(graph_of_, graph.executable, graph.graph);
  note(executable_of_, graph.graph, graph.executable);
}

/// An executable graph is a clone of the one that it was made of, in the same row of numbers.
CudaObjects::Launched CudaObjects::launched(uint32_t process, uint32_t number) const {
  const auto graph = graph_of_.find(object_key(process, number));
  if (graph != graph_of_.end() && graph->second != kNone) return {graph->second, number};
  const auto executable = executable_of_.find(object_key(process, number));
  return {number, executable == executable_of_.end() ? kNone : executable->second};
}

void CudaObjects::describe(const CudaSource& source, Stream& stream) const {
  const auto of = sources_.find(source);
  if (of == sources_.end()) return;
  const auto device = of->second.devices.find(static_cast<uint32_t>(stream.ordinal));
  if (device != of->second.devices.end()) stream.device = device->second;
  const auto context = of->second.contexts.find(stream.context);
  stream.is_default = context != of->second.contexts.end() && context->second.null_stream == stream.stream;
  const auto facts = of->second.streams.find(object_key(stream.context, stream.stream));
  if (facts == of->second.streams.end()) return;
  stream.priority = static_cast<int>(facts->second.priority);
  stream.flags = static_cast<int>(facts->second.flag);
}

}  // namespace sonde::record
