#include "record/gpu_metrics/gpu_metrics.h"

#include <algorithm>
#include <cmath>

#include "record/cuda/uuid_text.h"
#include "record/rounds/body.h"
#include "trace/columns.h"
#include "trace/link.h"

namespace sonde::record {
namespace {

using MetricsSource = std::tuple<uint32_t, uint32_t, uint32_t>;  ///< process, thread, device

/// What the process that sampled a GPU reported of it.
struct Facts {
  SampledGpu gpu;
  std::string uuid;
  std::vector<uint32_t> counters;            ///< by place: rows of Trace::counters
  wire::SamplingTallyBody counted_before{};  ///< until the recording began
  int64_t first_start = 0;                   ///< of samples
  int64_t last_end = 0;
};

/// Others are damage, and sums of them would overflow.
bool is_span(const wire::SampleBody& sample) {
  constexpr int64_t kEnd = int64_t{1} << 61;
  return sample.start >= 0 && sample.start < sample.end && sample.end < kEnd;
}

/// What was counted in between; nothing where nothing was reported.
wire::SamplingTallyBody since(const wire::SamplingTallyBody& until, const wire::SamplingTallyBody& before) {
  const auto difference = [](auto now, auto then) { return now > then ? now - then : 0; };
  return {.samples = difference(until.samples, before.samples),
          .timeless = difference(until.timeless, before.timeless),
          .overflows = difference(until.overflows, before.overflows),
          .full_images = difference(until.full_images, before.full_images),
          .busy_ns = difference(until.busy_ns, before.busy_ns),
          .unread = difference(until.unread, before.unread),
          .misplaced = difference(until.misplaced, before.misplaced),
          .clock_error_ns = until.clock_error_ns,
          .device = until.device,
          .reserved = 0};
}

class MetricsFilling {
 public:
  MetricsFilling(Trace& trace, const Slices& slices, int64_t begin, int64_t end)
      : trace_(trace), slices_(slices), begin_(begin), end_(end) {}

  void read_facts() {
    LettingGo letting_go(slices_.let_go);
    for (size_t i = 0; i < slices_.all.size(); ++i) {
      const Slice& slice = slices_.all[i];
      wire::Reader reader(slice.records);
      wire::Record record;
      bool any = false;
      while (reader.next(record)) {
        if (!wire::is_gpu_metrics_record(record.head.kind)) continue;
        any = true;
        note(record, slice);
      }
      if (any) with_samples_.push_back(i);
      letting_go.has_read(slice);
    }
    for (auto& [source, facts] : facts_) settle(facts);
  }

  GpuMetricsTally fill(const PartTaker& take) {
    for (const size_t i : with_samples_) {
      const Slice& slice = slices_.all[i];
      wire::Reader reader(slice.records);
      wire::Record record;
      while (reader.next(record)) {
        if (record.head.kind == wire::Kind::gpu_sample) add_sample(record, slice);
      }
      if (row_count(trace_.counter_values) >= kPartRows) hand_over(take);
    }
    hand_over(take);
    for (auto& [source, facts] : facts_) {
      facts.gpu.sampled_ns = facts.last_end - facts.first_start;
      tally_.gpus.push_back(std::move(facts.gpu));
    }
    return std::move(tally_);
  }

 private:
  Facts& facts_of(const Slice& slice, uint32_t device) { return facts_[{slice.process, slice.thread, device}]; }

  void note(const wire::Record& record, const Slice& slice) {
    switch (record.head.kind) {
      case wire::Kind::sampling_state: {
        const auto body = body_of<wire::SamplingStateBody>(record);
        tally_.states[{body.state, body.device, std::string(record.text)}] = body.result;
        return;
      }
      case wire::Kind::sampled_gpu: {
        const auto body = body_of<wire::SampledGpuBody>(record);
        Facts& facts = facts_of(slice, body.device);
        facts.gpu.device = body.device;
        facts.gpu.chip = record.text;
        facts.uuid = uuid_text(body.uuid);
        return;
      }
      case wire::Kind::sampled_metric: {
        const auto body = body_of<wire::SampledMetricBody>(record);
        auto& metrics = facts_of(slice, body.device).gpu.metrics;
        metrics.resize(std::max<size_t>(metrics.size(), body.place + size_t{1}));
        metrics[body.place] = record.text;
        return;
      }
      case wire::Kind::sampling_tally: {
        const auto body = body_of<wire::SamplingTallyBody>(record);
        Facts& facts = facts_of(slice, body.device);
        (record.head.time < begin_ ? facts.counted_before : facts.gpu.counted) = body;
        return;
      }
      default: return;
    }
  }

