#include "dispatch/rules/shared_refusal.h"

#include <array>

#include <fmt/format.h>

#include "base/text/text_catalogue.h"
#include "monitor/text.h"

namespace sonde::dispatch {
namespace {

constexpr auto kRefusalTexts = std::to_array<CatalogueText>({
#define SONDE_TEXT(id, text) {id, text},
#include "dispatch/rules/shared_texts_en.inc"
#undef SONDE_TEXT
});

std::string text_of(std::string_view id, std::string_view part, std::initializer_list<monitor::Argument> arguments) {
  return monitor::filled(text_in(kRefusalTexts, fmt::format("{}.{}", id, part)), arguments);
}

}  // namespace

Refusal make_refusal(std::string_view id, std::initializer_list<monitor::Argument> arguments, Lasts lasts) {
  return {.rule = {},
          .reason = text_of(id, "reason", arguments),
          .unblocked = text_of(id, "unblocked", arguments),
          .is_for_good = lasts == Lasts::for_good};
}

std::vector<Refusal> refusals_of(const Candidate& candidate) {
  std::vector<Refusal> all;
  for (const Rule* const rule : rules()) {
    if (!rule->refuses(candidate)) continue;
    all.push_back(rule->refuse(candidate).value_or(Refusal{}));
    all.back().rule = rule->name;
  }
  return all;
}

std::string shown_gib(int64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(1LL << 30));
}

std::string shown_share(double share) { return fmt::format("{:.4g} %", 100 * share); }

std::string shown_celsius(double value) { return fmt::format("{:.4g} °C", value); }

std::string shown_version(int64_t number) { return fmt::format("{}.{}", number / 100, number % 100); }

int64_t foreign_bytes(const GpuState& gpu, const GpuLoad& load) {
  if (gpu.foreign_bytes) return *gpu.foreign_bytes;
  return std::max<int64_t>(0, gpu.memory_used_bytes.value_or(0) - load.reserved_bytes);
}

std::optional<int64_t> room_bytes(const GpuState& gpu, const GpuLoad& load) {
  if (!gpu.memory_total_bytes) return std::nullopt;
  return *gpu.memory_total_bytes - foreign_bytes(gpu, load) - load.reserved_bytes;
}

}  // namespace sonde::dispatch
