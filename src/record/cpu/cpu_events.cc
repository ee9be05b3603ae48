#include "record/cpu/cpu_events.h"

#include <linux/perf_event.h>

#include <algorithm>

#include "record/cpu/task_rows.h"

namespace sonde::record {
namespace {

constexpr uint8_t kNoState = 255;

class Filling {
 public:
  Filling(Trace& trace, Symbolizer& symbolizer, const CpuSpan& span, bool cycles)
      : trace_(trace), symbolizer_(symbolizer), span_(span), cycles_(cycles), tasks_(trace) {}

  void add(const PerfRecord& record) {
    switch (record.type) {
      case PERF_RECORD_COMM: tasks_.name(record.process, record.thread, record.text); return;
      case PERF_RECORD_SAMPLE: return sample(record);
      case PERF_RECORD_SWITCH:
      case PERF_RECORD_SWITCH_CPU_WIDE: return context_switch(record);
      case PERF_RECORD_EXIT: return exit(record);
      case PERF_RECORD_LOST:
      case PERF_RECORD_LOST_SAMPLES: tally_.lost += static_cast<int64_t>(record.lost); return;
      case PERF_RECORD_THROTTLE: ++tally_.throttled; return;
      default: return;
    }
  }

  CpuTally finish(const PartTaker& take) {
    give_part(trace_, take);
    tasks_.put_names();
    for (const std::string_view path : symbolizer_.files().changed()) tally_.changed_files.emplace_back(path);
    return tally_;
  }

 private:
  /// Thread 0 is the core's idle task.
  [[nodiscard]] bool counts(const PerfRecord& record) const { return record.thread != 0 && span_.holds(record.time); }

  void sample(const PerfRecord& record) {
    if (!counts(record)) return;
    Samples& s = trace_.samples;
    s.start.push_back(record.time - span_.begin);
    s.thread.push_back(tasks_.thread(record.process, record.thread));
    s.cpu.push_back(static_cast<int32_t>(record.cpu));
    s.state.push_back(static_cast<uint8_t>(ThreadState::running));
    s.cycles.push_back(cycles_ ? static_cast<int64_t>(record.period) : kUnknown);
    s.chain.push_back(chain(record));
    ++tally_.samples;
    tally_.last_ns = std::max(tally_.last_ns, record.time);
  }

  /// Numbers near 2^64 stand between the parts of a chain (PERF_CONTEXT_*).
  ChainId chain(const PerfRecord& record) {
    kernel_.clear();
    user_.clear();
    std::vector<uint64_t>* part = &user_;
    for (size_t i = 0; i < record.chain.size(); ++i) {
      const uint64_t word = record.chain[i];
      if (word < static_cast<uint64_t>(PERF_CONTEXT_MAX)) {
        part->push_back(word);
      } else {
        part = word == static_cast<uint64_t>(PERF_CONTEXT_KERNEL) ? &kernel_ : &user_;
      }
    }
    const bool alone = kernel_.empty() && user_.empty();
    const bool in_kernel = (record.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    if (alone) (in_kernel ? kernel_ : user_).push_back(record.address);
    const ChainId id = symbolizer_.chain(record.process, record.time, kernel_, user_);
    if (alone || user_.empty()) return id;
    ++tally_.chains;
    if ((record.misc & kWholeChain) == 0 && !symbolizer_.ends_at_start(id)) ++tally_.broken_chains;
    return id;
  }

  void context_switch(const PerfRecord& record) {
    if (!counts(record)) return;
    const bool out = (record.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
    const bool preempted = (record.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
    const ThreadState state = preempted ? ThreadState::running : ThreadState::waiting;
    add_switch(record, !out, out ? static_cast<uint8_t>(state) : kNoState);
  }

  /// The last time that a thread leaves its core is shown by its end only.
  void exit(const PerfRecord& record) {
    if (counts(record) && tally_.switches > 0) {
      add_switch(record, false, static_cast<uint8_t>(ThreadState::terminated));
    }
  }

  void add_switch(const PerfRecord& record, bool in, uint8_t state) {
    Switches& s = trace_.switches;
    s.start.push_back(record.time - span_.begin);
    s.thread.push_back(tasks_.thread(record.process, record.thread));
    s.cpu.push_back(static_cast<int32_t>(record.cpu));
    s.in.push_back(in ? 1 : 0);
    s.state.push_back(state);
    s.block.push_back(kNoState);
    ++tally_.switches;
    tally_.last_ns = std::max(tally_.last_ns, record.time);
  }

  Trace& trace_;
  Symbolizer& symbolizer_;
  CpuSpan span_;
  bool cycles_;
  TaskRows tasks_;
  CpuTally tally_;
  std::vector<uint64_t> kernel_;
  std::vector<uint64_t> user_;
};

}  // namespace

CpuTally fill_cpu_events(Trace& trace, const Slices& slices, Symbolizer& symbolizer, const CpuSpan& span, bool cycles,
                         const PartTaker& take) {
  Filling filling(trace, symbolizer, span, cycles);
  LettingGo letting_go(slices.let_go);
  int64_t unread = 0;
  for (const Slice& slice : slices.cpu) {
    PerfReader reader(slice.records, PerfReader::Samples::chain);
    PerfRecord record;
    while (reader.next(record)) filling.add(record);
    unread += static_cast<int64_t>(reader.left());
    letting_go.has_read(slice);
    if (event_rows(trace) >= kPartRows) give_part(trace, take);
  }
  CpuTally tally = filling.finish(take);
  tally.unread_bytes = unread;
  return tally;
}

}  // namespace sonde::record
