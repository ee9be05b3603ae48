#include "metrics/quantities.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "base/text/suggest.h"

namespace sonde {
namespace {

constexpr std::array kQuantities = {
#define SONDE_QUANTITY(name, unit, dram, meaning) Quantity{#name, unit, dram, meaning},
#define SONDE_VARIANT(name, first_cc, last_cc, form, a, b, factor)
#include "metrics/quantities.inc"
#undef SONDE_QUANTITY
#undef SONDE_VARIANT
};

constexpr auto kVariants = std::to_array<QuantityVariant>({
#define SONDE_QUANTITY(name, unit, dram, meaning)
#define SONDE_VARIANT(name, first_cc, last_cc, form, a, b, factor) \
  QuantityVariant{#name, first_cc, last_cc, VariantForm::form, a, b, factor},
#include "metrics/quantities.inc"
#undef SONDE_QUANTITY
#undef SONDE_VARIANT
});

struct Alias {
  std::string_view name;
  std::string_view quantity;
};

constexpr std::array kAliases = {
#define SONDE_QUANTITY_ALIAS(name, quantity) Alias{#name, #quantity},
#include "metrics/quantity_aliases.inc"
#undef SONDE_QUANTITY_ALIAS
};

/// Compute capabilities of GPUs that share the memory of their CPU: they count nothing of it (section files of 2025).
constexpr std::array kWithoutDram = {87, 110, 121};

const Quantity* find_by_name(std::string_view name) {
  const auto* found = std::ranges::find(kQuantities, name, &Quantity::name);
  return found == kQuantities.end() ? nullptr : found;
}

std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names;
  for (const Quantity& q : kQuantities) names.push_back(q.name);
  for (const Alias& a : kAliases) names.push_back(a.name);
  return names;
}

double combine(const QuantityVariant& v, double a, double b) {
  switch (v.form) {
    case VariantForm::value: break;
    case VariantForm::sum: return (a + b) * v.factor;
    case VariantForm::difference: return (a - b) * v.factor;
    case VariantForm::ratio: return a / b * v.factor;
    case VariantForm::product: return a * b * v.factor;
  }
  return a * v.factor;
}

std::optional<double> evaluate(const QuantityVariant& v, const Trace& trace, const KernelProfile& kernel) {
  const auto a = metric_number(trace, kernel, v.a);
  if (!a) return std::nullopt;
  if (v.form == VariantForm::value) return combine(v, *a, 0);
  const auto b = metric_number(trace, kernel, v.b);
  if (!b || (v.form == VariantForm::ratio && *b == 0)) return std::nullopt;
  return combine(v, *a, *b);
}

std::string cc_text(int cc) { return fmt::format("{}.{}", cc / 10, cc % 10); }

bool is_on(const QuantityVariant& v, std::optional<int> cc) { return !cc || (v.first_cc <= *cc && *cc <= v.last_cc); }

MissingQuantity not_collected(const QuantityVariant& v) {
  const std::string metrics = v.b.empty() ? std::string(v.a) : fmt::format("{},{}", v.a, v.b);
  return {MissingQuantity::Why::not_collected, fmt::format("ncu --metrics {}", metrics)};
}

bool lacks_dram_counters(const Quantity& quantity, std::optional<int> cc) {
  return cc && quantity.needs_dram_counters && std::ranges::find(kWithoutDram, *cc) != kWithoutDram.end();
}

MissingQuantity why_missing(const Quantity& quantity, std::optional<int> cc) {
  const auto variants = variants_on(quantity, cc);
  if (!variants.empty() && !lacks_dram_counters(quantity, cc)) return not_collected(variants.front());
  return {MissingQuantity::Why::not_on_this_gpu, fmt::format("CC {}", cc_text(cc.value_or(0)))};
}

std::optional<int> capability(std::optional<double> major, std::optional<double> minor) {
  if (!major || !minor) return std::nullopt;
  return static_cast<int>(*major) * 10 + static_cast<int>(*minor);
}

}  // namespace

std::span<const Quantity> quantities() { return kQuantities; }

Result<const Quantity*> find_quantity(std::string_view name) {
  const auto* alias = std::ranges::find(kAliases, name, &Alias::name);
  const Quantity* found = find_by_name(alias == kAliases.end() ? name : alias->quantity);
  if (found != nullptr) return found;
  return fail("unknown quantity '{}'{}", name, did_you_mean(name, all_names()));
}

std::span<const QuantityVariant> variants_of(const Quantity& quantity) {
  const auto is_of = [&](const QuantityVariant& v) { return v.quantity == quantity.name; };
  const auto* first = std::ranges::find_if(kVariants, is_of);
  return {first, std::find_if_not(first, kVariants.end(), is_of)};
}

std::vector<QuantityVariant> variants_on(const Quantity& quantity, std::optional<int> cc) {
  std::vector<QuantityVariant> here;
  std::ranges::copy_if(variants_of(quantity), std::back_inserter(here), [&](const auto& v) { return is_on(v, cc); });
  return here;
}

std::string MissingQuantity::reason() const {
  return why == Why::not_on_this_gpu ? fmt::format("not on {}", detail) : fmt::format("not collected ({})", detail);
}

std::string reason_of_absence(std::string_view metric, const Trace& trace, const KernelProfile& kernel) {
  const auto cc = compute_capability(trace, kernel);
  bool is_known = false;
  for (const QuantityVariant& v : kVariants) {
    if (v.a != metric) continue;
    if (is_on(v, cc) && !lacks_dram_counters(*find_by_name(v.quantity), cc)) return "not collected";
    is_known = true;
  }
  return is_known ? fmt::format("not on CC {}", cc_text(cc.value_or(0))) : "not collected";
}

QuantityResult resolve(const Quantity& quantity, const Trace& trace, const KernelProfile& kernel) {
  for (const QuantityVariant& v : variants_of(quantity)) {
    if (const auto value = evaluate(v, trace, kernel)) return FoundQuantity{*value, &v};
  }
  return std::unexpected(why_missing(quantity, compute_capability(trace, kernel)));
}

std::optional<double> quantity_value(std::string_view name, const Trace& trace, const KernelProfile& kernel) {
  const Quantity* quantity = find_by_name(name);
  assert(quantity != nullptr);
  const auto found = resolve(*quantity, trace, kernel);
  return found ? std::optional(found->value) : std::nullopt;
}

std::optional<int> compute_capability(const Trace& trace, const KernelProfile& kernel) {
  if (kernel.device < trace.devices.size()) {
    const Device& device = trace.devices[kernel.device];
    if (const auto cc = capability(device.compute_major, device.compute_minor)) return cc;
  }
  return capability(metric_number(trace, kernel, "device__attribute_compute_capability_major"),
                    metric_number(trace, kernel, "device__attribute_compute_capability_minor"));
}

}  // namespace sonde
