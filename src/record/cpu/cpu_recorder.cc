#include "record/cpu/cpu_recorder.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "base/system/clock.h"
#include "base/time_units.h"
#include "record/cpu/running_processes.h"

namespace sonde::record {
namespace {

/// All rings together: part of the memory that a recording may take.
constexpr size_t kMaxRingBytes = size_t{32} << 20U;
constexpr size_t kRingBytes = size_t{2} << 20U;

/// CPUs write at the same time, and what one writes now may carry the time of a moment ago: what is younger waits for
/// the next look, so that all is passed on in the order of time.
constexpr int64_t kUnsettledSamplesNs = 2'000'000;

/// What a busy CPU writes: samples with registers, chain and stack; 100,000 switches a second, in and out.
int64_t bytes_a_second(const CpuOptions& options) {
  constexpr int64_t kSampleBytes = 500;
  constexpr int64_t kSwitchBytes = 10'000'000;
  const int64_t stack = options.backtrace == Backtrace::dwarf ? kStackBytes : 0;
  const int64_t samples = options.sample == CpuScope::none ? 0 : (kSampleBytes + stack) * options.frequency_hz;
  return samples + (options.switches == CpuScope::none ? 0 : kSwitchBytes) + 1;
}

bool is_activity(uint32_t type) {
  return type == PERF_RECORD_SAMPLE || type == PERF_RECORD_SWITCH || type == PERF_RECORD_SWITCH_CPU_WIDE;
}

PerfReader::Samples form_of(const CpuOptions& options) {
  const bool stacks = options.sample != CpuScope::none && options.backtrace == Backtrace::dwarf;
  return stacks ? PerfReader::Samples::chain_and_stack : PerfReader::Samples::chain;
}

}  // namespace

CpuRecorder::CpuRecorder(const CpuOptions& options, Sink& sink, WhatIsOn on, PerfEventOpen open)
    : options_(options), sink_(sink), on_(std::move(on)), open_(std::move(open)), patience_ns_(kNsPerSecond) {}

void CpuRecorder::open(pid_t process) {
  if (!options_.any()) return;
  const auto opened = open_perf_events(options_, process, open_);
  if (!opened) {
    state_.problem = opened.error().message;
    return;
  }
  state_.kernel = opened->kernel;
  state_.cycles = opened->cycles;
  map_rings(opened->events);
  const bool whole_system = options_.sample == CpuScope::system_wide || options_.switches == CpuScope::system_wide;
  if (!whole_system || rings_.empty()) return;
  for (const PerfRing& ring : rings_) ioctl(ring.event(), PERF_EVENT_IOC_ENABLE, 0);
  append_running_processes(clock_ns(CLOCK_MONOTONIC), fresh_);
}

void CpuRecorder::map_rings(const std::vector<int>& events) {
  const size_t share = std::bit_floor(kMaxRingBytes / events.size());
  for (const int event : events) {
    auto ring = PerfRing::map(event, std::clamp(share, PerfRing::kLeastBytes, kRingBytes));
    if (ring) {
      rings_.push_back(std::move(*ring));
      const auto bytes = static_cast<int64_t>(rings_.back().bytes());
      patience_ns_ = std::min(patience_ns_, bytes / 2 * kNsPerSecond / bytes_a_second(options_));
    } else {
      state_.problem = ring.error().message;
    }
  }
}

int64_t CpuRecorder::sweep() {
  if (rings_.empty()) return 0;
  const int64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const size_t before = fresh_.size();
  const int64_t settled = clock_ns(CLOCK_MONOTONIC) - kUnsettledSamplesNs;
  for (PerfRing& ring : rings_) ring.drain(fresh_);
  const auto taken = static_cast<int64_t>(fresh_.size() - before);
  pass_on(settled, on_());
  state_.own_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
  return taken;
}

void CpuRecorder::finish() {
  for (const PerfRing& ring : rings_) ioctl(ring.event(), PERF_EVENT_IOC_DISABLE, 0);
  for (PerfRing& ring : rings_) ring.drain(fresh_);
  pass_on(std::numeric_limits<int64_t>::max(), on_());
  rings_.clear();
}

std::vector<CpuRecorder::Held> CpuRecorder::held() {
  std::vector<Held> all;
  PerfReader reader(fresh_, form_of(options_));
  PerfRecord record;
  size_t at = 0;
  while (reader.next(record)) {
    all.push_back({record.time, at, record.bytes.size()});
    at += record.bytes.size();
  }
  state_.unread_bytes += static_cast<int64_t>(reader.left());
  std::ranges::stable_sort(all, {}, &Held::time);
  return all;
}

void CpuRecorder::pass_on(int64_t before, const CpuSpan& on) {
  std::vector<std::byte> younger;
  for (const Held& h : held()) {
    const auto bytes = std::span(fresh_).subspan(h.at, h.bytes);
    if (h.time >= before) {
      younger.insert(younger.end(), bytes.begin(), bytes.end());
      continue;
    }
    PerfRecord record;
    if (PerfReader(bytes, form_of(options_)).next(record)) keep(record, on);
  }
  fresh_ = std::move(younger);
  if (!ready_.empty()) sink_.add({.process = 0, .thread = 0, .records = ready_, .mark = kCpuSliceMark});
  ready_.clear();
  sink_.flush();
}

void CpuRecorder::keep(const PerfRecord& record, const CpuSpan& on) {
  spaces_.add(record);
  if (is_activity(record.type) && !on.holds(record.time)) return;
  if (record.type == PERF_RECORD_SAMPLE) {
    keep_sample(record);
  } else {
    ready_.insert(ready_.end(), record.bytes.begin(), record.bytes.end());
  }
}

void CpuRecorder::keep_sample(const PerfRecord& sample) {
  const bool stacked = form_of(options_) == PerfReader::Samples::chain_and_stack;
  const bool wants_chain = samples_++ % options_.samples_per_backtrace == 0;
  if (!stacked) {
    ready_.insert(ready_.end(), sample.bytes.begin(), sample.bytes.end());
    return;
  }
  bool whole = false;
  chain_.clear();
  if (wants_chain) whole = unwinder_.unwind(sample, chain_);
  append_sample(sample, chain_, whole, ready_);
}

}  // namespace sonde::record
