#include <algorithm>

#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace small_copies {
namespace {

/// Many small results, such as the statistics of each layer, go to the host one by one.
void plant_small_copies(Program& program) {
  constexpr uint32_t kCopies = 384;
  constexpr int64_t kBytes = 4096;
  constexpr int64_t kCopyHostNs = 3800;  // as any operator's
  for (HostThread& thread : program.threads) {
    const auto loss = std::ranges::find_if(thread.iteration, [&](const Step& step) {
      return opens(program, step, RangeLevel::phase) && program.ranges[step.what].nvtx == "loss";
    });
    if (loss == thread.iteration.end()) continue;
    Steps steps;
    for (uint32_t i = 0; i < kCopies; ++i) {
      Step host = planted(StepKind::host_work, loss->site, "small copy's host", i);
      host.amount = kCopyHostNs;
      steps.push_back(host);
      Step copy = planted(StepKind::copy, loss->site, "small copy", i);
      copy.call = ApiCall::copy_async;
      copy.copy_kind = CopyKind::device_to_host;
      copy.stream = any_stream(program, thread.gpu);
      copy.amount = kBytes;
      steps.push_back(copy);
    }
    thread.iteration.insert(loss + 1, steps.begin(), steps.end());
  }
}

}  // namespace
}  // namespace small_copies

extern const Plant small_copies_plant;
const Plant small_copies_plant = {"small_copies", "many small tensors are copied to the host one by one",
                                  "in front of the loss's copy, on every GPU", "--plant small_copies",
                                  &small_copies::plant_small_copies};

}  // namespace sonde::synth
