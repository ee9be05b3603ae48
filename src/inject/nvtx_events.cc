#include "inject/nvtx_events.h"

#include <atomic>

#include "inject/capture.h"
#include "inject/door.h"
#include "inject/metrics/range_filter.h"
#include "inject/name_table.h"
#include "inject/thread_chunk.h"

namespace sonde::inject {
namespace {

/// Open ranges of this thread in each of the first domains. Counted whether recorded or not, so that a pop whose push
/// was not recorded ends no other range.
constexpr uint16_t kLevelDomains = 32;
thread_local constinit uint16_t levels[kLevelDomains] = {};

std::atomic<uint64_t> next_range{1};

void note_range(const Event& event) noexcept {
  const Text name = event.string == 0 ? event.text : text_of_name(strings, event.string);
  if (event.kind == wire::Kind::push) {
    metrics::note_push(event.domain, event.level, name, records(wire::kWantNvtx));
  } else if (event.kind == wire::Kind::start) {
    metrics::note_start(event.range, event.domain, name);
  }
}

/// In place wherever it is called: of what is known there, as that there are no attributes, nothing is asked again.
[[gnu::always_inline]] inline void write_event(Event& event) noexcept {
  if (metrics::follows_ranges()) {
    note_range(event);
    if (!records(wire::kWantNvtx)) return;
  }
  const uint32_t own_bytes = event_bytes(event);
  const uint32_t bytes = own_bytes + (event.payload == nullptr ? 0 : payload_record_bytes(*event.payload));
  std::byte* const at = begin_record(bytes);
  if (at == nullptr) return;
  event.time = now_ns();
  encode_event(at, event, own_bytes);
  if (bytes > own_bytes) put_payload(at + own_bytes, *event.payload, event.time);
  commit_record(bytes);
}

/// Of an event without attributes, whose name is in its payload.
void write_with(Event& event, const Payload& payload) noexcept {
  if (event.domain != 0) event.domain = static_cast<uint16_t>(known_name(domains, event.domain));
  event.payload = &payload;
  write_event(event);
}

Payload binary_payload(const nvtx::EventAttributes& attributes) noexcept {
  if (attributes.payload_type != nvtx::kPayloadsFollow || attributes.reserved <= 0) return {};
  const auto* const all = reinterpret_cast<const nvtx::PayloadData*>(attributes.payload);
  return payload_of(all, static_cast<size_t>(attributes.reserved));
}

void take_attributes(Event& event, const nvtx::EventAttributes& attributes) noexcept {
  constexpr int32_t kArgb = 1;
  event.has_color = attributes.color_type == kArgb;
  const bool has_payload = attributes.payload_type > 0 && attributes.payload_type <= wire::kLastPayload;
  event.payload_kind = has_payload ? static_cast<uint8_t>(attributes.payload_type) : 0;
  event.has_attributes = event.has_color || has_payload || attributes.category != 0;
  if (!event.has_attributes) return;
  event.attributes = {attributes.category, event.has_color ? attributes.color : 0,
                      has_payload ? attributes.payload : 0};
}

/// With text that lies in the attributes' own bytes, or in `event` as a registered string.
void write_with(Event& event, const nvtx::EventAttributes* attributes) noexcept {
  if (event.domain != 0) event.domain = static_cast<uint16_t>(known_name(domains, event.domain));
  if (attributes == nullptr || attributes->size < sizeof *attributes) return write_event(event);
  take_attributes(event, *attributes);
  const Payload payload = binary_payload(*attributes);
  event.payload = &payload;
  switch (attributes->message_type) {
    case nvtx::kNarrow: event.text = text_of(attributes->message.narrow); break;
    case nvtx::kRegistered:
      event.string = known_name(strings, reinterpret_cast<uintptr_t>(attributes->message.registered));
      break;
    case nvtx::kWide: {
      const WideText wide(attributes->message.wide);
      event.text = wide.text();
      return write_event(event);
    }
    default: break;
  }
  write_event(event);
}

/// Of a range that ends.
[[gnu::always_inline]] inline void write_end(wire::Kind kind, uint16_t domain, uint16_t level, const nvtx::RangeId* id,
                                             const Payload& payload) noexcept {
  const uint32_t own_bytes = sizeof(wire::RecordHead) + (id == nullptr ? 0 : sizeof(wire::RangeBody));
  const uint32_t bytes = own_bytes + payload_record_bytes(payload);
  std::byte* const at = begin_record(bytes);
  if (at == nullptr) return;
  const int64_t time = now_ns();
  std::byte* const behind = put_head(at, kind, own_bytes, domain, level, time);
  if (id != nullptr) put(behind, wire::RangeBody{*id});
  if (bytes > own_bytes) put_payload(at + own_bytes, payload, time);
  commit_record(bytes);
}

/// The level of a range that begins now.
uint16_t enter(uint16_t domain) noexcept { return domain < kLevelDomains ? levels[domain]++ : wire::kNoLevel; }

/// Whether ranges matter at this moment: they are recorded, or lead to what is measured.
bool wants_ranges() noexcept { return records(wire::kWantNvtx) || metrics::follows_ranges(); }

/// The same of a range that begins now; where one is waited for, it may itself begin the recording, which `begin` is to
/// find out.
template <typename Begin>
[[gnu::always_inline]] inline bool wants_range(Begin begin) noexcept {
  return records(wire::kWantNvtx) || (waits_for_range() && begin() && records(wire::kWantNvtx)) ||
         metrics::follows_ranges();
}

bool begins_capture(uint16_t domain, const nvtx::EventAttributes* attributes) noexcept {
  if (attributes == nullptr || attributes->size < sizeof *attributes) return false;
  const nvtx::Message& message = attributes->message;
  switch (attributes->message_type) {
    case nvtx::kNarrow: return begin_capture_of(domain, text_of(message.narrow));
    case nvtx::kWide: return begin_capture_of(domain, WideText(message.wide).text());
    case nvtx::kRegistered: {
      const auto handle = reinterpret_cast<uintptr_t>(message.registered);
      return was_given(strings, handle) && begin_capture_of(domain, text_of_name(strings, handle));
    }
    default: return false;
  }
}

bool begun_by_push(uint16_t domain) noexcept {
  capture_range = {own_token(), 0, domain};
  return true;
}

bool begun_by_start(nvtx::RangeId id) noexcept {
  remember_capture_range(id);
  return true;
}

int answer(uint16_t level) noexcept { return level == wire::kNoLevel ? nvtx::kNotTracked : level; }

}  // namespace

bool may_want_nvtx() noexcept {
  open_door();
  if (attachment.header == nullptr) return is_door_open();
  return (attachment.header->wanted & wire::kWantNvtx) != 0;
}

uint16_t domain_number(nvtx::Domain domain) noexcept {
  const auto handle = reinterpret_cast<uintptr_t>(domain);
  return was_given(domains, handle) ? static_cast<uint16_t>(handle) : uint16_t{0};
}

void mark(uint16_t domain, const nvtx::EventAttributes* attributes) noexcept {
  if (!records(wire::kWantNvtx)) return;
  Event event{.kind = wire::Kind::mark, .domain = domain};
  write_with(event, attributes);
}

void mark(const Text& text) noexcept {
  if (!records(wire::kWantNvtx)) return;
  Event event{.kind = wire::Kind::mark, .text = text};
  write_event(event);
}

void mark(uint16_t domain, const Payload& payload) noexcept {
  if (!records(wire::kWantNvtx)) return;
  Event event{.kind = wire::Kind::mark, .domain = domain};
  write_with(event, payload);
}

nvtx::RangeId start_range(uint16_t domain, const nvtx::EventAttributes* attributes) noexcept {
  const uint64_t id = next_range.fetch_add(1, std::memory_order_relaxed);
  if (!wants_range([&] { return begins_capture(domain, attributes) && begun_by_start(id); })) return id;
  Event event{.kind = wire::Kind::start, .domain = domain, .range = id};
  write_with(event, attributes);
  return id;
}

nvtx::RangeId start_range(const Text& text) noexcept {
  const uint64_t id = next_range.fetch_add(1, std::memory_order_relaxed);
  if (!wants_range([&] { return begin_capture_of(0, text) && begun_by_start(id); })) return id;
  Event event{.kind = wire::Kind::start, .range = id, .text = text};
  write_event(event);
  return id;
}

nvtx::RangeId start_range(uint16_t domain, const Payload& payload) noexcept {
  const uint64_t id = next_range.fetch_add(1, std::memory_order_relaxed);
  if (!wants_ranges()) return id;
  Event event{.kind = wire::Kind::start, .domain = domain, .range = id};
  write_with(event, payload);
  return id;
}

void end_range(nvtx::RangeId id, uint16_t domain, const Payload& payload) noexcept {
  if (metrics::follows_ranges()) metrics::note_end(id);
  if (records(wire::kWantNvtx)) write_end(wire::Kind::end, domain, 0, &id, payload);
  forget_capture_range(id);
}

int push_range(uint16_t domain, const nvtx::EventAttributes* attributes) noexcept {
  const uint16_t level = enter(domain);
  if (wants_range([&] { return begins_capture(domain, attributes) && begun_by_push(domain); })) {
    Event event{.kind = wire::Kind::push, .domain = domain, .level = level};
    write_with(event, attributes);
  }
  if (capture_range.token != 0) enter_capture_range(domain);
  return answer(level);
}

int push_range(const Text& text) noexcept {
  const uint16_t level = enter(0);
  if (wants_range([&] { return begin_capture_of(0, text) && begun_by_push(0); })) {
    Event event{.kind = wire::Kind::push, .level = level, .text = text};
    write_event(event);
  }
  if (capture_range.token != 0) enter_capture_range(0);
  return answer(level);
}

int push_range(uint16_t domain, const Payload& payload) noexcept {
  const uint16_t level = enter(domain);
  if (wants_ranges()) {
    Event event{.kind = wire::Kind::push, .domain = domain, .level = level};
    write_with(event, payload);
  }
  if (capture_range.token != 0) enter_capture_range(domain);
  return answer(level);
}

int pop_range(uint16_t domain, const Payload& payload) noexcept {
  uint16_t level = wire::kNoLevel;
  if (domain < kLevelDomains) {
    if (levels[domain] == 0) return -1;  // nothing is open: NVTX wants a negative number
    level = --levels[domain];
  }
  if (metrics::follows_ranges()) metrics::note_pop(domain, level);
  if (records(wire::kWantNvtx)) write_end(wire::Kind::pop, domain, level, nullptr, payload);
  if (capture_range.token != 0) leave_capture_range(domain);
  return answer(level);
}

}  // namespace sonde::inject
