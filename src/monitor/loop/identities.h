#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "monitor/incident.h"
#include "monitor/sample.h"

namespace sonde::monitor::loop {

/// Who the GPUs are that cannot be asked: one that was lost before the driver was opened keeps the identity that it had
/// at its place, so that its incidents and its history go on. A guess, which ends when another GPU has that UUID.
class Identities {
 public:
  /// `open`: incidents from before the start of the service.
  explicit Identities(std::span<const Incident> open);

  /// Learns from GPUs that tell theirs and fills in the others'. `simulated`: of the source; the other kind's are no
  /// identities here.
  void recall(std::span<GpuSample> samples, bool simulated);

 private:
  struct Identity {
    std::string uuid;
    std::optional<std::string> name;
    std::optional<std::string> pci_bus_id;
    bool simulated = false;
  };
  std::map<size_t, Identity> known_;  ///< by place
};

}  // namespace sonde::monitor::loop
