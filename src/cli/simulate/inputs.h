#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "device/simulated/description.h"
#include "dispatch/simulation/workload.h"

namespace sonde::simulate {

/// Where `sonde simulate` takes what from, as its options say.
struct Inputs {
  std::string config_file;
  std::string workload_file;
  std::string history;    ///< tasks.db, or the state folder of a service
  std::string simulated;  ///< description of simulated GPUs
  uint64_t seed = 1;
};

/// What is to be played.
struct Scene {
  config::Config config;
  device::simulated::HostDescription host;
  std::map<std::string, double> speeds;
  std::vector<dispatch::simulation::Job> jobs;
  int64_t duration_ns = 0;
  std::vector<std::string> notes;  ///< for people, a sentence each
};
[[nodiscard]] Result<Scene> scene_of(const Inputs& inputs);

}  // namespace sonde::simulate
