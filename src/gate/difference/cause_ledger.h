#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gate/difference/cause_case.h"
#include "gate/difference/difference.h"
#include "gate/difference/leaf.h"
#include "gate/difference/shape_changes.h"

/// How rules find causes: each claims what it explains of the leaves' change.
namespace sonde::gate {

/// A cause as it is made: what it claimed of busy and of idle time.
struct CauseEntry {
  std::string_view family;  ///< of texts (causes_en.inc)
  std::vector<Argument> arguments = {};
  CauseCase facts = {};  ///< its `change` is that of change_ns() in the end
  int64_t busy_ns = 0;
  int64_t idle_ns = 0;
  double launches = 0;    ///< a step, more or fewer: it takes part of the time that launching and starting take
  bool waits = false;     ///< the host waits, so that its own work is no longer hidden behind the GPU's
  bool overlaps = false;  ///< work that runs beside other work, whose share of the time changes with it
  [[nodiscard]] int64_t change_ns() const { return busy_ns + idle_ns; }
};

class CauseLedger {
 public:
  /// Both must outlive it.
  CauseLedger(Leaves& leaves, const ShapeChanges& shapes);

  [[nodiscard]] Leaves& all() { return *leaves_; }
  [[nodiscard]] const ShapeChanges& shapes() const { return *shapes_; }
  [[nodiscard]] std::vector<CauseEntry>& entries() { return entries_; }
  /// Less than this is not worth a cause.
  [[nodiscard]] int64_t least_ns() const { return least_ns_; }

  /// Leaves with something open that `chosen` holds of.
  [[nodiscard]] std::vector<Leaf*> open(const std::function<bool(const Leaf&)>& chosen);
  [[nodiscard]] std::vector<Leaf*> open_kernels();
  [[nodiscard]] std::vector<Leaf*> open_copies();
  /// Idle time of these causes (names of idle_causes.inc).
  [[nodiscard]] std::vector<Leaf*> open_idle(std::span<const std::string_view> causes);

  /// Claims all that is open of these as one cause. Where that is less than least_ns(), claims nothing and gives
  /// nullptr. The entry stays where it is until the next one is made.
  CauseEntry* claim(std::string_view family, std::span<Leaf* const> leaves, std::vector<Argument> arguments,
                    const CauseCase& facts);
  /// Adds what is open of these to a cause.
  static void add(CauseEntry& entry, std::span<Leaf* const> leaves);

 private:
  Leaves* leaves_;
  const ShapeChanges* shapes_;
  std::vector<CauseEntry> entries_;
  int64_t least_ns_ = 0;
};

/// A kind of cause. One file and one line of list.inc each; asked in that order.
struct CauseRule {
  std::string_view name;
  void (*claim)(CauseLedger& ledger);
};
[[nodiscard]] std::span<const CauseRule* const> cause_rules();

/// Causes that add up to the whole change. Uses up what is open of the leaves.
[[nodiscard]] std::vector<Cause> find_causes(Leaves& leaves, const ShapeChanges& shapes);

// Arguments of causes' texts.
[[nodiscard]] Argument named_text(std::string name, std::string text);
[[nodiscard]] Argument named_time(std::string name, double ns);
[[nodiscard]] Argument named_count(std::string name, double count);

/// The one that changed most of those that `chosen` holds of; null for none.
[[nodiscard]] CauseEntry* greatest(std::vector<CauseEntry>& entries,
                                   const std::function<bool(const CauseEntry&)>& chosen);

[[nodiscard]] int64_t open_sum(std::span<Leaf* const> leaves);

/// Work of both sides as texts count it.
struct LeafSums {
  LeafSide base;
  LeafSide changed;
};
[[nodiscard]] LeafSums sums_of(std::span<Leaf* const> leaves);
/// The figure is the number of operations.
[[nodiscard]] CauseCase case_of(const LeafSums& sums);
/// Counts, means of one operation and bytes of both sides: base_count, count, base_mean, mean, base_bytes, bytes.
void add_work_arguments(const LeafSums& sums, std::vector<Argument>& arguments);
/// Idle time of both sides: base_time, time. The figure is this time.
[[nodiscard]] CauseCase add_time_arguments(std::span<Leaf* const> leaves, std::vector<Argument>& arguments);

/// The names of the leaves' kernels, those that changed most: "a, b, ...".
[[nodiscard]] std::string kernel_names(std::span<Leaf* const> leaves);

}  // namespace sonde::gate
