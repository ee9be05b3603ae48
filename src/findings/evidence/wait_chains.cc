#include "findings/evidence/wait_chains.h"

#include <algorithm>
#include <map>

#include "findings/evidence/step_syncs.h"
#include "trace/columns.h"

namespace sonde {
namespace {

constexpr size_t kFewestWaits = 8;
/// isfinite, all, and what converts their result.
constexpr size_t kMostLaunches = 4;
constexpr int64_t kMostGpuNs = 20'000;

/// For each row of `api`, whether it waits directly behind the copy of a value to the host.
std::vector<bool> reads_of_values(const Facts& facts) {
  constexpr int64_t kValueBytes = 64;
  std::vector<bool> reads(row_count(facts.trace.api), false);
  const Ids behind = syncs_behind(facts);
  const Copies& c = facts.trace.copies;
  for (Row row = 0; row < c.launch.size(); ++row) {
    const bool is_value = c.kind[row] == static_cast<uint8_t>(CopyKind::device_to_host) && c.bytes[row] != kUnknown &&
                          c.bytes[row] <= kValueBytes && c.launch[row] != kNone;
    if (is_value && behind[c.launch[row]] != kNone) reads[behind[c.launch[row]]] = true;
  }
  return reads;
}

/// What the calls of each thread launch, in the order of time.
class LaunchedWork {
 public:
  explicit LaunchedWork(const Facts& facts) : calls_(facts.trace.threads.size()) {
    const Calls& api = facts.trace.api;
    std::vector<int64_t> gpu_ns(row_count(api), 0);
    const Kernels& k = facts.trace.kernels;
    for (Row row = 0; row < k.launch.size(); ++row) {
      if (k.launch[row] != kNone) gpu_ns[k.launch[row]] += k.end[row] - k.start[row];
    }
    for (Row row = 0; row < row_count(api); ++row) {
      if (facts.api_kinds[row] == ApiKind::launch && api.thread[row] < calls_.size()) {
        calls_[api.thread[row]].emplace_back(api.start[row], gpu_ns[row]);
      }
    }
  }

  [[nodiscard]] bool is_little(ThreadId thread, const Span& time) const {
    const auto& calls = calls_[thread];
    size_t launches = 0;
    int64_t gpu_ns = 0;
    for (auto call = std::ranges::lower_bound(calls, time.first, {}, &Call::first);
         call != calls.end() && call->first < time.second && launches <= kMostLaunches; ++call) {
      ++launches;
      gpu_ns += call->second;
    }
    return launches <= kMostLaunches && gpu_ns <= kMostGpuNs;
  }

 private:
  using Call = std::pair<int64_t, int64_t>;  // start, time on GPUs
  std::vector<std::vector<Call>> calls_;     // by thread
};

}  // namespace

std::vector<Cut> chains_of_waits(const Facts& facts, const std::vector<Row>& waits) {
  const Calls& api = facts.trace.api;
  const std::vector<bool> reads = reads_of_values(facts);
  if (std::ranges::none_of(waits, [&](Row wait) { return reads[wait]; })) return {};
  const LaunchedWork work(facts);
  std::map<ThreadId, std::vector<Row>> chains;
  std::vector<Cut> cuts;
  const auto close = [&](std::vector<Row>& chain) {
    if (chain.size() >= kFewestWaits) {
      cuts.push_back({api.thread[chain.front()], api.start[chain.front()], api.end[chain.back()]});
    }
    chain.clear();
  };
  for (const Row wait : waits) {
    if (!reads[wait]) continue;
    std::vector<Row>& chain = chains[api.thread[wait]];
    const bool follows = !chain.empty() &&
                         facts.steps_begun(api.start[chain.back()]) == facts.steps_begun(api.start[wait]) &&
                         work.is_little(api.thread[wait], {api.end[chain.back()], api.start[wait]});
    if (!follows) close(chain);
    chain.push_back(wait);
  }
  for (auto& [thread, chain] : chains) close(chain);
  return cuts;
}

}  // namespace sonde
