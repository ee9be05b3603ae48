#include "synth/synth.h"

namespace sonde::synth {
namespace cut_window {
namespace {

/// The recording ends in the middle of the loop: what was launched and has not run by then is missing.
void plant_cut_window(Program& program) {
  constexpr int64_t kRecordedPermille = 600;
  program.recorded_permille = kRecordedPermille;
}

}  // namespace
}  // namespace cut_window

extern const Plant cut_window_plant;
const Plant cut_window_plant = {"cut_window", "the recording ends before the loop does; costs nothing",
                                "at the end of the recording", "--plant cut_window", &cut_window::plant_cut_window};

}  // namespace sonde::synth
