#include "findings/recorded_launches.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

#include <boost/unordered/unordered_flat_set.hpp>

#include "analyses/calls/launching_calls.h"
#include "trace/columns.h"

namespace sonde {
namespace {

constexpr int64_t kNotRecorded = std::numeric_limits<int64_t>::min();
/// The kernel that runs when a recording ends is not in it, so a busy stream ends early by one kernel. These parts of
/// the judged time are its bounds, for streams with very short kernels or a very long one.
constexpr double kMinIdleAtEnd = 0.01;
constexpr double kMaxIdleAtEnd = 0.1;

/// Times in which a thread captures what it launches into a graph.
class Captures {
 public:
  explicit Captures(const Trace& trace) {
    const Calls& api = trace.api;
    std::vector<Ends> of_name(trace.names.size(), Ends::not_asked);
    std::map<ThreadId, int64_t> open;
    for (Row row = 0; row < row_count(api); ++row) {
      Ends& ends = of_name[api.name[row]];
      if (ends == Ends::not_asked) ends = ends_of(trace.name(api.name[row]));
      if (ends == Ends::neither) continue;
      if (ends == Ends::begin) open[api.thread[row]] = api.start[row];
      const auto began = ends == Ends::end ? open.find(api.thread[row]) : open.end();
      if (began == open.end()) continue;
      of_thread_[api.thread[row]].emplace_back(began->second, api.end[row]);
      open.erase(began);
    }
  }
  [[nodiscard]] bool holds(ThreadId thread, int64_t time) const {
    const auto spans = of_thread_.find(thread);
    if (spans == of_thread_.end()) return false;
    const auto next = std::ranges::upper_bound(spans->second, time, {}, &Span::first);
    return next != spans->second.begin() && time < std::prev(next)->second;
  }

 private:
  /// What a call is to a capture.
  enum class Ends : uint8_t { not_asked, begin, end, neither };
  static Ends ends_of(std::string_view name) {
    if (name.contains("StreamBeginCapture")) return Ends::begin;
    return name.contains("StreamEndCapture") ? Ends::end : Ends::neither;
  }

  std::map<ThreadId, std::vector<Span>> of_thread_;
};

/// The recorded operations of a stream.
struct StreamUse {
  int64_t last_launch = kNotRecorded;  ///< start of the latest call that launched one of them
  int64_t end = kNotRecorded;
  int64_t longest = 0;
};

class CutFinder {
 public:
  CutFinder(const Trace& trace, Span judged)
      : trace_(trace),
        uses_(trace.streams.size()),
        streams_of_(trace.threads.size()),
        last_call_(trace.ranks.size(), kNotRecorded),
        judged_ns_(static_cast<double>(judged.second - judged.first)) {
    const Calls& api = trace.api;
    for (Row row = 0; row < row_count(api); ++row) {
      if (api.thread[row] == kNone) continue;
      int64_t& last = last_call_[rank_of(api.thread[row])];
      last = std::max(last, api.start[row]);
    }
    for_each_gpu_table(trace, [&](const GpuOps& ops) { add(ops); });
  }

  [[nodiscard]] bool is_cut(Row launch) const {
    const ThreadId thread = trace_.api.thread[launch];
    if (thread == kNone) return false;
    return std::ranges::any_of(streams_of_[thread], [&](StreamId stream) {
      return trace_.api.start[launch] > uses_[stream].last_launch && is_busy_at_end(uses_[stream], rank_of(thread));
    });
  }

 private:
  [[nodiscard]] RankId rank_of(ThreadId thread) const { return trace_.processes[trace_.threads[thread].process].rank; }

  void add(const GpuOps& ops) {
    const Calls& api = trace_.api;
    for (Row row = 0; row < ops.launch.size(); ++row) {
      StreamUse& use = uses_[ops.stream[row]];
      use.end = std::max(use.end, ops.end[row]);
      use.longest = std::max(use.longest, ops.end[row] - ops.start[row]);
      const Row launch = ops.launch[row];
      if (launch == kNone || api.thread[launch] == kNone) continue;
      use.last_launch = std::max(use.last_launch, api.start[launch]);
      streams_of_[api.thread[launch]].insert(ops.stream[row]);
    }
  }

  [[nodiscard]] bool is_busy_at_end(const StreamUse& use, RankId rank) const {
    const double idle =
        std::clamp(static_cast<double>(use.longest), kMinIdleAtEnd * judged_ns_, kMaxIdleAtEnd * judged_ns_);
    return static_cast<double>(last_call_[rank] - use.end) <= idle;
  }

  const Trace& trace_;
  std::vector<StreamUse> uses_;
  std::vector<boost::unordered_flat_set<StreamId>> streams_of_;  ///< by thread
  std::vector<int64_t> last_call_;                               ///< by rank: its start
  double judged_ns_;
};

}  // namespace

RecordedLaunches recorded_launches(const Trace& trace, std::span<const ApiKind> kinds) {
  RecordedLaunches launches;
  if (trace.kernels.launch.empty() && trace.graph_launches.launch.empty()) return launches;
  const Calls& api = trace.api;
  const Captures captures(trace);
  const std::vector<bool> has_work = launching_calls(trace);
  for (Row row = 0; row < row_count(api); ++row) {
    if (kinds[row] != ApiKind::launch || captures.holds(api.thread[row], api.start[row])) continue;
    launches.all.push_back(row);
    if (!has_work[row]) launches.without_work.push_back(row);
  }
  return launches;
}

double LaunchCounts::lost_share() const {
  return without_work < kMinLostLaunches ? 0 : static_cast<double>(without_work) / static_cast<double>(all);
}

LaunchCounts launches_in(const Trace& trace, const RecordedLaunches& launches, Span time) {
  const auto count_of = [&](const std::vector<Row>& rows) {
    return std::ranges::count_if(
        rows, [&](Row row) { return trace.api.start[row] >= time.first && trace.api.start[row] < time.second; });
  };
  return {.all = count_of(launches.all), .without_work = count_of(launches.without_work)};
}

std::optional<WindowCut> window_cut(const Trace& trace, const RecordedLaunches& launches, Span judged) {
  if (launches_in(trace, launches, judged).lost_share() <= kMaxLostShare) return std::nullopt;
  const CutFinder finder(trace, judged);
  std::optional<WindowCut> cut;
  for (const Row row : launches.without_work) {
    if (!finder.is_cut(row)) continue;
    if (!cut) cut = WindowCut{.launches = 0, .start_ns = trace.api.start[row]};
    ++cut->launches;
  }
  return cut;
}

}  // namespace sonde
