#include <algorithm>
#include <map>
#include <type_traits>

#include <fmt/format.h>

#include "analyses/gpus/operation_names.h"
#include "analyses/kernels/launch_shape.h"
#include "analyses/timeline/track_builder.h"
#include "base/system/sort_runs.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// A row of one of the tables whose operations occupy a GPU.
struct TrackOperation {
  int64_t start;
  uint32_t table;  ///< in the order of for_each_gpu_table()
  Row row;
};

/// All operations, stream by stream in the order of time.
std::vector<std::vector<TrackOperation>> operations_by_stream(const Trace& trace) {
  std::vector<std::vector<TrackOperation>> of_stream(trace.streams.size());
  uint32_t table = 0;
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    for (Row row = 0; row < ops.start.size(); ++row) of_stream[ops.stream[row]].push_back({ops.start[row], table, row});
    ++table;
  });
  for (auto& operations : of_stream) sort_runs(operations, &TrackOperation::start);
  return of_stream;
}

std::string dims_text(const Dim3& d) { return fmt::format("{} x {} x {}", d[0], d[1], d[2]); }

/// What tells one detail from another.
template <typename T>
std::string_view bytes_of(const T& key) {
  static_assert(std::has_unique_object_representations_v<T>);
  return {reinterpret_cast<const char*>(&key), sizeof(key)};  // NOLINT(*-reinterpret-cast)
}

void add_known(SliceDetail& detail, std::string_view name, int32_t value) {
  if (value != kUnknown32) detail.emplace_back(name, fmt::format("{}", value));
}

/// What a launch was, as far as the source tells.
struct LaunchFacts {
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;
  int32_t registers;
  int32_t static_shared_bytes;
  int32_t dynamic_shared_bytes;
  int32_t shared_bytes;
};

LaunchFacts launch_facts(const Kernels& k, Row row) {
  return {.grid = value_or_absent(k.grid, row),
          .block = value_or_absent(k.block, row),
          .cluster = value_or_absent(k.cluster, row),
          .registers = value_or_absent(k.registers, row),
          .static_shared_bytes = value_or_absent(k.static_shared_bytes, row),
          .dynamic_shared_bytes = value_or_absent(k.dynamic_shared_bytes, row),
          .shared_bytes = value_or_absent(k.shared_bytes, row)};
}

SliceDetail detail_of(const LaunchFacts& k) {
  SliceDetail detail;
  if (is_known(k.grid)) detail.emplace_back("grid", dims_text(k.grid));
  if (is_known(k.block)) detail.emplace_back("block", dims_text(k.block));
  if (is_known(k.cluster)) detail.emplace_back("cluster", dims_text(k.cluster));
  add_known(detail, "registers per thread", k.registers);
  if (k.static_shared_bytes != kUnknown32 || k.dynamic_shared_bytes != kUnknown32) {
    add_known(detail, "static shared memory, bytes", k.static_shared_bytes);
    add_known(detail, "dynamic shared memory, bytes", k.dynamic_shared_bytes);
  } else {
    add_known(detail, "shared memory, bytes", k.shared_bytes);
  }
  return detail;
}

/// The slices of one stream.
class StreamTrack {
 public:
  StreamTrack(const TimelineSource& source, Timeline& timeline, Track header)
      : source_(source), builder_(timeline, std::move(header)) {}

  void add(const TrackOperation& operation) {
    switch (operation.table) {
      case 0: return add_kernel(operation.row);
      case 1: return add_copy(operation.row);
      case 2: return add_set(operation.row);
      default: return add_graph(operation.row);
    }
  }
  Track finish() && { return std::move(builder_).finish(); }

 private:
  void add_kernel(Row row) {
    const Kernels& k = source_.trace.kernels;
    const LaunchFacts facts = launch_facts(k, row);
    const SliceCategory category = category_of(source_.kernel_classes[row], source_.communication[row]);
    put(k, row, builder_.name(source_.trace, k.name[row], category, value_or_absent(k.short_name, row)),
        builder_.detail(bytes_of(facts), [&] { return detail_of(facts); }));
  }

