#include "cli/baseline/shared_store_option.h"

#include <chrono>

#include "gate/store/baseline_store.h"

namespace sonde {

void add_store_option(CommandLine& command, std::string& store) {
  store = gate::default_store();
  command.option("--store", store, "FOLDER",
                 "folder of the baselines (default: $SONDE_BASELINE, else .sonde/baseline)");
}

int64_t now_s() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace sonde
