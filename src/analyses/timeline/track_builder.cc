#include "analyses/timeline/track_builder.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyses/calls/api_label.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// More would tell each slice something of its own, and take more room than the slices.
constexpr size_t kMaxDetails = 20'000;

std::string heading(std::string_view what, int64_t number, std::string_view name) {
  return fmt::format("{} {}{}{}", what, number, name.empty() ? "" : " ", name);
}

}  // namespace

uint32_t TrackBuilder::add_name(const TrackName& name) {
  track_.names.push_back(name);
  return static_cast<uint32_t>(track_.names.size() - 1);
}

uint32_t TrackBuilder::name(const Trace& trace, NameId id, SliceCategory category, NameId shown) {
  const uint64_t key = uint64_t{id} << 8U | static_cast<uint64_t>(category);
  const auto [known, fresh] = names_.try_emplace({key, true}, 0U);
  if (fresh) {
    const std::string_view name = trace.name(id);
    const NameId text = timeline_.texts.intern(track_.kind == TrackKind::api ? api_label(name) : name);
    const NameId short_text = shown == kNone || shown == id ? kNone : timeline_.texts.intern(trace.name(shown));
    known->second = add_name({text, category, short_text == text ? kNone : short_text});
  }
  return known->second;
}

uint32_t TrackBuilder::name(std::string_view text, SliceCategory category) {
  const NameId id = timeline_.texts.intern(text);
  const uint64_t key = uint64_t{id} << 8U | static_cast<uint64_t>(category);
  const auto [known, fresh] = names_.try_emplace({key, false}, 0U);
  if (fresh) known->second = add_name({id, category, kNone});
  return known->second;
}

uint32_t TrackBuilder::detail(std::string_view key, const std::function<SliceDetail()>& make) {
  if (const auto known = details_.find(key); known != details_.end()) return known->second;
  if (track_.details.size() >= kMaxDetails) return kNone;
  const auto index = static_cast<uint32_t>(track_.details.size());
  SliceDetail detail = make();
  details_.emplace(key, detail.empty() ? kNone : index);
  if (detail.empty()) return kNone;
  track_.details.push_back(std::move(detail));
  return index;
}

uint32_t TrackBuilder::add(const Event& event, uint32_t least_row) {
  const auto [first, last] = timeline_.extent;
  if (event.end < first || event.start > last) return least_row;
  const int64_t start = std::max(event.start, first);
  const int64_t end = std::clamp(event.end, start, std::max(start, last));
  const size_t row = ends_.first_free(start, least_row);
  ends_.take(row, end);
  if (row >= rows_.size()) rows_.resize(row + 1);
  TrackSlices& slices = rows_[row];
  slices.start.push_back(start);
  slices.end.push_back(end);
  slices.name.push_back(event.name);
  slices.detail.push_back(event.detail);
  slices.call.push_back(event.call);
  ++track_.events;
  track_.total_ns += end - start;
  return static_cast<uint32_t>(row);
}

Track TrackBuilder::finish() && {
  for (TrackSlices& row : rows_) {
    track_.rows.push_back(static_cast<uint32_t>(row_count(row)));
    append_rows(track_.slices, std::move(row));
  }
  return std::move(track_);
}

std::vector<std::string> rank_path(const Trace& trace, RankId rank) {
  if (trace.ranks.size() <= 1) return {};
  return {fmt::format("rank {}", trace.ranks[rank].rank.value_or(static_cast<int>(rank)))};
}

Track gpu_track(const Trace& trace, const Gpus& gpus, uint32_t gpu, TrackKind kind, std::string label) {
  const Gpu& of = gpus.gpus[gpu];
  Track track;
  track.kind = kind;
  track.label = std::move(label);
  track.path = rank_path(trace, of.rank);
  track.path.push_back(heading("GPU", of.ordinal, of.name));
  track.place = of.place;
  track.rank = of.rank;
  track.order = {of.rank, kGpuPart, gpu, static_cast<int64_t>(kind)};
  return track;
}

Track thread_track(const Trace& trace, ThreadId thread, TrackKind kind, std::string label) {
  const Thread& of = trace.threads[thread];
  Track track;
  track.kind = kind;
  track.label = std::move(label);
  if (of.process < trace.processes.size()) {
    const Process& process = trace.processes[of.process];
    track.rank = process.rank;
    track.path = rank_path(trace, process.rank);
    track.path.push_back(heading("Process", process.pid, trace.name(process.name)));
  }
  track.path.push_back(heading("Thread", of.tid, trace.name(of.name)));
  track.place = fmt::format("thread {}", of.tid);
  track.order = {track.rank, kThreadPart, thread, static_cast<int64_t>(kind)};
  return track;
}

}  // namespace sonde