  void add_copy(Row row) {
    const Copies& c = source_.trace.copies;
    const std::array<int64_t, 3> key = {c.bytes[row], c.source[row], c.destination[row]};
    put(c, row, builder_.name(copy_operation(c.kind[row]), category_of(static_cast<CopyKind>(c.kind[row]))),
        builder_.detail(bytes_of(key), [&] {
          SliceDetail detail;
          if (c.bytes[row] != kUnknown) detail.emplace_back("bytes", fmt::format("{}", c.bytes[row]));
          add_memory(detail, "from", c.source[row]);
          add_memory(detail, "to", c.destination[row]);
          return detail;
        }));
  }

  void add_set(Row row) {
    const Sets& s = source_.trace.sets;
    const std::array<int64_t, 2> key = {s.bytes[row], s.memory[row]};
    put(s, row, builder_.name(set_operation(), SliceCategory::set), builder_.detail(bytes_of(key), [&] {
      SliceDetail detail;
      if (s.bytes[row] != kUnknown) detail.emplace_back("bytes", fmt::format("{}", s.bytes[row]));
      add_memory(detail, "memory", s.memory[row]);
      return detail;
    }));
  }

  void add_graph(Row row) {
    const GraphLaunches& g = source_.trace.graph_launches;
    put(g, row, builder_.name(fmt::format("CUDA graph {}", g.graph[row]), SliceCategory::graph), kNone);
  }

  static void add_memory(SliceDetail& detail, std::string_view name, uint8_t memory) {
    const std::string_view kind = memory_kind_name(memory);
    if (!kind.empty()) detail.emplace_back(name, kind);
  }

  void put(const GpuOps& ops, Row row, uint32_t name, uint32_t detail) {
    builder_.add({ops.start[row], ops.end[row], name, detail, ops.launch[row]});
  }

  const TimelineSource& source_;
  TrackBuilder builder_;
};

/// "Stream 7", with its process or context where another stream of the GPU has the same number.
class StreamLabels {
 public:
  explicit StreamLabels(const TimelineSource& source) : trace_(source.trace) {
    for (StreamId s = 0; s < trace_.streams.size(); ++s) {
      if (source.gpus.of_stream[s] != kNone) ++alike_[{source.gpus.of_stream[s], trace_.streams[s].stream}];
    }
  }

  [[nodiscard]] std::string of(uint32_t gpu, StreamId id) const {
    const Stream& stream = trace_.streams[id];
    std::string label = stream.stream == kNone
                            ? std::string("No stream")
                            : fmt::format("{} {}", stream.is_default ? "Default stream" : "Stream", stream.stream);
    if (alike_.at({gpu, stream.stream}) > 1) {
      label += fmt::format(", process {}, context {}", trace_.processes[stream.process].pid, stream.context);
    }
    return label;
  }

 private:
  const Trace& trace_;
  std::map<std::pair<uint32_t, uint32_t>, int> alike_;
};

}  // namespace

/// What ran on each stream: kernels, copies, sets and whole graphs.
void add_gpu_tracks(const TimelineSource& source, Timeline& timeline) {
  const auto of_stream = operations_by_stream(source.trace);
  const StreamLabels labels(source);
  for (StreamId s = 0; s < of_stream.size(); ++s) {
    if (of_stream[s].empty()) continue;
    const uint32_t gpu = source.gpus.of_stream[s];
    StreamTrack track(source, timeline, gpu_track(source.trace, source.gpus, gpu, TrackKind::gpu, labels.of(gpu, s)));
    for (const TrackOperation& operation : of_stream[s]) track.add(operation);
    timeline.tracks.push_back(std::move(track).finish());
  }
}

}  // namespace sonde
