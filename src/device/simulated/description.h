#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// GPUs that do not exist, as a file describes them: docs/serve/simulated_gpus.md,
/// docs/schemas/simulated_gpus.schema.json.
namespace sonde::device::simulated {

/// From `at_ns` on, until the next one.
struct LoadStep {
  int64_t at_ns = 0;
  double utilization_percent = 0;
  int64_t memory_bytes = 0;  ///< that processes hold
  int64_t pid = 0;           ///< of the one that does; 0 for none
  std::string process;
};

enum class FaultKind { xid, lost, not_answering, power_brake, ecc_corrected, ecc_uncorrected, recovery_action };

struct Fault {
  FaultKind kind = FaultKind::xid;
  int64_t at_ns = 0;
  std::optional<int64_t> for_ns;  ///< for ever where it is absent
  int64_t value = 0;              ///< XID, number of errors, action
};

struct GpuDescription {
  std::string name = "Simulated GPU";
  int64_t memory_bytes = 80LL << 30;
  int64_t compute_capability = 900;  ///< 100 * major + minor
  double idle_watts = 70;
  double full_watts = 700;   ///< that full load would draw without a limit
  double limit_watts = 700;  ///< the clocks go down for
  int64_t sm_clock_mhz = 1980;
  int64_t idle_clock_mhz = 345;
  int64_t memory_clock_mhz = 2619;
  double ambient_celsius = 30;       ///< of the chip without power
  double full_load_celsius = 75;     ///< in the end, at the limit
  double slowdown_celsius = 87;      ///< from here the clocks are halved
  double time_constant_s = 30;       ///< in which 63 % of a change of temperature are done
  std::vector<LoadStep> load;        ///< by time
  std::optional<int64_t> repeat_ns;  ///< after which the load begins again
  std::vector<Fault> faults;
};

struct HostDescription {
  std::string driver_version = "simulated";
  std::vector<GpuDescription> gpus;
};

/// Reads a description. Errors name file, line and column, all that are found, a line each.
[[nodiscard]] Result<HostDescription> read_description(std::string_view yaml, std::string_view file);

}  // namespace sonde::device::simulated
