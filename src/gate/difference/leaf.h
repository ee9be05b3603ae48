#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gate/difference/comparable.h"
#include "gate/record/run_record.h"

/// The finest parts of both sides' GPU time, that all levels of a difference are sums of.
namespace sonde::gate {

/// What a leaf is distinguished by, in the order in which a side's leaves share out its time: work first, so that work
/// by itself adds up to the busy time.
struct LeafKey {
  bool idle = false;
  WorkKind kind = WorkKind::kernel;
  std::string name;    ///< as WorkGroup's; of idle time the cause's name
  std::string module;  ///< as WorkGroup's and IdleGroup's
  std::string what;    ///< of idle time: the call or range
  bool pageable = false;
  bool communication = false;
  auto operator<=>(const LeafKey&) const = default;
};

struct LeafSide {
  bool there = false;
  int64_t ns = 0;                       ///< of a mean step or run
  double count = 0;                     ///< operations, or pieces of idle time
  double duration_ns = 0;               ///< sum of the operations' own durations
  double bytes = 0;                     ///< copied or set, as far as they tell
  std::vector<double> on_gpu;           ///< ns by GPU
  std::vector<double> duration_on_gpu;  ///< duration_ns by GPU
};

struct Leaf {
  LeafKey key;
  LeafSide base;
  LeafSide changed;
  std::string new_name;             ///< of a kernel that has another name on the new side (renamed_kernels.h)
  std::optional<int64_t> clock_ns;  ///< as DifferenceRow's; of kernels only
  /// Of the change, what no cause has claimed: because of its own duration and number, and because more or less ran
  /// beside it, with which it shares the GPU's time.
  int64_t open_ns = 0;
  int64_t open_overlap_ns = 0;
  [[nodiscard]] int64_t change_ns() const { return changed.ns - base.ns; }
  [[nodiscard]] double count_change() const { return changed.count - base.count; }
};

/// API calls of a mean step or run, by name within module.
struct CallSide {
  bool there = false;
  double count = 0;
  double ns = 0;
};
struct CallChange {
  std::string name;
  std::string module;
  bool launches = false;
  bool synchronizes = false;
  bool allocates = false;
  CallSide base;
  CallSide changed;
  [[nodiscard]] double count_change() const { return changed.count - base.count; }
};

/// A GPU's SM clock on both sides, where both tell.
struct ClockChange {
  double base_hz = 0;
  double changed_hz = 0;
};

/// Both sides as leaves.
struct Leaves {
  bool per_step = false;
  size_t gpus = 0;
  int64_t base_ns = 0;  ///< length
  int64_t changed_ns = 0;
  std::vector<Leaf> leaves;
  std::vector<CallChange> calls;
  std::vector<std::optional<ClockChange>> clocks;  ///< by GPU
  std::vector<std::string> gpu_places;             ///< by GPU
};

/// Leaves of each side add up to its length times `gpus` to the nanosecond.
/// What the sides cannot be compared by does not distinguish leaves.
[[nodiscard]] Leaves leaves_of(std::span<const RunRecord> base, std::span<const RunRecord> changed,
                               const Comparable& by);

/// Idle time of a GPU that a run does not have, by name and for people.
inline constexpr std::string_view kNoGpu = "no_gpu";
/// Idle time of all causes, and of all host work, where the sides did not record what splits it.
inline constexpr std::string_view kAnyCause = "any_cause";
inline constexpr std::string_view kHostWork = "host_work";
/// The module of all work where the sides have no modules in common.
inline constexpr std::string_view kAnyModule = "the run";

/// "Host-to-Device (pageable)", "[memsets]", "[graph launches]", a kernel's name.
[[nodiscard]] std::string work_name(const LeafKey& key);
/// For people: an idle cause's title.
[[nodiscard]] std::string idle_title(std::string_view cause);
/// The module, or "(outside any module)".
[[nodiscard]] std::string module_name(const std::string& path);

}  // namespace sonde::gate
