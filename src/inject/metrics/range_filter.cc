#include "inject/metrics/range_filter.h"

#include <atomic>
#include <cstring>

#include "inject/metrics/range_pattern.h"
#include "inject/metrics/report_kernels.h"
#include "inject/metrics/settings.h"
#include "inject/name_table.h"
#include "wire/place.h"

namespace sonde::inject::metrics {
namespace {

/// The thread's open ranges of all domains, outermost first. Deeper ones than there is room for are counted.
struct Open {
  uint64_t places[wire::kDeepestPlace] = {};
  RangeBits bits[wire::kDeepestPlace] = {};
  uint16_t domains[wire::kDeepestPlace] = {};
  uint16_t levels[wire::kDeepestPlace] = {};
  uint32_t depth = 0;
  uint32_t deeper = 0;

  void remove(uint32_t at) noexcept {
    --depth;
    const uint32_t above = depth - at;
    memmove(places + at, places + at + 1, above * sizeof places[0]);
    memmove(bits + at, bits + at + 1, above * sizeof bits[0]);
    memmove(domains + at, domains + at + 1, above * sizeof domains[0]);
    memmove(levels + at, levels + at + 1, above * sizeof levels[0]);
  }
};
thread_local constinit Open open_here{};

/// Open start/end ranges that some pattern names.
struct Started {
  std::atomic<uint64_t> range{0};  ///< 0: free
  std::atomic<uint32_t> elements{0};
};
constexpr uint32_t kMaxStarted = 1024;
constinit Started started[kMaxStarted];
constinit std::atomic<uint32_t> started_count{0};
constinit std::atomic<bool> reported_started{false};

RangeBits bits_of_range(const Settings& wanted, bool push_pop, uint16_t domain, const Text& name) noexcept {
  if (wanted.ranges.count == 0) return {};
  const Text domain_name = domain == 0 ? Text{} : text_of_name(domains, domain);
  return bits_of(wanted.ranges, push_pop, domain_name.data, domain_name.bytes, name.data, name.bytes);
}

uint32_t started_elements() noexcept {
  uint32_t elements = 0;
  if (started_count.load() == 0) return 0;
  for (const Started& range : started) elements |= range.elements.load();
  return elements;
}

}  // namespace

void note_push(uint16_t domain, uint16_t level, const Text& name, bool recorded) noexcept {
  const Settings* const wanted = settings();
  if (wanted == nullptr) return;
  Open& open = open_here;
  if (open.deeper > 0 || open.depth == wire::kDeepestPlace) {
    ++open.deeper;
    return;
  }
  const uint64_t outer = place();
  open.places[open.depth] = recorded ? wire::add_to_place(outer, name.data, name.bytes) : outer;
  open.bits[open.depth] = bits_of_range(*wanted, true, domain, name);
  open.domains[open.depth] = domain;
  open.levels[open.depth++] = level;
}

void note_pop(uint16_t domain, uint16_t level) noexcept {
  Open& open = open_here;
  for (uint32_t at = open.depth; at-- > 0;) {
    if (open.domains[at] == domain && open.levels[at] == level) return open.remove(at);
  }
  if (open.deeper > 0) --open.deeper;
}

void note_start(uint64_t range, uint16_t domain, const Text& name) noexcept {
  const Settings* const wanted = settings();
  if (wanted == nullptr) return;
  const uint32_t elements = bits_of_range(*wanted, false, domain, name).elements;
  if (elements == 0) return;
  for (Started& place : started) {
    uint64_t expected = 0;
    if (!place.range.compare_exchange_strong(expected, range)) continue;
    place.elements.store(elements);
    ++started_count;
    return;
  }
  if (!reported_started.exchange(true)) report(wire::MeasureState::ranges);
}

void note_end(uint64_t range) noexcept {
  if (started_count.load() == 0) return;
  for (Started& place : started) {
    if (place.range.load() != range) continue;
    place.elements.store(0);
    place.range.store(0);
    --started_count;
    return;
  }
}

uint64_t place() noexcept { return open_here.depth == 0 ? 0 : open_here.places[open_here.depth - 1]; }

bool in_range() noexcept {
  const Settings* const wanted = settings();
  if (wanted == nullptr || wanted->ranges.count == 0) return true;
  const Open& open = open_here;
  return lets_pass(wanted->ranges, {open.bits, open.depth, open.deeper > 0, started_elements()});
}

}  // namespace sonde::inject::metrics
