#include "findings/evidence/copy_trips.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "analyses/ranges/data_loading.h"
#include "findings/evidence/host_copies.h"
#include "trace/columns.h"

namespace sonde {
namespace {

constexpr int64_t kMinBytes = 256 << 10;
constexpr size_t kMinTrips = 8;
/// Of what goes to the GPU: of an input, only a result comes back.
constexpr int64_t kMinPartBack = 16;

/// Cuts a GPU's operations into trips.
class Cutter {
 public:
  Cutter(const Facts& facts, uint32_t gpu, std::vector<CopyTrip>& trips) : facts_(facts), gpu_(gpu), trips_(trips) {}

  void copy(Row row) {
    const Copies& c = facts_.trace.copies;
    if (!crosses_link(c, row) || c.bytes[row] == kUnknown || c.bytes[row] < kMinBytes) return;
    if (c.launch.empty() || c.launch[row] == kNone) return;
    const bool up = c.kind[row] == static_cast<uint8_t>(CopyKind::host_to_device);
    if (up && !trip_.down.empty()) finish();
    if (up) {
      if (trip_.up.empty() && c.start[row] < last_end_) trip_.in_turn = false;
      add(row, trip_.up, trip_.up_ns, trip_.up_bytes);
    } else {
      if (trip_.kernel_ns == 0) trip_.in_turn = false;
      add(row, trip_.down, trip_.down_ns, trip_.down_bytes);
      last_end_ = std::max(last_end_, c.end[row]);
    }
  }
  void work(int64_t ns) {
    if (!trip_.up.empty()) trip_.kernel_ns += ns;
  }
  void finish() {
    const bool whole = !trip_.up.empty() && !trip_.down.empty() && trip_.in_turn;
    const bool mostly_copies = trip_.kernel_ns <= trip_.up_ns + trip_.down_ns;
    if (whole && mostly_copies && trip_.down_bytes * kMinPartBack >= trip_.up_bytes) trips_.push_back(trip_);
    trip_ = {.gpu = gpu_};
  }

 private:
  void add(Row row, std::vector<Row>& rows, int64_t& ns, int64_t& bytes) {
    const Copies& c = facts_.trace.copies;
    const ThreadId thread = facts_.trace.api.thread[c.launch[row]];
    const bool first = trip_.up.empty() && trip_.down.empty();
    if (!first && (thread != thread_ || c.stream[row] != stream_)) trip_.in_turn = false;
    thread_ = thread;
    stream_ = c.stream[row];
    rows.push_back(row);
    ns += c.end[row] - c.start[row];
    bytes += c.bytes[row];
  }

  const Facts& facts_;
  uint32_t gpu_;
  std::vector<CopyTrip>& trips_;
  CopyTrip trip_{.gpu = gpu_};
  ThreadId thread_ = kNone;
  StreamId stream_ = kNone;
  int64_t last_end_ = 0;
};

/// Of all GPUs. Kernels count where they start.
std::vector<CopyTrip> trips_of(const Facts& facts) {
  std::vector<CopyTrip> trips;
  std::vector<Cutter> cutters;
  cutters.reserve(facts.gpus.gpus.size());
  for (uint32_t gpu = 0; gpu < facts.gpus.gpus.size(); ++gpu) cutters.emplace_back(facts, gpu, trips);
  const auto cutter_of = [&](const GpuOps& ops, Row row) -> Cutter& {
    return cutters[facts.gpus.of_stream[ops.stream[row]]];
  };
  const Copies& c = facts.trace.copies;
  Row kernel = 0;
  Row graph = 0;
  const auto work_until = [&](const GpuOps& ops, Row& next, int64_t time) {
    for (; next < row_count(ops) && ops.start[next] < time; ++next) {
      if (facts.judged(ops.start[next])) cutter_of(ops, next).work(ops.end[next] - ops.start[next]);
    }
  };
  for (Row row = 0; row < row_count(c); ++row) {
    work_until(facts.trace.kernels, kernel, c.start[row]);
    work_until(facts.trace.graph_launches, graph, c.start[row]);
    if (facts.judged(c.start[row])) cutter_of(c, row).copy(row);
  }
  for (Cutter& cutter : cutters) cutter.finish();
  return trips;
}

std::vector<int64_t> sizes_of(const Facts& facts, const std::vector<Row>& rows) {
  std::vector<int64_t> sizes;
  for (const Row row : rows) sizes.push_back(facts.trace.copies.bytes[row]);
  std::ranges::sort(sizes);
  return sizes;
}

/// The host's time from the end of one trip to the start of the next.
Span gap_between(const Facts& facts, const CopyTrip& before, const CopyTrip& trip) {
  const Ids& launch = facts.trace.copies.launch;
  const Calls& api = facts.trace.api;
  return {api.end[launch[before.down.back()]], api.start[launch[trip.up.front()]]};
}

int64_t median_gap(const Facts& facts, const std::vector<CopyTrip>& trips) {
  std::vector<int64_t> gaps;
  for (size_t i = 1; i < trips.size(); ++i) {
    const Span gap = gap_between(facts, trips[i - 1], trips[i]);
    gaps.push_back(std::max<int64_t>(0, gap.second - gap.first));
  }
  std::ranges::nth_element(gaps, gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2));
  return gaps[gaps.size() / 2];
}

/// Whether a range that loads data begins in most of the gaps.
bool loads_between(const Facts& facts, const std::vector<CopyTrip>& trips) {
  const std::vector<Span> loads = data_loading_spans(facts.trace);
  size_t with_loads = 0;
  for (size_t i = 1; i < trips.size(); ++i) {
    const Span gap = gap_between(facts, trips[i - 1], trips[i]);
    if (gap.first < gap.second && covered_ns(gap, loads) > 0) ++with_loads;
  }
  return 2 * with_loads > trips.size();
}

}  // namespace

std::vector<CopyLoop> copy_loops(const Facts& facts) {
  using Kind = std::tuple<uint32_t, std::vector<int64_t>, std::vector<int64_t>>;
  std::map<Kind, CopyLoop> of_kind;
  for (CopyTrip& trip : trips_of(facts)) {
    Kind kind{trip.gpu, sizes_of(facts, trip.up), sizes_of(facts, trip.down)};
    of_kind[std::move(kind)].trips.push_back(std::move(trip));
  }
  std::vector<CopyLoop> loops;
  for (auto& [kind, loop] : of_kind) {
    if (loop.trips.size() < kMinTrips || loads_between(facts, loop.trips)) continue;
    loop.same_sizes = std::get<1>(kind) == std::get<2>(kind);
    loop.host_gap_ns = median_gap(facts, loop.trips);
    loops.push_back(std::move(loop));
  }
  return loops;
}

std::string copy_loops_in_words() {
  return fmt::format(
      "At least {} times, copies of the same sizes (of at least {} KiB each) go to a GPU, kernels run for less time "
      "than these copies take, and at least a {}th of the bytes comes back, in turn, on one stream and by one thread",
      kMinTrips, kMinBytes >> 10, kMinPartBack);
}

}  // namespace sonde
