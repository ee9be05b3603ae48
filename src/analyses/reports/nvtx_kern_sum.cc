#include <algorithm>
#include <tuple>

#include "analyses/calls/launches_by_thread.h"
#include "analyses/kernels/kernel_caption.h"
#include "analyses/ranges/range_label.h"
#include "analyses/steps/thread_ids.h"
#include "analyses/tables/grouped_values.h"
#include "analyses/tables/report_table.h"
#include "analyses/tables/time_summary.h"

namespace sonde {

extern const StatsReport nvtx_kern_sum_report;

namespace nvtx_kern_sum {
namespace {

struct GroupKey {
  RangeLabel range;
  NameId kernel = kNone;
  ThreadId thread = kNone;
  uint8_t style = 0;

  friend bool operator==(const GroupKey&, const GroupKey&) = default;
  friend size_t hash_value(const GroupKey& k) {
    return boost::hash<std::tuple<NameId, NameId, NameId, ThreadId, uint8_t>>()(
        {k.range.domain, k.range.text, k.kernel, k.thread, k.style});
  }
};

/// Each kernel once for each range that holds its launch.
class KernelsInRanges {
 public:
  KernelsInRanges(const Trace& trace, const ReportArguments& arguments) : trace_(trace), arguments_(arguments) {
    add_push_pop();
    add_start_end();
  }

  [[nodiscard]] const std::vector<GroupKey>& groups() const { return groups_.keys(); }
  [[nodiscard]] std::vector<Distribution> kernel_times() const { return times_.distributions(groups_.size()); }
  /// How many ranges each group has.
  [[nodiscard]] std::vector<int64_t> range_counts() const;

 private:
  void add(Row range, Row kernel);
  void add_push_pop();
  void add_start_end();

  const Trace& trace_;
  const ReportArguments& arguments_;
  Grouping<GroupKey> groups_;
  GroupedValues times_;
  std::vector<uint32_t> group_;
  std::vector<Row> range_;
};

void KernelsInRanges::add(Row range, Row kernel) {
  const Kernels& k = trace_.kernels;
  const GroupKey key{label_of_range(trace_, range), kernel_label(trace_, kernel, arguments_),
                     trace_.api.thread[k.launch[kernel]], trace_.ranges.style[range]};
  const uint32_t group = groups_.group_of(key);
  times_.add(group, k.end[kernel] - k.start[kernel]);
  group_.push_back(group);
  range_.push_back(range);
}

void KernelsInRanges::add_push_pop() {
  const Ids& launch = trace_.kernels.launch;
  for (const DomainLinks& domain : trace_.range_links) {
    for (Row kernel = 0; kernel < launch.size(); ++kernel) {
      if (launch[kernel] == kNone) continue;
      for (Row range = domain.of_api[launch[kernel]]; range != kNone; range = trace_.ranges.parent[range]) {
        if (is_closed(trace_.ranges, range)) add(range, kernel);
      }
    }
  }
}

void KernelsInRanges::add_start_end() {
  const std::vector<Row> ranges = start_end_ranges_of_one_thread(trace_.ranges);
  if (ranges.empty()) return;
  const LaunchesByThread launches(trace_, LaunchesByThread::Kinds::kernels);
  for (const Row range : ranges) {
    launches.for_each_inside(range, [&](const Launch& l) { add(range, l.op); });
  }
}

std::vector<int64_t> KernelsInRanges::range_counts() const {
  auto ranges = bucket<Row>(group_, range_, groups_.size());
  std::vector<int64_t> counts;
  for (size_t g = 0; g < groups_.size(); ++g) {
    const std::span<Row> rows = ranges.of(g);
    std::ranges::sort(rows);
    const auto duplicates = std::ranges::unique(rows);
    counts.push_back(duplicates.begin() - rows.begin());
  }
  return counts;
}

Fields fields(const ReportArguments& arguments) {
  return caption_fields(arguments) |
         Fields{Field::streams, Field::launches, Field::api, Field::ranges, Field::range_links};
}

void add_ranges(Table& table, const Trace& trace, const KernelsInRanges& kernels) {
  auto& names = table.texts("NVTX Range");
  auto& styles = table.texts("Style");
  auto& pids = table.integers("PID");
  auto& tids = table.integers("TID");
  for (const GroupKey& key : kernels.groups()) {
    names.push_back(table.keep(key.range.text_of(trace)));
    styles.push_back(style_word(key.style));
    pids.push_back(pid_of(trace, key.thread));
    tids.push_back(tid_of(trace, key.thread));
  }
  table.integers("NVTX Inst") = kernels.range_counts();
}

void add_times(Table& table, std::span<const Distribution> times) {
  auto& count = table.integers("Kern Inst");
  auto& total = table.integers("Total Time", Unit::nanoseconds);
  for (const Distribution& d : times) {
    count.push_back(d.count);
    total.push_back(d.total);
  }
  add_spread(table, "", times);
}

/// What breaks ties of the total: range, then kernel.
std::vector<std::string> tie_labels(const Trace& trace, const std::vector<GroupKey>& groups) {
  std::vector<std::string> labels;
  for (const GroupKey& key : groups) {
    labels.push_back(fmt::format("{}\n{}", key.range.text_of(trace), trace.name(key.kernel)));
  }
  return labels;
}

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  Table table = table_of(nvtx_kern_sum_report);
  const KernelsInRanges kernels(trace, arguments);
  const auto times = kernels.kernel_times();
  add_ranges(table, trace, kernels);
  add_times(table, times);
  auto& names = table.texts("Kernel Name");
  for (const GroupKey& key : kernels.groups()) names.push_back(trace.name(key.kernel));
  const auto labels = tie_labels(trace, kernels.groups());
  table.select_rows(order_by_total(times, std::vector<std::string_view>(labels.begin(), labels.end())));
  return table;
}

}  // namespace
}  // namespace nvtx_kern_sum

const StatsReport nvtx_kern_sum_report{
    .name = "nvtx_kern_sum",
    .usage = "nvtx_kern_sum[:base|:mangled]",
    .title = "NVTX Range Kernel Summary",
    .description =
        R"(Kernels by the NVTX ranges that launched them. A kernel counts in every range that encloses its launching call on the
same thread, also in nested ranges of the same name, so sums can exceed the run. Start/end ranges that end on another
thread are omitted. Kernels launched outside of ranges are not listed.

  :base       short kernel names
  :mangled    mangled kernel names

NVTX Range    domain and text, "domain:text"; ":text" in the default domain
Style         PushPop or StartEnd
PID, TID      process and thread of range and launch
NVTX Inst     ranges that launched the kernel
Kern Inst     kernels
Total Time    GPU time of these kernels
Avg, Med, Min, Max, StdDev  of one kernel
Kernel Name   the kernel)",
    .data = "NV Tools Extension (NVTX)",
    .in_default_set = false,
    .fields = nvtx_kern_sum::fields,
    .run = nvtx_kern_sum::run,
};

}  // namespace sonde
