#pragma once

#include <algorithm>

#include "analyses/tables/grouped_values.h"
#include "trace/trace.h"

namespace sonde {

/// A GPU operation and the call that launched it.
struct Launch {
  Row call = kNone;  ///< row of `api`
  Row op = kNone;    ///< row of the operation's own table
  int64_t start = 0;
  int64_t end = 0;
};

/// GPU operations with a known launch, by the launching thread and in the order of the launching calls: for
/// start/end ranges, which do not nest, so that no fold over parents reaches them.
class LaunchesByThread {
 public:
  enum class Kinds { kernels, all };
  LaunchesByThread(const Trace& trace, Kinds kinds);

  /// Calls `f(launch)` for each operation whose launching call lies inside the range on the range's own thread.
  template <typename F>
  void for_each_inside(Row range, F&& f) const {
    const Ranges& ranges = trace_.ranges;
    const Calls& api = trace_.api;
    if (ranges.thread[range] >= trace_.threads.size()) return;
    const std::span<const Launch> launches = of_thread(ranges.thread[range]);
    auto it =
        std::ranges::lower_bound(launches, ranges.start[range], {}, [&](const Launch& l) { return api.start[l.call]; });
    for (; it != launches.end() && api.start[it->call] <= ranges.end[range]; ++it) {
      if (api.end[it->call] <= ranges.end[range]) f(*it);
    }
  }

 private:
  [[nodiscard]] std::span<const Launch> of_thread(ThreadId thread) const;

  const Trace& trace_;
  Buckets<Launch> launches_;
};

/// The start/end ranges that GPU work can be given to: closed, and on the thread that they began on.
[[nodiscard]] std::vector<Row> start_end_ranges_of_one_thread(const Ranges& ranges);

}  // namespace sonde
