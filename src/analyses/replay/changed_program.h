#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analyses/replay/recorded_extent.h"
#include "analyses/replay/replay.h"
#include "base/system/lower_bound_near.h"

namespace sonde {

/// What a change does to operations. Tables are empty where it does nothing of the kind.
class ChangedOperations {
 public:
  ChangedOperations(const RecordedExtent& recorded, const Change& change) : recorded_(recorded) {
    resize(change);
    for (const Row row : change.ahead) {
      const uint32_t op = recorded.operation_of(recorded.trace.copies, row);
      if (op == kNone) continue;
      ahead_.resize(recorded.operations.size(), false);
      ahead_[op] = true;
    }
    for (uint32_t group = 0; group < change.side_by_side.size(); ++group) {
      for (const SideBySide::Operation& member : change.side_by_side[group].operations) {
        const uint32_t op = recorded.operation_of(*member.table, member.row);
        if (op == kNone) continue;
        group_of_.resize(recorded.operations.size(), kNone);
        group_of_[op] = group;
      }
    }
  }

  /// How long it takes in the replay.
  [[nodiscard]] int64_t duration_ns(uint32_t op) const {
    return durations_.empty() ? recorded_.operations[op].duration() : durations_[op];
  }
  /// Whether nothing on the GPU waits for it.
  [[nodiscard]] bool ahead(uint32_t op) const { return !ahead_.empty() && ahead_[op]; }
  /// Of Change::side_by_side.
  [[nodiscard]] uint32_t group_of(uint32_t op) const { return group_of_.empty() ? kNone : group_of_[op]; }
  [[nodiscard]] StreamId stream_of(uint32_t op) const {
    return ahead(op) ? recorded_.ahead_stream(recorded_.operations[op]) : recorded_.operations[op].stream;
  }
  /// Of a copy to the host that is ahead: the stream whose results it takes.
  [[nodiscard]] StreamId behind(uint32_t op) const {
    return ahead(op) && recorded_.operations[op].to_host ? recorded_.operations[op].stream : kNone;
  }

 private:
  void resize(const Change& change) {
    if (change.kernels.empty() && change.copies.empty() && change.sets.empty()) return;
    durations_.reserve(recorded_.operations.size());
    for (const RecordedOperation& op : recorded_.operations) durations_.push_back(op.duration());
    const auto resize_all = [&](const GpuOps& table, const std::vector<Change::Resized>& resized) {
      for (const Change::Resized& r : resized) {
        const uint32_t op = recorded_.operation_of(table, r.row);
        if (op != kNone) durations_[op] = r.duration_ns;
      }
    };
    resize_all(recorded_.trace.kernels, change.kernels);
    resize_all(recorded_.trace.copies, change.copies);
    resize_all(recorded_.trace.sets, change.sets);
    keep_time_for_pulls(change.copies);
  }

  /// A kernel takes no less than the pages that come while it runs.
  void keep_time_for_pulls(const std::vector<Change::Resized>& copies) {
    std::map<Row, int64_t> resized;
    for (const Change::Resized& r : copies) resized[r.row] = r.duration_ns;
    std::map<uint32_t, int64_t> pulled_ns;  // by kernel
    for (const PulledPages& pages : recorded_.pulled) {
      const Copies& table = recorded_.trace.copies;
      const auto changed = resized.find(pages.copy);
      pulled_ns[pages.kernel] +=
          changed == resized.end() ? table.end[pages.copy] - table.start[pages.copy] : changed->second;
    }
    for (const auto& [kernel, ns] : pulled_ns) {
      durations_[kernel] = std::max(durations_[kernel], std::min(ns, recorded_.operations[kernel].duration()));
    }
  }

  const RecordedExtent& recorded_;
  Longs durations_;
  std::vector<bool> ahead_;
  Ids group_of_;
};

/// What a change does to calls. Tables are empty where it cuts nothing.
class ChangedCalls {
 public:
  ChangedCalls(const RecordedExtent& recorded, const std::vector<Cut>& cuts)
      : api_(recorded.trace.api), cuts_(cuts), start_of_cut_{cuts}, of_thread_(recorded.trace.threads.size()) {
    if (std::ranges::all_of(cuts, &Cut::between_calls)) return;
    for (uint32_t i = 0; i < cuts.size(); ++i) {
      if (cuts[i].between_calls) continue;
      if (cuts[i].thread >= of_thread_.size()) of_thread_.resize(cuts[i].thread + size_t{1});
      of_thread_[cuts[i].thread].push_back(i);
    }
    for (Ids& of_one : of_thread_) std::ranges::stable_sort(of_one, {}, start_of_cut_);
    find_cuts(recorded.calls);
  }

  /// It is not made. `call` is one of RecordedExtent::calls, or kNone.
  [[nodiscard]] bool is_gone(uint32_t call, Row row) const {
    const uint32_t cut = cut_of(call, row);
    return cut != kNone && !cuts_[cut].as_graph;
  }
  /// The cut as whose graph its work runs.
  [[nodiscard]] uint32_t graph_of(uint32_t call, Row row) const {
    const uint32_t cut = cut_of(call, row);
    return cut != kNone && cuts_[cut].as_graph ? cut : kNone;
  }
  [[nodiscard]] bool waits(uint32_t call) const { return no_wait_.empty() || !no_wait_[call]; }

 private:
  struct StartOfCut {
    const std::vector<Cut>& cuts;
    int64_t operator()(uint32_t cut) const { return cuts[cut].start_ns; }
  };
  /// Calls come by end, so that the cuts around each are near those around the one before on its thread.
  void find_cuts(const std::vector<RecordedCall>& calls) {
    cut_of_.assign(calls.size(), kNone);
    no_wait_.assign(calls.size(), false);
    std::vector<size_t> near(of_thread_.size(), 0);
    for (size_t i = 0; i < calls.size(); ++i) {
      const Row row = calls[i].row;
      const std::span<const uint32_t> own(of_thread_[api_.thread[row]]);
      if (own.empty()) continue;
      size_t& next = near[api_.thread[row]];
      next = lower_bound_near(own, api_.end[row], next, start_of_cut_);
      no_wait_[i] = reaches_end(own, row, next);
      const size_t behind_start = upper_bound_near(own, api_.start[row], next, start_of_cut_);
      if (reaches_end(own, row, behind_start)) cut_of_[i] = own[behind_start - 1];
    }
  }

  [[nodiscard]] bool reaches_end(std::span<const uint32_t> own, Row row, size_t next) const {
    return next > 0 && api_.end[row] <= cuts_[own[next - 1]].end_ns;
  }
  [[nodiscard]] uint32_t cut_of(uint32_t call, Row row) const {
    if (row == kNone) return kNone;
    return call == kNone || cut_of_.empty() ? find_cut(row) : cut_of_[call];
  }
  [[nodiscard]] uint32_t find_cut(Row row) const {
    const std::span<const uint32_t> own(of_thread_[api_.thread[row]]);
    const size_t next = upper_bound_near(own, api_.start[row], own.size() / 2, start_of_cut_);
    return reaches_end(own, row, next) ? own[next - 1] : kNone;
  }

  const Calls& api_;
  const std::vector<Cut>& cuts_;
  StartOfCut start_of_cut_;
  std::vector<Ids> of_thread_;  ///< cuts by start
  Ids cut_of_;                  ///< of each of RecordedExtent::calls
  std::vector<bool> no_wait_;
};

}  // namespace sonde
