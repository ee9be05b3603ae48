#include "importers/pytorch/owners.h"

#include <algorithm>

namespace sonde::pytorch {
namespace {

/// API calls of each process; where there are none, ranges.
std::vector<int64_t> activity(std::span<const Piece> pieces, std::span<const std::vector<ThreadId>> threads,
                              const Trace& trace) {
  std::vector<int64_t> calls(trace.processes.size(), 0);
  std::vector<int64_t> ranges(trace.processes.size(), 0);
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (const CallRow& row : pieces[i].api) ++calls[trace.threads[threads[i][row.thread]].process];
    for (const RangeRow& row : pieces[i].ranges) ++ranges[trace.threads[threads[i][row.thread]].process];
  }
  return std::ranges::any_of(calls, [](int64_t n) { return n > 0; }) ? calls : ranges;
}

template <typename F>
void for_each_gpu_row(const Piece& piece, F f) {
  for (const GpuRow& row : piece.kernels) f(row);
  for (const GpuRow& row : piece.copies) f(row);
  for (const GpuRow& row : piece.sets) f(row);
}

}  // namespace

Owners::Owners(std::span<const Piece> pieces, std::span<const std::vector<ThreadId>> threads, Trace& trace,
               Entities& entities) {
  const auto active = activity(pieces, threads, trace);
  const auto rank = static_cast<RankId>(trace.ranks.size() - 1);
  for (ProcessId p = 0; p < active.size(); ++p) {
    const bool better = most_calls_ == kNone || active[p] > active[most_calls_];
    if (trace.processes[p].rank == rank && better) most_calls_ = p;
  }
  if (most_calls_ == kNone) most_calls_ = entities.process(0);
  only_one_ = std::ranges::count_if(active, [](int64_t n) { return n > 0; }) <= 1;
  if (only_one_) return;
  index_calls(pieces, threads, trace);
  vote(pieces);
}

void Owners::index_calls(std::span<const Piece> pieces, std::span<const std::vector<ThreadId>> threads,
                         const Trace& trace) {
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (const CallRow& row : pieces[i].api) {
      const ProcessId process = trace.threads[threads[i][row.thread]].process;
      const auto [at, fresh] = of_correlation_.try_emplace(row.correlation, process);
      if (!fresh && at->second != process) at->second = kSeveral;
    }
  }
}

void Owners::vote(std::span<const Piece> pieces) {
  boost::unordered_flat_map<StreamKey, boost::unordered_flat_map<ProcessId, int64_t>> votes;
  for (const Piece& piece : pieces) {
    for_each_gpu_row(piece, [&](const GpuRow& row) {
      const auto at = of_correlation_.find(row.correlation);
      if (at != of_correlation_.end() && at->second != kSeveral) ++votes[piece.streams.keys()[row.stream]][at->second];
    });
  }
  for (const auto& [key, of_process] : votes) {
    const auto best = std::ranges::max_element(of_process, [](const auto& a, const auto& b) {
      return std::pair(a.second, b.first) < std::pair(b.second, a.first);  // of equals the first process
    });
    of_stream_[key] = best->first;
  }
}

ProcessId Owners::owner(const GpuRow& row, const StreamKey& key) const {
  if (only_one_) return most_calls_;
  const auto call = of_correlation_.find(row.correlation);
  if (call != of_correlation_.end() && call->second != kSeveral) return call->second;
  const auto stream = of_stream_.find(key);
  return stream == of_stream_.end() ? most_calls_ : stream->second;
}

}  // namespace sonde::pytorch
