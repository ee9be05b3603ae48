#include "record/torch_remark.h"

namespace sonde::record {

void add_torch_remark(std::vector<Remark>& remarks, const Tally& tally, const RecordOptions& options) {
  if (options.torch_folder.empty()) return;
  if (tally.module_ranges > 0) return;
  remarks.push_back({true,
                     "no PyTorch module was called while it was recorded: Python loads what records them with "
                     "'import torch' unless it is older than 3.8, was started with -S, -I or -E, or the program sets "
                     "PYTHONPATH anew"});
}

}  // namespace sonde::record
