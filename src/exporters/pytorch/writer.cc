#include "exporters/pytorch/writer.h"

#include <algorithm>
#include <set>

namespace sonde::pytorch_export {
namespace {

std::vector<int64_t> number_devices(const Trace& trace) {
  std::vector<int64_t> numbers;
  for (const Device& d : trace.devices) numbers.push_back(d.cuda_ordinal.value_or(d.id));
  if (std::set<int64_t>(numbers.begin(), numbers.end()).size() == numbers.size()) return numbers;
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i);
  return numbers;
}

std::vector<uint64_t> correlation_bases(const Trace& trace) {
  std::vector<uint64_t> highest(trace.processes.size(), 0);
  const auto note = [&](ProcessId process, uint32_t id) {
    if (process < highest.size()) highest[process] = std::max<uint64_t>(highest[process], id);
  };
  for (size_t row = 0; row < trace.api.correlation.size(); ++row) {
    if (trace.api.thread[row] != kNone) note(trace.threads[trace.api.thread[row]].process, trace.api.correlation[row]);
  }
  uint64_t base = 0;
  for (uint64_t& h : highest) base += std::exchange(h, base);
  return highest;
}

}  // namespace

Writer::Writer(const Trace& t, TextFile& file, Progress& progress)
    : trace(t),
      file_(file),
      progress_(progress),
      ids_(t),
      names_(t.names.size()),
      escaped_(t.names.size(), false),
      device_numbers_(number_devices(t)),
      correlation_base_(correlation_bases(t)) {}

void Writer::begin() {
  append(first_ ? "\n" : ",\n");
  first_ = false;
}

void Writer::open(std::string_view category, std::string_view name, Place place, int64_t start, int64_t end) {
  begin();
  put(FMT_COMPILE("{{\"ph\":\"X\",\"cat\":\"{}\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":"), category, name,
      place.pid, place.tid);
  microseconds(start);
  append(",\"dur\":");
  microseconds(end == kUnknown ? 0 : end - start);
}

void Writer::close(std::string_view tail) {
  constexpr int64_t kReport = 16384;
  append(tail);
  file_.settle();
  if (++unreported_ == kReport) progress_.advance(std::exchange(unreported_, 0));
}

void Writer::flow(std::string_view phase, std::string_view category, uint64_t id, Place place, int64_t time) {
  begin();
  put(FMT_COMPILE("{{\"ph\":\"{}\",\"id\":{},\"pid\":{},\"tid\":{},\"cat\":\"{}\",\"name\":\"{}\",\"ts\":"), phase, id,
      place.pid, place.tid, category, category);
  microseconds(time);
  close(phase == "f" ? ",\"bp\":\"e\"}" : "}");
}

std::string_view Writer::name(NameId id) {
  if (id >= names_.size()) return {};
  if (!escaped_[id]) names_[id] = json_escape(trace.name(id));
  escaped_[id] = true;
  return names_[id];
}

int64_t Writer::pid_of(ProcessId process) const {
  if (process == kNone) return 0;
  // One rank's own numbers stay as they are; those of several ranks could be equal.
  return trace.ranks.size() <= 1 ? trace.processes[process].pid : GlobalIds::pid(ids_.process(process));
}

Place Writer::place_of_thread(ThreadId thread) const {
  if (thread == kNone) return {};
  return {pid_of(trace.threads[thread].process), trace.threads[thread].tid};
}

int64_t Writer::gpu_of(StreamId stream) const {
  if (stream == kNone) return 0;
  const Stream& s = trace.streams[stream];
  return s.device == kNone ? s.ordinal : device_numbers_[s.device];
}

Place Writer::place_of_stream(StreamId stream) const {
  const uint32_t number = stream == kNone ? kNone : trace.streams[stream].stream;
  return {gpu_of(stream), number == kNone ? -1 : int64_t{number}};
}

uint64_t Writer::correlation(ProcessId process, uint32_t id) const {
  return id + (process < correlation_base_.size() ? correlation_base_[process] : 0);
}

Row operator_around(const Trace& trace, Row call) {
  Row innermost = kNone;
  for (const DomainLinks& links : trace.range_links) {
    const DomainKind kind = trace.domains[links.domain].kind;
    if (kind == DomainKind::module || kind == DomainKind::python || links.of_api.empty()) continue;
    const Row row = links.of_api[call];
    if (row == kNone) continue;
    if (innermost == kNone || trace.ranges.start[row] >= trace.ranges.start[innermost]) innermost = row;
  }
  return innermost;
}

}  // namespace sonde::pytorch_export
