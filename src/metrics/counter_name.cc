#include "metrics/counter_name.h"

#include <array>

#include <fmt/format.h>

#include "metrics/metric_name.h"

namespace sonde {
namespace {

struct Hardware {
  std::string_view name;
  MetricFamily family;
  std::string_view plural;
};

constexpr std::array kHardware = {
#define SONDE_HARDWARE(name, family, plural) Hardware{#name, MetricFamily::family, plural},
#include "metrics/hardware_units.inc"
#undef SONDE_HARDWARE
};

struct CounterWord {
  std::string_view name;
  std::string_view unit;
  MetricFamily family;
  std::string_view meaning;
};

constexpr auto kCounters = std::to_array<CounterWord>({
#define SONDE_COUNTER(name, unit, family, meaning) CounterWord{name, unit, MetricFamily::family, meaning},
#include "metrics/counters.inc"
#undef SONDE_COUNTER
});

constexpr std::array kFacts = {
#define SONDE_FACT(name, unit, family, meaning) CounterWord{name, unit, MetricFamily::family, meaning},
#include "metrics/facts.inc"
#undef SONDE_FACT
};

struct Qualifier {
  std::string_view name;
  MetricFamily family;
  std::string_view phrase;
};

constexpr std::array kQualifiers = {
#define SONDE_QUALIFIER(name, family, phrase) Qualifier{name, MetricFamily::family, phrase},
#include "metrics/qualifiers.inc"
#undef SONDE_QUALIFIER
};

const Hardware* find_hardware(std::string_view name) {
  for (const Hardware& h : kHardware) {
    if (h.name == name) return &h;
  }
  return nullptr;
}

/// What stands behind the qualifier, where `tail` ("_mem_global_op_ld") begins with it.
std::optional<std::string_view> behind(std::string_view tail, const Qualifier& q) {
  if (!tail.starts_with('_') || !tail.substr(1).starts_with(q.name)) return std::nullopt;
  tail.remove_prefix(1 + q.name.size());
  if (!tail.empty() && tail.front() != '_') return std::nullopt;
  return tail;
}

/// Adds what the qualifiers say; false where `tail` is not made of qualifiers. Depth: one call a qualifier.
bool add_qualifiers(std::string_view tail, CounterInfo& info) {
  if (tail.empty()) return true;
  for (const Qualifier& q : kQualifiers) {
    const auto rest = behind(tail, q);
    if (!rest) continue;
    CounterInfo longer = info;
    longer.meaning += q.phrase;
    if (q.family != MetricFamily::inherit) longer.family = q.family;
    if (!add_qualifiers(*rest, longer)) continue;
    info = longer;
    return true;
  }
  return false;
}

/// The part of `counter` behind the row's stem, where it begins with it; "*" stands for the hardware unit.
std::optional<std::string_view> behind_stem(std::string_view counter, std::string_view stem, std::string_view unit) {
  if (stem.starts_with('*')) {
    counter.remove_prefix(unit.size());
    stem.remove_prefix(1);
  }
  if (!counter.starts_with(stem)) return std::nullopt;
  return counter.substr(stem.size());
}

std::optional<CounterInfo> describe_by_stem(std::string_view counter) {
  const Hardware* hardware = find_hardware(split_metric_name(counter).hardware);
  if (hardware == nullptr) return std::nullopt;
  std::optional<CounterInfo> best;
  size_t shortest_tail = counter.size();
  for (const CounterWord& row : kCounters) {
    const auto tail = behind_stem(counter, row.name, hardware->name);
    if (!tail || tail->size() >= shortest_tail) continue;
    CounterInfo info{std::string(row.unit), row.family == MetricFamily::inherit ? hardware->family : row.family,
                     std::string(row.meaning)};
    if (!add_qualifiers(*tail, info)) continue;
    best = std::move(info);
    shortest_tail = tail->size();
  }
  return best;
}

/// "derived__" before a counter: the same, computed from it. ncu has units of its own for them: multiples of thread
/// instructions are in threads, and of the bytes only those that L2 sends have a unit.
std::optional<CounterInfo> describe_derived(std::string_view inner) {
  auto info = describe_counter(inner);
  if (!info) return info;
  const bool multiple = inner.ends_with("_x2") || inner.ends_with("_x4") || inner.ends_with("_x512");
  if (multiple) info->unit = inner.contains("thread_inst") ? "thread" : "";
  if (inner.starts_with("l1tex__lsu_writeback_bytes")) info->unit.clear();
  return info;
}

/// The driver's attributes are as many as CUDA has; their names say what they are.
CounterInfo describe_attribute(std::string_view attribute) {
  std::string words(attribute);
  for (char& c : words) c = c == '_' ? ' ' : c;
  return {"", MetricFamily::device, fmt::format("Property of the GPU reported by the driver: {}", words)};
}

}  // namespace

std::string_view plural_of(std::string_view hardware) {
  const Hardware* found = find_hardware(hardware);
  return found == nullptr ? "units" : found->plural;
}

std::optional<CounterInfo> describe_counter(std::string_view counter) {
  constexpr std::string_view kDerived = "derived__";
  constexpr std::string_view kAttribute = "device__attribute_";
  for (const CounterWord& row : kFacts) {
    if (row.name == counter) return CounterInfo{std::string(row.unit), row.family, std::string(row.meaning)};
  }
  if (counter.starts_with(kAttribute)) return describe_attribute(counter.substr(kAttribute.size()));
  if (counter.starts_with(kDerived)) return describe_derived(counter.substr(kDerived.size()));
  return describe_by_stem(counter);
}

}  // namespace sonde
