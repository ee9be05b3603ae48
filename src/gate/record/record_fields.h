#pragma once

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "gate/record/run_record.h"

/// The keys of a record's JSON, once for writer and reader. A visitor has
///
///   required(key, member)  what each row has
///   optional(key, member)  left out where it is false, empty or absent
///   steps(key, vector)     a value each kept step: one number where all are alike, left out where all are 0
namespace sonde::gate {

template <typename T, typename Row>
concept RowOf = std::same_as<std::remove_const_t<T>, Row>;

template <typename Visitor>
void visit_fields(RowOf<GpuOfRun> auto& gpu, Visitor& v) {
  v.required("place", gpu.place);
  v.required("ordinal", gpu.ordinal);
  v.optional("name", gpu.name);
  v.required("busy_ns", gpu.busy_ns);
  v.optional("communication_ns", gpu.communication_ns);
  v.optional("exposed_communication_ns", gpu.exposed_communication_ns);
  v.optional("peak_memory_bytes", gpu.peak_memory_bytes);
  v.optional("sm_clock_hz", gpu.sm_clock_hz);
  v.steps("step_busy_ns", gpu.step_busy_ns);
  v.steps("step_communication_ns", gpu.step_communication_ns);
  v.steps("step_exposed_communication_ns", gpu.step_exposed_communication_ns);
}

template <typename Visitor>
void visit_fields(RowOf<WorkGroup> auto& group, Visitor& v) {
  v.required("kind", group.kind);
  v.optional("name", group.name);
  v.optional("module", group.module);
  v.required("gpu", group.gpu);
  v.optional("pageable", group.pageable);
  v.optional("communication", group.communication);
  v.required("share_ns", group.share_ns);
  v.required("duration_ns", group.duration_ns);
  v.required("count", group.count);
  v.optional("bytes", group.bytes);
  v.steps("step_count", group.step_count);
  v.steps("step_duration_ns", group.step_duration_ns);
  v.steps("step_bytes", group.step_bytes);
}

template <typename Visitor>
void visit_fields(RowOf<IdleGroup> auto& group, Visitor& v) {
  v.required("cause", group.cause);
  v.optional("module", group.module);
  v.optional("what", group.what);
  v.required("gpu", group.gpu);
  v.required("ns", group.ns);
  v.required("pieces", group.pieces);
}

template <typename Visitor>
void visit_fields(RowOf<CallGroup> auto& group, Visitor& v) {
  v.required("name", group.name);
  v.optional("module", group.module);
  v.optional("launches", group.launches);
  v.optional("synchronizes", group.synchronizes);
  v.optional("allocates", group.allocates);
  v.required("count", group.count);
  v.required("duration_ns", group.duration_ns);
  v.steps("step_count", group.step_count);
  v.steps("step_duration_ns", group.step_duration_ns);
}

template <typename Visitor>
void visit_fields(RowOf<KernelShape> auto& shape, Visitor& v) {
  v.required("kernel", shape.kernel);
  v.required("grid", shape.grid);
  v.required("block", shape.block);
  v.required("count", shape.count);
  v.optional("registers_per_thread", shape.registers_per_thread);
  v.optional("shared_bytes_per_block", shape.shared_bytes_per_block);
  v.optional("local_bytes_per_thread", shape.local_bytes_per_thread);
  v.optional("blocks_per_sm", shape.blocks_per_sm);
  v.optional("theoretical_occupancy_percent", shape.theoretical_occupancy_percent);
}

template <typename Visitor>
void visit_fields(RowOf<KernelMeasure> auto& measure, Visitor& v) {
  v.required("kernel", measure.kernel);
  v.optional("duration_ns", measure.duration_ns);
  v.optional("cycles", measure.cycles);
  v.optional("achieved_occupancy_percent", measure.achieved_occupancy_percent);
  v.optional("spill_bytes", measure.spill_bytes);
  v.optional("figures", measure.figures);
  v.optional("metrics", measure.metrics);
}

template <typename Visitor>
void visit_fields(RowOf<RangeTimes> auto& range, Visitor& v) {
  v.required("name", range.name);
  v.required("count", range.count);
  v.required("p50_ns", range.p50_ns);
  v.required("p95_ns", range.p95_ns);
  v.required("p99_ns", range.p99_ns);
}

/// What comes before the lists of rows.
template <typename Visitor>
void visit_fields(RowOf<RunRecord> auto& record, Visitor& v) {
  v.required("source", record.source);
  v.required("conditions", record.conditions);
  v.optional("started_s", record.session.started_s);
  v.optional("boot", record.session.boot);
  v.optional("load", record.session.load);
  v.optional("other_load", record.session.other_load);
  v.optional("sm_clock_mhz", record.session.sm_clock_mhz);
  v.optional("has_gpu_work", record.recorded.gpu_work);
  v.optional("has_whole_graphs", record.recorded.whole_graphs);
  v.optional("has_copy_memory", record.recorded.copy_memory);
  v.optional("has_api_calls", record.recorded.api_calls);
  v.optional("avg_kernel_ns", record.avg_kernel_ns);
  v.required("wall_ns", record.wall_ns);
  v.optional("cpu_ns", record.cpu_ns);
  v.optional("instructions", record.instructions);
  v.optional("cycles", record.cycles);
  v.required("extent_ns", record.extent_ns);
  v.required("steps", record.steps);
  v.optional("step_ns", record.step_ns);
  v.optional("graph_nodes", record.graph_nodes);
  v.optional("dropped_ranges", record.dropped_ranges);
}

/// Calls `f(key, rows)` for each list of a record.
template <typename F>
void for_each_list(RowOf<RunRecord> auto& record, F f) {
  f("gpus", record.gpus);
  f("work", record.work);
  f("idle", record.idle);
  f("calls", record.calls);
  f("shapes", record.shapes);
  f("measures", record.measures);
  f("ranges", record.ranges);
}

inline constexpr int64_t kRecordVersion = 1;
inline constexpr const char* kRecordKey = "sonde_record";  ///< the first key; its value is the version

/// Words of WorkKind, by its value.
inline constexpr std::array<std::string_view, 4> kWorkWords = {"kernel", "copy", "set", "graph_launch"};

}  // namespace sonde::gate
