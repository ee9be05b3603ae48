#include "inject/cupti/reading.h"

#include "inject/attachment.h"
#include "inject/cupti/cheap_calls.h"
#include "inject/cupti/clock.h"
#include "inject/cupti/layouts.h"
#include "inject/cupti/text_numbers.h"
#include "inject/cupti/worker_record.h"

namespace sonde::inject::cupti {
namespace {

using wire::CudaInvalid;

constinit wire::CudaTallyBody tally{};
constinit uint64_t reported_buffers = 0;
constinit uint64_t reported_flush_failures = 0;
constinit bool devices = false;
constinit bool others = false;

void count_invalid(CudaInvalid why) noexcept { ++tally.invalid[static_cast<uint32_t>(why)]; }

constexpr size_t kMaxBody = sizeof(wire::DeviceBody);

/// A body with its times made ours. False where they make no sense, which is counted.
bool take_times(const Layout& layout, std::byte* body, bool forced) noexcept {
  int64_t times[2] = {};
  if (layout.times == Times::none) return true;
  const size_t bytes = layout.times == Times::start ? sizeof times[0] : sizeof times;
  memcpy(times, body, bytes);
  if (times[0] == 0 && times[1] == 0) {
    count_invalid(CudaInvalid::zero_times);
    if (forced) ++tally.unfinished;
    return false;
  }
  if (layout.times == Times::start_and_end && times[1] < times[0]) {
    count_invalid(CudaInvalid::backwards);
    return false;
  }
  for (int64_t& time : times) time = to_monotonic(time);
  memcpy(body, times, bytes);
  return true;
}

/// Of a counter that is a moment CUPTI leaves the end as it comes.
void take_end(std::byte* body) noexcept {
  wire::UnifiedMemoryBody counter{};
  memcpy(&counter, body, sizeof counter);
  const int64_t end = to_monotonic(counter.end);
  counter.end = end > counter.start ? end : counter.start;
  memcpy(body, &counter, sizeof counter);
}

/// 0 where the GPU's times of events were not asked for.
void take_event_time(std::byte* body) noexcept {
  wire::CudaEventBody event{};
  memcpy(&event, body, sizeof event);
  if (event.reached != 0) event.reached = to_monotonic(event.reached);
  memcpy(body, &event, sizeof event);
}

void write(const Layout& layout, const std::byte* body) noexcept {
  uint16_t domain = 0;
  if (layout.kind == wire::Kind::cuda_call) {
    wire::ApiCallBody call{};
    memcpy(&call, body, sizeof call);
    domain = static_cast<uint16_t>(layout.activity == Activity::driver ? Domain::driver : Domain::runtime);
    report_call_name(domain, call.call);
  }
  const size_t bytes = wire::cuda_body_bytes(layout.kind);
  const auto whole = static_cast<uint32_t>(sizeof(wire::RecordHead) + bytes);
  std::byte* const at = begin_worker_record(layout.kind, whole, domain);
  if (at == nullptr) return;
  memcpy(at, body, bytes);
  commit_record(whole);
}

/// A call of the worker itself.
bool is_own(const wire::ApiCallBody& call) noexcept { return call.thread == thread_chunk.thread; }

/// A call that is not to be recorded, where CUPTI could not leave it out.
bool is_left_out(const Layout& layout, const std::byte* body) noexcept {
  if (layout.kind != wire::Kind::cuda_call) return false;
  wire::ApiCallBody call{};
  memcpy(&call, body, sizeof call);
  if (is_own(call)) return true;
  const bool all = (attachment.header->cuda.extras & wire::kCudaAllApis) != 0;
  return !all && is_cheap(layout.activity == Activity::driver ? Domain::driver : Domain::runtime, call.call);
}

void read_record(const Library& library, const uint8_t* record, size_t room, bool forced) noexcept {
  uint32_t kind = 0;
  if (room < sizeof kind) return count_invalid(CudaInvalid::cut);
  memcpy(&kind, record, sizeof kind);
  const Layout* const layout = layout_of(kind);
  if (layout == nullptr) return count_invalid(CudaInvalid::unknown_kind);
  if (record_bytes(*layout, library.version) > room) return count_invalid(CudaInvalid::cut);
  alignas(8) std::byte body[kMaxBody];
  transcribe(*layout, library.version, record, body, number_of);
  if (!take_times(*layout, body, forced)) return;
  if (layout->activity == Activity::unified_memory) take_end(body);
  if (layout->activity == Activity::event) take_event_time(body);
  (layout->activity == Activity::device ? devices : others) = true;
  if (!is_left_out(*layout, body)) write(*layout, body);
}

/// CUPTI knows where the next record is. Where that is not behind the last one, or not in the buffer, the rest is left.
void read_buffer(const Library& library, const FilledBuffer& buffer, bool forced) noexcept {
  const uint8_t* const end = buffer.at + buffer.valid;
  const uint8_t* last = nullptr;
  uint8_t* record = nullptr;
  Result result = library.next_record(buffer.at, buffer.valid, &record);
  for (; result == Result::ok; result = library.next_record(buffer.at, buffer.valid, &record)) {
    if (record < buffer.at || record >= end || (last != nullptr && record <= last)) {
      return count_invalid(CudaInvalid::cut);
    }
    last = record;
    ++tally.records;
    read_record(library, record, static_cast<size_t>(end - record), forced);
  }
  if (result != Result::max_limit_reached) count_invalid(CudaInvalid::cut);
}

}  // namespace

void read_filled(const Library& library, bool forced) noexcept {
  for (FilledBuffer buffer = next_filled(); buffer.at != nullptr; buffer = next_filled()) {
    const int64_t began = now_ns();
    read_buffer(library, buffer, forced);
    ++tally.buffers;
    tally.bytes += buffer.valid;
    free_buffer(buffer);
    tally.busy_ns += now_ns() - began;
  }
}

void report_tally(const Library& library) noexcept {
  size_t dropped = 0;
  if (library.dropped_records(nullptr, 0, &dropped) == Result::ok) tally.dropped += dropped;
  if (dropped == 0 && tally.buffers == reported_buffers && tally.flush_failures == reported_flush_failures) return;
  reported_buffers = tally.buffers;
  reported_flush_failures = tally.flush_failures;
  const ClockState clock = follow_clock(library);
  tally.nameless = numberless_texts();
  tally.callback_ns = callback_ns();
  tally.clock_error_ns = clock.error_ns;
  tally.clock_drift_ns = clock.drift_ns;
  write_body(wire::Kind::cuda_tally, tally);
}

void count_flush_failure() noexcept { ++tally.flush_failures; }

void note_call_cost(int64_t ns) noexcept { tally.call_cost_ns = ns; }

bool had_devices() noexcept { return devices; }

bool had_records() noexcept { return others; }

}  // namespace sonde::inject::cupti
