#include "importers/nsys/streams.h"

#include <algorithm>
#include <optional>

namespace sonde::nsys {
namespace {

DeviceId find_device(const Trace& t, RankId rank, int64_t ordinal, std::optional<int64_t> id) {
  const auto matching = [&](auto&& matches) {
    const auto found = std::ranges::find_if(t.devices, [&](const Device& d) { return d.rank == rank && matches(d); });
    return found == t.devices.end() ? kNone : static_cast<DeviceId>(found - t.devices.begin());
  };
  if (id) return matching([&](const Device& d) { return d.id == *id; });
  const DeviceId by_ordinal = matching([&](const Device& d) { return d.cuda_ordinal == ordinal; });
  return by_ordinal != kNone ? by_ordinal : matching([&](const Device& d) { return d.id == ordinal; });
}

StreamName name_of(const Trace& t, const Stream& s) {
  return {t.processes[s.process].pid, int64_t{s.context}, int64_t{s.stream}};
}

/// Calls `f` with each stream of the recording that is being read.
void each_stream(NsysRun& run, auto&& f) {
  Trace& t = run.trace();
  for (Stream& s : t.streams) {
    if (t.processes[s.process].rank == run.rank()) f(s);
  }
}

}  // namespace

void place_streams(NsysRun& run, const GpuOfOrdinal& gpu_of_ordinal) {
  const Trace& t = run.trace();
  int64_t unknown = 0;
  each_stream(run, [&](Stream& s) {
    if (s.ordinal < 0) return;
    const auto gpu = gpu_of_ordinal.find({t.processes[s.process].pid, s.ordinal});
    s.device =
        find_device(t, run.rank(), s.ordinal, gpu == gpu_of_ordinal.end() ? std::nullopt : std::optional(gpu->second));
    unknown += s.device == kNone && s.stream != kNone ? 1 : 0;
  });
  run.trace().log.add(Issue::unknown_device, {}, unknown);
}

void describe_streams(NsysRun& run, std::span<const StreamFacts> facts) {
  std::map<StreamName, const StreamFacts*> by_name;
  for (const StreamFacts& f : facts) by_name[f.stream] = &f;
  each_stream(run, [&](Stream& s) {
    const auto found = by_name.find(name_of(run.trace(), s));
    if (found == by_name.end()) return;
    s.priority = found->second->priority;
    s.flags = found->second->flags;
  });
}

void mark_default_stream(NsysRun& run, const StreamName& name) {
  each_stream(run, [&](Stream& s) {
    if (name_of(run.trace(), s) == name) s.is_default = true;
  });
}

}  // namespace sonde::nsys
