#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "analyses/kernels/launch_occupancy.h"
#include "analyses/replay/replay.h"
#include "findings/rule.h"

/// For rules on kernels that could take less time.
namespace sonde {

inline constexpr Fields kFasterKernelsFields = kReplayFields | Fields{Field::kernel_grid, Field::kernel_resources};
inline constexpr Checks kFasterKernelsChecks{Check::records_complete, Check::past_warm_up, Check::kernels_traced};

/// Of all NVIDIA GPUs; AMD's wavefronts have 32 or 64.
inline constexpr int64_t kWarpThreads = 32;

struct FasterKernels {
  std::vector<Change::Resized> kernels;
  int64_t now_ns = 0;  ///< their time, as shares of their GPU's (gpu_shares.h)

  void add(const Facts& facts, Row row, int64_t duration_ns);
};

/// Theoretical occupancy and waves of each kernel that is judged, computed once a shape and GPU.
class JudgedOccupancy {
 public:
  explicit JudgedOccupancy(const Facts& facts) : facts_(facts), last_(facts.trace.names.size(), nullptr) {}
  // Moving keeps what `last_` points to in its place; a copy would point into the other.
  JudgedOccupancy(JudgedOccupancy&&) = default;
  JudgedOccupancy& operator=(JudgedOccupancy&&) = delete;
  JudgedOccupancy(const JudgedOccupancy&) = delete;
  JudgedOccupancy& operator=(const JudgedOccupancy&) = delete;
  ~JudgedOccupancy() = default;
  /// Absent if the recording lacks what it needs (launch_occupancy.h).
  [[nodiscard]] const std::optional<LaunchOccupancy>& of(Row kernel);

 private:
  using Shape = std::tuple<DeviceId, NameId, Dim3, Dim3, int32_t, int64_t>;
  using Known = std::map<Shape, std::optional<LaunchOccupancy>>;

  const Facts& facts_;
  Known known_;
  std::vector<const Known::value_type*> last_;  ///< by name: of its kernels the one asked for last
};

/// Adds the finding where a replay with these kernels saves at least 1 % of the judged time. Its text gets {time}, what
/// the kernels take now, {most}, their names with shares of that, and these arguments.
void add_faster_kernels(const Facts& facts, std::string_view id, const FasterKernels& faster,
                        std::vector<Argument> arguments, Diagnosis& diagnosis);
/// The same with the time that the kernels lose as ceiling: a replay would keep the host as slow as the profiler made
/// it.
void add_slow_kernels(const Facts& facts, std::string_view id, const FasterKernels& faster,
                      std::vector<Argument> arguments, Diagnosis& diagnosis);

}  // namespace sonde
