#include "record/torch_remark.h"

namespace sonde::record {

void add_torch_remark(std::vector<Remark>& remarks, const Tally& tally, const RecordOptions& options) {
  if (options.torch_folder.empty()) return;
  if (tally.module_ranges > 0) return;
  remarks.push_back({true,
                     "no PyTorch module call was recorded: Sonde's hooks are loaded by "
                     "'import torch', except in Python older than 3.8, with -S, -I or -E, or if the program sets "
                     "PYTHONPATH itself"});
}

}  // namespace sonde::record
