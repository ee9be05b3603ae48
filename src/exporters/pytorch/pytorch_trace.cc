#include <array>

#include "exporters/exporter.h"
#include "exporters/files/output_file.h"
#include "exporters/pytorch/writer.h"

namespace sonde {
namespace pytorch_export {
namespace {

struct Property {
  std::string_view key;
  std::optional<int64_t> Device::* value;
};

constexpr std::array kProperties = {
    Property{"totalGlobalMem", &Device::total_memory_bytes},
    Property{"computeMajor", &Device::compute_major},
    Property{"computeMinor", &Device::compute_minor},
    Property{"maxThreadsPerBlock", &Device::max_threads_per_block},
    Property{"regsPerBlock", &Device::max_registers_per_block},
    Property{"warpSize", &Device::threads_per_warp},
    Property{"sharedMemPerBlock", &Device::max_shared_bytes_per_block},
    Property{"numSms", &Device::sm_count},
    Property{"regsPerMultiprocessor", &Device::max_registers_per_sm},
    Property{"sharedMemPerBlockOptin", &Device::max_shared_bytes_per_block_optin},
    Property{"sharedMemPerMultiprocessor", &Device::max_shared_bytes_per_sm},
};

void put_device(Writer& w, DeviceId id) {
  const Device& d = w.trace.devices[id];
  w.put(FMT_COMPILE("{}\n    {{\"id\":{},\"name\":\"{}\""), id == 0 ? "" : ",", w.device_number(id),
        json_escape(d.name));
  for (const Property& p : kProperties) {
    if (const auto& value = d.*p.value) w.put(FMT_COMPILE(",\"{}\":{}"), p.key, *value);
  }
  if (d.max_warps_per_sm) {
    w.put(FMT_COMPILE(",\"maxThreadsPerMultiprocessor\":{}"), *d.max_warps_per_sm * d.threads_per_warp.value_or(32));
  }
  w.append("}");
}

void put_distributed(Writer& w, const Rank& r) {
  if (!r.rank || !r.world_size) return;
  w.put(FMT_COMPILE("  \"distributedInfo\":{{\"backend\":\"{}\",\"rank\":{},\"world_size\":{}}},\n"),
        json_escape(r.backend), *r.rank, *r.world_size);
}

void put_label(Writer& w, Place place, std::string_view what, std::string_view key, std::string_view text) {
  w.begin();
  w.put(FMT_COMPILE("{{\"name\":\"{}\",\"ph\":\"M\",\"ts\":0.000,\"pid\":{},\"tid\":{},\"args\":{{\"{}\":\"{}\""), what,
        place.pid, place.tid, key, text);
  w.close("}}");
}

}  // namespace

void write_header(Writer& w) {
  w.append("{\n  \"schemaVersion\":1,\n  \"deviceProperties\":[");
  for (DeviceId d = 0; d < w.trace.devices.size(); ++d) put_device(w, d);
  w.append("],\n");
  if (!w.trace.ranks.empty()) {
    const Rank& first = w.trace.ranks.front();
    put_distributed(w, first);
    if (first.product.starts_with("PyTorch profiler")) {
      w.put(FMT_COMPILE("  \"recordedBy\":\"{}\",\n"), json_escape(first.product));
    }
    if (first.utc_ns) w.put(FMT_COMPILE("  \"baseTimeNanoseconds\":{},\n"), *first.utc_ns);
  }
  w.append("  \"displayTimeUnit\":\"ms\",\n  \"traceName\":\"Sonde\",\n  \"traceEvents\":[");
}

void write_threads(Writer& w) {
  for (ProcessId p = 0; p < w.trace.processes.size(); ++p) {
    const NameId name = w.trace.processes[p].name;
    put_label(w, {w.pid_of(p), 0}, "process_name", "name", name == kNone ? "python" : w.name(name));
    put_label(w, {w.pid_of(p), 0}, "process_labels", "labels", "CPU");
  }
  for (ThreadId t = 0; t < w.trace.threads.size(); ++t) {
    if (w.trace.threads[t].name == kNone) continue;
    put_label(w, w.place_of_thread(t), "thread_name", "name", w.name(w.trace.threads[t].name));
  }
  for (DeviceId d = 0; d < w.trace.devices.size(); ++d) {
    put_label(w, {w.device_number(d), 0}, "process_labels", "labels", fmt::format("GPU {}", w.device_number(d)));
  }
  for (StreamId s = 0; s < w.trace.streams.size(); ++s) {
    const Place place = w.place_of_stream(s);
    if (place.tid >= 0) put_label(w, place, "thread_name", "name", fmt::format("stream {}", place.tid));
  }
}

/// When the recording began and ended, as torch.profiler tells it.
void write_window(Writer& w) {
  if (w.trace.ranks.empty()) return;
  const Rank& r = w.trace.ranks.front();
  if (!r.capture_start_ns || !r.capture_end_ns) return;
  w.begin();
  w.append("{\"ph\":\"X\",\"cat\":\"Trace\",\"ts\":");
  w.microseconds(*r.capture_start_ns);
  w.append(",\"dur\":");
  w.microseconds(*r.capture_end_ns - *r.capture_start_ns);
  w.close(
      ",\"pid\":\"Spans\",\"tid\":\"PyTorch Profiler\",\"name\":\"PyTorch Profiler (0)\",\"args\":{\"Op count\":0}}");
}

namespace {

void write_document(Writer& w) {
  write_header(w);
  write_threads(w);
  write_window(w);
  write_ranges(w);
  write_calls(w);
  write_gpu_operations(w);
  write_syncs(w);
  write_allocations(w);
  w.append("\n  ]\n}\n");
}

Status write_file(const Trace& trace, const std::string& path, bool gzip, Progress& progress) {
  auto file = TextFile::create(path, gzip);
  if (!file) return std::unexpected(file.error());
  Writer writer(trace, *file, progress);
  write_document(writer);
  return file->finish();
}

int64_t total_events(const Trace& t) {
  const size_t gpu = row_count(t.kernels) + row_count(t.copies) + row_count(t.sets) + row_count(t.graph_launches);
  return static_cast<int64_t>(row_count(t.ranges) + 2 * row_count(t.api) + 2 * gpu + row_count(t.syncs) +
                              row_count(t.allocations));
}

}  // namespace
}  // namespace pytorch_export

Status write_pytorch_trace(const Trace& trace, const std::string& path, const ExportOptions& options) {
  auto file = OutputFile::open(path, options);
  if (!file) return std::unexpected(file.error());
  options.progress->begin("writing " + path, pytorch_export::total_events(trace), "events");
  const Status written = pytorch_export::write_file(trace, file->path(), path.ends_with(".gz"), *options.progress);
  options.progress->end();
  if (!written) return fail("cannot write {}: {}", path, written.error().message);
  return file->commit();
}

namespace {

constexpr std::array<std::string_view, 2> kEndings = {".json", ".json.gz"};

Fields pytorch_fields() {
  return kGpuWork | Fields{Field::kernel_grid, Field::kernel_resources, Field::syncs,
                           Field::streams,     Field::launches,         Field::api,
                           Field::ranges,      Field::range_links,      Field::range_details,
                           Field::allocations};
}

}  // namespace

extern const Exporter pytorch_trace_exporter;
const Exporter pytorch_trace_exporter = {"pytorch_trace", "JSON trace of torch.profiler (Kineto)", kEndings,
                                         &pytorch_fields, &write_pytorch_trace};

}  // namespace sonde
