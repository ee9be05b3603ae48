#include <algorithm>
#include <array>

#include "base/text/text_catalogue.h"
#include "gate/difference/cause_ledger.h"

namespace sonde::gate {

#define SONDE_CAUSE_RULE(name) extern const CauseRule name##_cause;
#include "gate/causes/list.inc"
#undef SONDE_CAUSE_RULE

namespace {

constexpr auto kCauseSentences = std::to_array<CatalogueText>({
#define SONDE_CAUSE(id, family, change, sides, figure, each, text) {#id, text},
#define SONDE_TEXT(id, text) {id, text},
#include "gate/difference/causes_en.inc"
#undef SONDE_TEXT
#undef SONDE_CAUSE
});

/// What explains the whole change comes first, the most before; then what goes the other way.
void sort_causes(std::vector<Cause>& causes, bool longer) {
  std::ranges::stable_sort(causes, [&](const Cause& a, const Cause& b) {
    if ((a.change_ns > 0) != (b.change_ns > 0)) return (a.change_ns > 0) == longer;
    return std::abs(a.change_ns) > std::abs(b.change_ns);
  });
}

Cause cause_of(CauseEntry& entry) {
  entry.facts.change = direction(0, static_cast<double>(entry.change_ns()));
  entry.arguments.push_back(named_time("busy", static_cast<double>(entry.busy_ns)));
  entry.arguments.push_back(named_time("idle", static_cast<double>(entry.idle_ns)));
  return {text_for(entry.family, entry.facts).id, std::move(entry.arguments), entry.change_ns()};
}

}  // namespace

std::span<const CauseRule* const> cause_rules() {
  static constexpr auto kRules = std::to_array<const CauseRule*>({
#define SONDE_CAUSE_RULE(name) &name##_cause,
#include "gate/causes/list.inc"
#undef SONDE_CAUSE_RULE
  });
  return kRules;
}

std::vector<Cause> find_causes(Leaves& leaves, const ShapeChanges& shapes) {
  CauseLedger ledger(leaves, shapes);
  for (const CauseRule* rule : cause_rules()) rule->claim(ledger);
  std::vector<Cause> causes;
  int64_t claimed = 0;
  for (CauseEntry& entry : ledger.entries()) {
    claimed += entry.change_ns();
    causes.push_back(cause_of(entry));
  }
  const int64_t whole = (leaves.changed_ns - leaves.base_ns) * static_cast<int64_t>(leaves.gpus);
  sort_causes(causes, whole >= 0);
  if (whole != claimed) causes.push_back({"rest", {}, whole - claimed});
  return causes;
}

std::string_view cause_text(std::string_view id) { return text_in(kCauseSentences, id); }

}  // namespace sonde::gate
