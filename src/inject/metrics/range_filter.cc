#include "inject/metrics/range_filter.h"

#include <cstring>

#include "inject/metrics/settings.h"
#include "inject/names.h"

namespace sonde::inject::metrics {
namespace {

/// The outermost open range of this thread that is the one which was asked for.
struct Inside {
  bool is = false;
  uint16_t domain = 0;
  uint16_t level = 0;
};
thread_local constinit Inside inside{};

/// Places of the thread's open ranges, of all domains. Deeper ones are at the place of the deepest that has room.
constexpr uint32_t kDeepest = 32;
struct Places {
  uint32_t depth = 0;
  uint64_t at[kDeepest] = {};
};
thread_local constinit Places places{};

/// FNV-1a.
uint64_t add_to_place(uint64_t place, const Text& name) noexcept {
  constexpr uint64_t kBasis = 14695981039346656037ULL;
  constexpr uint64_t kPrime = 1099511628211ULL;
  place ^= kBasis;
  for (uint16_t i = 0; i < name.bytes; ++i) {
    if (name.data[i] < '0' || name.data[i] > '9') place = (place ^ static_cast<uint8_t>(name.data[i])) * kPrime;
  }
  return place;
}

bool equal(const Text& text, const char* wanted) noexcept {
  return strlen(wanted) == text.bytes && memcmp(wanted, text.data, text.bytes) == 0;
}

bool is_wanted(const Settings& wanted, uint16_t domain, const Text& name) noexcept {
  if (!equal(name, wanted.range)) return false;
  return domain == 0 ? *wanted.domain == '\0' : equal(text_of_name(domains, domain), wanted.domain);
}

}  // namespace

void note_push(uint16_t domain, uint16_t level, const Text& name) noexcept {
  const Settings* const wanted = settings();
  if (wanted == nullptr) return;
  const uint64_t outer = place();
  if (places.depth++ < kDeepest) places.at[places.depth - 1] = add_to_place(outer, name);
  if (wanted->range == nullptr || inside.is) return;
  if (is_wanted(*wanted, domain, name)) inside = {true, domain, level};
}

void note_pop(uint16_t domain, uint16_t level) noexcept {
  if (places.depth > 0) --places.depth;
  if (inside.is && inside.domain == domain && inside.level == level) inside.is = false;
}

uint64_t place() noexcept {
  if (places.depth == 0) return 0;
  return places.at[(places.depth < kDeepest ? places.depth : kDeepest) - 1];
}

bool in_range() noexcept {
  const Settings* const wanted = settings();
  return wanted == nullptr || wanted->range == nullptr || inside.is;
}

}  // namespace sonde::inject::metrics
