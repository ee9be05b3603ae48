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
  if (wanted == nullptr || wanted->range == nullptr || inside.is) return;
  if (is_wanted(*wanted, domain, name)) inside = {true, domain, level};
}

void note_pop(uint16_t domain, uint16_t level) noexcept {
  if (inside.is && inside.domain == domain && inside.level == level) inside.is = false;
}

bool in_range() noexcept {
  const Settings* const wanted = settings();
  return wanted == nullptr || wanted->range == nullptr || inside.is;
}

}  // namespace sonde::inject::metrics
