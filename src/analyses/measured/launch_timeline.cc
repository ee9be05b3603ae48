#include "analyses/measured/launch_timeline.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyses/kernels/kernel_join.h"
#include "analyses/measured/measured_launch.h"
#include "analyses/modules/module_tree.h"
#include "trace/columns.h"
#include "trace/kernel_name.h"
#include "trace/link.h"

namespace sonde {
namespace {

/// A stack of ranges: those of one thread and domain nest.
using Stack = std::pair<ThreadId, DomainId>;

/// The thread of the launch; that of its ranges where they are all of another one, as some reports number threads.
int64_t launching_thread(const KernelProfile& profile) {
  const auto thread = [](const OpenRange& range) { return static_cast<int64_t>(range.thread); };
  if (profile.ranges.empty()) return profile.thread;
  const int64_t first = thread(profile.ranges.front());
  const bool one = std::ranges::all_of(profile.ranges, [&](const OpenRange& r) { return thread(r) == first; });
  return one ? first : profile.thread;
}

class LaunchTimeline {
 public:
  explicit LaunchTimeline(const Trace& reports) : reports_(reports) {
    made_.fields = kModuleFields | kernel_join_fields();
    made_.ranks = reports.ranks;
    made_.devices = reports.devices;
  }

  Trace make() && {
    for (const MeasuredLaunch& launch : measured_launches(reports_)) add(launch);
    close_all();
    link(made_);
    return std::move(made_);
  }

 private:
  void add(const MeasuredLaunch& launch) {
    const KernelProfile& profile = *launch.profile;
    const ProcessId process = process_of(profile);
    const ThreadId thread = thread_of(process, launching_thread(profile));
    enter(process, profile.ranges, launch.start_ns);
    now_ns_ = launch.start_ns + launch.duration_ns;
    Calls& api = made_.api;
    api.start.push_back(launch.start_ns);
    api.end.push_back(launch.start_ns + 1);
    api.name.push_back(made_.names.intern("cudaLaunchKernel"));
    api.thread.push_back(thread);
    api.call_class.push_back(static_cast<uint8_t>(CallClass::runtime));
    api.correlation.push_back(++correlation_);
    Kernels& kernels = made_.kernels;
    const std::string_view name = reports_.name(profile.name);
    kernels.start.push_back(launch.start_ns);
    kernels.end.push_back(now_ns_);
    kernels.stream.push_back(stream_of(process, profile));
    kernels.correlation.push_back(correlation_);
    kernels.name.push_back(made_.names.intern(name));
    kernels.short_name.push_back(made_.names.intern(short_kernel_name(name)));
    kernels.mangled_name.push_back(
        profile.mangled_name == kNone ? kNone : made_.names.intern(reports_.name(profile.mangled_name)));
    kernels.grid.push_back(profile.grid);
    kernels.block.push_back(profile.block);
  }

  ProcessId process_of(const KernelProfile& profile) {
    const auto [found, fresh] = processes_.try_emplace({profile.rank, profile.process}, made_.processes.size());
    if (fresh) {
      Process process;
      process.rank = profile.rank;
      process.pid = profile.process;
      process.global_id = found->second + 1;
      made_.processes.push_back(process);
    }
    return static_cast<ProcessId>(found->second);
  }

  ThreadId thread_of(ProcessId process, int64_t tid) {
    const auto [found, fresh] = threads_.try_emplace({process, tid}, made_.threads.size());
    if (fresh) {
      Thread thread;
      thread.process = process;
      thread.tid = tid;
      thread.global_id = found->second + 1;
      made_.threads.push_back(thread);
    }
    return static_cast<ThreadId>(found->second);
  }

  StreamId stream_of(ProcessId process, const KernelProfile& profile) {
    const auto [found, fresh] =
        streams_.try_emplace({process, profile.device, profile.context, profile.stream}, made_.streams.size());
    if (fresh) {
      Stream stream;
      stream.process = process;
      stream.device = profile.device;
      const bool known = profile.device < made_.devices.size();
      const Device device = known ? made_.devices[profile.device] : Device{};
      stream.ordinal = static_cast<int32_t>(device.cuda_ordinal.value_or(device.id));
      stream.context = profile.context < 0 ? 0 : static_cast<uint32_t>(profile.context);
      stream.stream = profile.stream < 0 ? kNone : static_cast<uint32_t>(profile.stream);
      made_.streams.push_back(stream);
    }
    return static_cast<StreamId>(found->second);
  }

  DomainId domain_of(NameId name) {
    const std::string_view text = name == kNone ? std::string_view() : reports_.name(name);
    const auto [found, fresh] = domains_.try_emplace(std::string(text), made_.domains.size());
    if (fresh) made_.domains.push_back({made_.names.intern(text), domain_kind(text)});
    return static_cast<DomainId>(found->second);
  }

  /// Ends what is not open any more, and begins what is open now. Start/end ranges do not nest: each is a stack of its
  /// own.
  void enter(ProcessId process, const std::vector<OpenRange>& ranges, int64_t time) {
    std::map<Stack, std::vector<NameId>> wanted;
    for (const OpenRange& range : ranges) {
      if (range.style != RangeStyle::push_pop) continue;
      const Stack stack{thread_of(process, static_cast<int64_t>(range.thread)), domain_of(range.domain)};
      wanted[stack].push_back(made_.names.intern(range.name == kNone ? "" : reports_.name(range.name)));
    }
    for (auto& [stack, rows] : open_) rows.resize(common(rows, wanted[stack]));
    for (const auto& [stack, names] : wanted) {
      for (size_t i = open_[stack].size(); i < names.size(); ++i) open_[stack].push_back(begin(stack, names[i], time));
    }
  }

  /// How many of the open ranges are still open; the others end with the launch before.
  size_t common(const std::vector<Row>& rows, const std::vector<NameId>& names) {
    size_t same = 0;
    while (same < rows.size() && same < names.size() && made_.ranges.name[rows[same]] == names[same]) ++same;
    for (size_t i = same; i < rows.size(); ++i) made_.ranges.end[rows[i]] = now_ns_;
    return same;
  }

  Row begin(const Stack& stack, NameId name, int64_t time) {
    Ranges& ranges = made_.ranges;
    ranges.start.push_back(time);
    ranges.end.push_back(time);
    ranges.name.push_back(name);
    ranges.thread.push_back(stack.first);
    ranges.domain.push_back(stack.second);
    ranges.style.push_back(static_cast<uint8_t>(RangeStyle::push_pop));
    return static_cast<Row>(ranges.start.size() - 1);
  }

  void close_all() {
    for (const auto& [stack, rows] : open_) common(rows, {});
  }

  const Trace& reports_;
  Trace made_;
  int64_t now_ns_ = 0;
  uint32_t correlation_ = 0;
  std::map<std::pair<RankId, int64_t>, size_t> processes_;
  std::map<std::pair<ProcessId, int64_t>, size_t> threads_;
  std::map<std::tuple<ProcessId, DeviceId, int64_t, int64_t>, size_t> streams_;
  std::map<std::string, size_t> domains_;
  std::map<Stack, std::vector<Row>> open_;
};

}  // namespace

Trace timeline_of_launches(const Trace& reports) { return LaunchTimeline(reports).make(); }

bool has_ranges(const Trace& reports) {
  return std::ranges::any_of(reports.kernel_profiles, [](const KernelProfile& p) { return !p.ranges.empty(); });
}

}  // namespace sonde
