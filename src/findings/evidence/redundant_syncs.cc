#include "findings/evidence/redundant_syncs.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include "analyses/replay/replay.h"
#include "analyses/steps/thread_groups.h"
#include "trace/columns.h"

namespace sonde {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::min();
constexpr int64_t kLongAgo = kNever + 1;  // what came before the recording is covered by no wait in it
constexpr StreamId kAnywhere = kNone - 1;

/// For each row of `api` the stream on which it put work, kNone where it put none.
class Puts {
 public:
  explicit Puts(const Facts& facts) : facts_(facts), stream_(row_count(facts.trace.api), kNone) {
    for_each_gpu_table(facts.trace, [&](const GpuOps& ops) {
      for (Row row = 0; row < ops.launch.size(); ++row) {
        if (ops.launch[row] == kNone) continue;
        StreamId& stream = stream_[ops.launch[row]];
        stream = stream == kNone || stream == ops.stream[row] ? ops.stream[row] : kAnywhere;
      }
    });
  }
  [[nodiscard]] StreamId stream_of(Row row) {
    if (stream_[row] != kNone) return stream_[row];
    switch (facts_.api_kinds[row]) {
      case ApiKind::launch:
      case ApiKind::copy_async:
      case ApiKind::copy_blocking: return kAnywhere;
      case ApiKind::synchronize: return kNone;
      default: return may_put(facts_.trace.api.name[row]) ? kAnywhere : kNone;
    }
  }

 private:
  /// Calls of the CUDA Runtime and Driver API, 13.0, that put on a stream what profilers do not show as work.
  [[nodiscard]] bool may_put(NameId name) {
    static constexpr std::array kParts = {"Async",        "HostFunc", "Callback",          "WaitValue",
                                          "WriteValue",   "BatchMem", "ExternalSemaphore", "StreamWaitEvent",
                                          "MapResources", "Prefetch"};
    const auto [known, fresh] = may_put_.try_emplace(name, false);
    if (fresh) {
      const std::string_view text = facts_.trace.name(name);
      known->second = std::ranges::any_of(kParts, [&](const char* part) { return text.contains(part); });
    }
    return known->second;
  }

  const Facts& facts_;
  Ids stream_;
  std::map<NameId, bool> may_put_;
};

/// Threads that put work on the same GPUs.
struct Group {
  std::set<uint32_t> gpus;
  std::map<StreamId, int64_t> last_put;  ///< end of the call
  int64_t last_anywhere = kLongAgo;
};

/// What a thread has waited for.
struct Waited {
  int64_t everywhere = kNever;  ///< start of its last wait for the device
  std::map<StreamId, int64_t> on;
  int64_t until = kNever;  ///< end of its last wait: a call within another is no call of its own
};

class Finder {
 public:
  explicit Finder(const Facts& facts)
      : facts_(facts),
        puts_(facts),
        group_of_(groups_of_threads(facts.trace, facts.gpus)),
        waited_(facts.trace.threads.size()),
        stream_of_call_(row_count(facts.trace.api), kNone) {
    const Trace& trace = facts.trace;
    for_each_gpu_table(trace, [&](const GpuOps& ops) {
      for (Row row = 0; row < ops.launch.size(); ++row) {
        if (ops.launch[row] == kNone || group_of(ops.launch[row]) == kNone) continue;
        Group& group = groups_[group_of(ops.launch[row])];
        group.gpus.insert(facts.gpus.of_stream[ops.stream[row]]);
        group.last_put.emplace(ops.stream[row], kLongAgo);
      }
    });
    const Syncs& s = trace.syncs;
    for (Row row = 0; row < s.launch.size(); ++row) {
      const bool of_stream = s.kind[row] == static_cast<uint8_t>(SyncKind::stream);
      if (of_stream && s.launch[row] != kNone) stream_of_call_[s.launch[row]] = s.stream[row];
    }
    for (Row row = 0; row < row_count(trace.api); ++row) visit(row);
  }
  [[nodiscard]] RedundantSyncs take() { return std::move(found_); }

 private:
  [[nodiscard]] uint32_t group_of(Row call) const {
    const ThreadId thread = facts_.trace.api.thread[call];
    return thread < group_of_.size() ? group_of_[thread] : kNone;
  }

  void visit(Row row) {
    const Calls& api = facts_.trace.api;
    const StreamId stream = puts_.stream_of(row);
    if (stream == kAnywhere) {
      for (auto& [number, group] : groups_) group.last_anywhere = std::max(group.last_anywhere, api.end[row]);
    } else if (stream != kNone && group_of(row) != kNone) {
      int64_t& last = groups_[group_of(row)].last_put[stream];
      last = std::max(last, api.end[row]);
    } else if (facts_.api_kinds[row] == ApiKind::synchronize && groups_.contains(group_of(row))) {
      wait(row, groups_.at(group_of(row)), waited_[api.thread[row]]);
    }
  }

  void wait(Row row, const Group& group, Waited& waited) {
    const Calls& api = facts_.trace.api;
    if (api.start[row] < waited.until) return;
    waited.until = api.end[row];
    const StreamId stream = stream_of_call_[row];
    const bool nothing_new = stream != kNone ? is_covered(group, waited, stream) : all_covered(group, waited);
    if (nothing_new && facts_.judged_on_host(api.start[row])) {
      (stream != kNone || group.gpus.size() == 1 ? found_.rows : found_.unsure).push_back(row);
    }
    if (stream != kNone) waited.on[stream] = api.start[row];
    if (waits_for_device(api.name[row])) waited.everywhere = api.start[row];
  }

  [[nodiscard]] bool waits_for_device(NameId name) const {
    const std::string_view text = facts_.trace.name(name);
    return text.contains("DeviceSynchronize") || text.contains("CtxSynchronize") || text.contains("ThreadSynchronize");
  }

  static bool is_covered(const Group& group, const Waited& waited, StreamId stream) {
    const auto put = group.last_put.find(stream);
    const auto own = waited.on.find(stream);
    // On several GPUs a wait for the device is one for any of them.
    const int64_t everywhere = group.gpus.size() == 1 ? waited.everywhere : kNever;
    const int64_t covered = std::max(everywhere, own == waited.on.end() ? kNever : own->second);
    return std::max(put == group.last_put.end() ? kLongAgo : put->second, group.last_anywhere) <= covered;
  }

  static bool all_covered(const Group& group, const Waited& waited) {
    if (group.last_anywhere > waited.everywhere) return false;
    return std::ranges::all_of(group.last_put, [&](const auto& put) {
      const auto own = waited.on.find(put.first);
      return put.second <= std::max(waited.everywhere, own == waited.on.end() ? kNever : own->second);
    });
  }

  const Facts& facts_;
  Puts puts_;
  std::vector<uint32_t> group_of_;
  std::map<uint32_t, Group> groups_;
  std::vector<Waited> waited_;  ///< by thread
  Ids stream_of_call_;          ///< for which a call waits
  RedundantSyncs found_;
};

}  // namespace

RedundantSyncs redundant_syncs(const Facts& facts) { return Finder(facts).take(); }

}  // namespace sonde
