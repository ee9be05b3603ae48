#include "monitor/quality/shared_marker.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/text_catalogue.h"
#include "monitor/text.h"

namespace sonde::monitor::quality {
namespace {

constexpr auto kMarkerTexts = std::to_array<CatalogueText>({
#define SONDE_TEXT(id, text) {id, text},
#include "monitor/quality/shared_texts_en.inc"
#undef SONDE_TEXT
});

constexpr int64_t kMinStaleNs = 5'000'000'000;

std::string text_of(const Contradiction& what) {
  std::vector<Argument> arguments;
  for (const auto& [name, value] : what.arguments) arguments.push_back({std::string(name), value});
  return filled(text_in(kMarkerTexts, what.text), arguments);
}

std::string because(std::string_view text, std::string_view with_failure, const GpuSample& sample,
                    std::string age = {}) {
  if (!sample.failure) return text_of({.text = text, .arguments = {{"age", std::move(age)}}});
  return text_of({.text = with_failure, .arguments = {{"age", std::move(age)}, {"failure", sample.failure->message}}});
}

std::string age_text(int64_t age_ns) {
  const double age_s = static_cast<double>(age_ns) / 1e9;
  return age_s < 120 ? fmt::format("{:.0f} s", age_s) : fmt::format("{:.0f} min", age_s / 60);
}

}  // namespace

int64_t stale_after_ns(int64_t interval_ns) { return std::max(2 * interval_ns, kMinStaleNs); }

Marker::Marker() {
  for (const Rule* rule : rules()) checks_.push_back(rule->make());
}

QualityMark Marker::mark(const GpuSample& sample, bool read_anew, int64_t now_ns, int64_t interval_ns) {
  if (read_anew) {
    last_ = {};
    for (const auto& check : checks_) {
      const auto found = check->look(sample);
      if (found && last_.reason.empty()) last_ = {.quality = Quality::contradictory, .reason = text_of(*found)};
    }
  }
  if (sample.moment_ns == 0) {
    return {.quality = Quality::absent, .reason = because("never_read", "never_read_because", sample)};
  }
  if (sample.failure && sample.failure->kind == device::FailureKind::lost) {
    return {.quality = Quality::absent, .reason = because("lost", "lost", sample)};
  }
  const int64_t age_ns = now_ns - sample.moment_ns;
  if (age_ns > stale_after_ns(interval_ns)) {
    return {.quality = Quality::stale, .reason = because("stale", "stale_because", sample, age_text(age_ns))};
  }
  return last_;
}

}  // namespace sonde::monitor::quality
