#include "record/nccl/nccl_remarks.h"

namespace sonde::record {

void add_nccl_remarks(std::vector<Remark>& remarks, const NcclTally& tally, const NcclOptions& options) {
  if (!options.operations || tally.operations > 0) return;
  remarks.push_back(
      {false,
       tally.communicators == 0
           ? "NCCL reported nothing: the program made no communicator, or its NCCL is older than 2.23, which has no "
             "profiler plugins"
           : "NCCL reported its communicators, but no operation: the program made none while it was recorded"});
}

}  // namespace sonde::record
