#pragma once

#include <span>
#include <vector>

#include "monitor/incident.h"

namespace sonde::monitor::loop {

/// What a detector found in a round.
struct Found {
  const DetectorRow* row = nullptr;
  std::vector<Observation> seen;
};

/// A driver tells one fault in several ways: as XIDs, as a state of the GPU (lost, to be reset) and as the action that
/// it asks for. Of those that are about one trouble one stays and takes what the other adds: the XID's, unless the
/// other one's incident was there just before.
void merge_xid_states(std::span<Found> found, const Round& round, const IncidentBook& book);

}  // namespace sonde::monitor::loop
