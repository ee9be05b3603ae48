#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "trace/trace.h"

namespace sonde {

enum class VariantForm : uint8_t { value, sum, difference, ratio, product };

/// One way to get a quantity: a metric, or a formula of two, times `factor`.
struct QuantityVariant {
  std::string_view quantity;
  int first_cc;  ///< compute capabilities that have the metrics, both ends included; 8.6 is 86, 12.0 is 120
  int last_cc;
  VariantForm form;
  std::string_view a;
  std::string_view b;  ///< empty for a single metric
  double factor;
};

/// Something that is asked of a kernel, whatever the counters of its GPU are called.
struct Quantity {
  std::string_view name;
  std::string_view unit;
  bool needs_dram_counters;
  std::string_view meaning;
};

[[nodiscard]] std::span<const Quantity> quantities();
/// By name, or by the name that nvprof had; the error names the nearest.
[[nodiscard]] Result<const Quantity*> find_quantity(std::string_view name);
/// The ways to get it, the preferred one first.
[[nodiscard]] std::span<const QuantityVariant> variants_of(const Quantity& quantity);
/// The same without those that a GPU of this compute capability does not have.
[[nodiscard]] std::vector<QuantityVariant> variants_on(const Quantity& quantity, std::optional<int> cc);

struct FoundQuantity {
  double value = 0;
  const QuantityVariant* variant = nullptr;
};

struct MissingQuantity {
  enum class Why : uint8_t { not_collected, not_on_this_gpu };
  Why why = Why::not_collected;
  std::string detail;  ///< what collects it, "ncu --metrics dram__bytes.sum"; or the GPU that lacks it, "CC 8.7"

  /// "not collected (ncu --metrics dram__bytes.sum)", "not on CC 8.7"
  [[nodiscard]] std::string reason() const;
};

using QuantityResult = std::expected<FoundQuantity, MissingQuantity>;

/// The quantity of a kernel by the first variant all of whose metrics have a number, whatever the GPU: what a report
/// holds is there. Only the reason of an absence asks for the GPU.
[[nodiscard]] QuantityResult resolve(const Quantity& quantity, const Trace& trace, const KernelProfile& kernel);
/// The same by name, which has to be one (a programmer's constant); only the number.
[[nodiscard]] std::optional<double> quantity_value(std::string_view name, const Trace& trace,
                                                   const KernelProfile& kernel);

/// Why a report has no value of a metric: "not on CC 8.7" where every way to a quantity that names it is closed on that
/// GPU, else "not collected".
[[nodiscard]] std::string reason_of_absence(std::string_view metric, const Trace& trace, const KernelProfile& kernel);

/// Compute capability of the kernel's GPU (8.6 is 86), where the report tells.
[[nodiscard]] std::optional<int> compute_capability(const Trace& trace, const KernelProfile& kernel);

}  // namespace sonde
