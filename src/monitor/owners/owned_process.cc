#include "monitor/owner.h"

namespace sonde::monitor {

OwnedProcess owned_process(const device::GpuProcess& process, bool simulated, ProcessOwners* owners) {
  OwnedProcess owned{.process = process, .owner = {}};
  if (!simulated && owners != nullptr) owned.owner = owners->owner(process.pid);
  if (simulated) owned.owner.alive = true;
  if (owned.owner.command.empty()) owned.owner.command = process.name;
  return owned;
}

}  // namespace sonde::monitor
