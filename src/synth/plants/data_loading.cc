#include "synth/builder.h"
#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace data_loading {
namespace {

/// Files that hold a batch.
constexpr uint32_t kFiles = 8;
constexpr int64_t kReadNs = 180'000;
constexpr int64_t kDecodeNs = 260'000;

/// The thread that runs the iterations reads and decodes their batches itself, as a DataLoader without workers does.
void plant_data_loading(Program& program) {
  const uint32_t open = add_text(program, "openat64");
  const uint32_t read = add_text(program, "read");
  for (HostThread& thread : program.threads) {
    if (thread.iteration.empty() || !opens(program, thread.iteration.front(), RangeLevel::iteration)) continue;
    const uint32_t site = thread.iteration.front().site;
    Steps steps;
    const auto add = [&](StepKind kind, std::string_view what, uint32_t number, uint32_t text, int64_t ns) {
      Step step = planted(kind, site, what, number);
      step.what = text;
      step.amount = ns;
      step.steady = true;
      steps.push_back(step);
    };
    for (uint32_t i = 0; i < kFiles; ++i) {
      add(StepKind::os_call, "open file", i, open, 20'000);
      add(StepKind::os_call, "read file", i, read, kReadNs);
      add(StepKind::host_work, "decode", i, 0, kDecodeNs);
    }
    thread.iteration.insert(thread.iteration.begin(), steps.begin(), steps.end());
  }
}

}  // namespace
}  // namespace data_loading

extern const Plant data_loading_plant;
const Plant data_loading_plant = {"data_loading", "the thread that trains reads and decodes each batch itself",
                                  "before each iteration, on the threads that run it", "--plant data_loading",
                                  &data_loading::plant_data_loading};

}  // namespace sonde::synth