  /// The GPU's row, made here where CUDA itself was not recorded.
  Device& device_row(const Facts& facts) {
    const auto found = std::ranges::find_if(trace_.devices, [&](const Device& known) {
      return facts.uuid.empty() ? known.id == facts.gpu.device : known.uuid == facts.uuid;
    });
    if (found != trace_.devices.end()) return *found;
    Device device;
    device.id = facts.gpu.device;
    const bool taken = std::ranges::find(trace_.devices, device.id, &Device::id) != trace_.devices.end();
    if (taken) device.id = static_cast<int64_t>(trace_.devices.size());
    device.cuda_ordinal = facts.gpu.device;
    device.name = facts.gpu.chip;
    device.uuid = facts.uuid;
    return trace_.devices.emplace_back(std::move(device));
  }

  /// Processes that sampled the same GPU one after the other fill the same counters.
  uint32_t counter_row(int64_t device, NameId source, NameId name) {
    const auto found = std::ranges::find_if(trace_.counters, [&](const Counter& known) {
      return known.device == device && known.source == source && known.name == name;
    });
    if (found != trace_.counters.end()) return static_cast<uint32_t>(found - trace_.counters.begin());
    Counter& counter = trace_.counters.emplace_back();
    counter.name = name;
    counter.source = source;
    counter.device = device;
    return static_cast<uint32_t>(trace_.counters.size() - 1);
  }

  void settle(Facts& facts) {
    facts.gpu.counted = since(facts.gpu.counted, facts.counted_before);
    if (facts.gpu.metrics.empty()) return;
    Device& device = device_row(facts);
    if (device.chip.empty()) device.chip = facts.gpu.chip;
    const NameId source = trace_.names.intern(fmt::format("GPU Metrics [{}]", device.name));
    for (const std::string& name : facts.gpu.metrics) {
      facts.counters.push_back(counter_row(device.id, source, trace_.names.intern(name)));
    }
  }

  void add_sample(const wire::Record& record, const Slice& slice) {
    const auto body = body_of<wire::SampleBody>(record);
    const auto found = facts_.find({slice.process, slice.thread, body.device});
    if (found == facts_.end() || !is_span(body)) return;
    Facts& facts = found->second;
    follow(facts, body);
    if (body.end < begin_ || body.end > end_) {
      ++facts.gpu.outside;
      return;
    }
    ++facts.gpu.samples;
    const std::byte* at = record.body.data() + sizeof body;
    const size_t count = std::min<size_t>(body.count, facts.counters.size());
    for (size_t place = 0; place < count; ++place, at += sizeof(double)) {
      double value = 0;
      std::memcpy(&value, at, sizeof value);
      if (std::isfinite(value)) add_value(body.end, facts.counters[place], value);
    }
  }

  void add_value(int64_t time, uint32_t counter, double value) {
    trace_.counter_values.start.push_back(time - begin_);
    trace_.counter_values.counter.push_back(counter);
    trace_.counter_values.value.push_back(value);
  }

  /// Samples lie end to end; a gap was left by those that are lost.
  static void follow(Facts& facts, const wire::SampleBody& sample) {
    if (facts.last_end == 0) {
      facts.first_start = sample.start;
    } else if (sample.start > facts.last_end) {
      constexpr int64_t kMost = 1'000'000'000;
      const int64_t length = sample.end - sample.start;
      facts.gpu.missing += std::min((sample.start - facts.last_end + length / 2) / length, kMost);
    }
    facts.last_end = std::max(facts.last_end, sample.end);
  }

  void hand_over(const PartTaker& take) {
    order_tables(trace_);
    take(trace_);
    clear_rows(trace_.counter_values);
  }

  Trace& trace_;
  const Slices& slices_;
  int64_t begin_;
  int64_t end_;
  std::map<MetricsSource, Facts> facts_;
  std::vector<size_t> with_samples_;
  GpuMetricsTally tally_;
};

}  // namespace

GpuMetricsTally fill_gpu_metrics(Trace& trace, const Slices& slices, int64_t begin, int64_t end,
                                 const PartTaker& take) {
  MetricsFilling filling(trace, slices, begin, end);
  filling.read_facts();
  return filling.fill(take);
}

}  // namespace sonde::record
