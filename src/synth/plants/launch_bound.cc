#include <algorithm>
#include <map>

#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace launch_bound {
namespace {

/// What a framework in Python does for an operator on a slow host, beside what it does anyway.
constexpr int64_t kPythonNs = 60'000;
/// A longer operator runs part by part of the batch.
constexpr int64_t kLongNs = 100'000;
constexpr uint32_t kParts = 8;
constexpr uint32_t kSms = 132;

Kernel part_of(const Kernel& whole) {
  constexpr int64_t kEmptyKernelNs = 1700;  // as no kernel of kernels.h is shorter
  Kernel part = whole;
  part.duration_ns = kEmptyKernelNs + (whole.duration_ns - kEmptyKernelNs) / kParts;
  part.grid[0] = std::max(std::min(whole.grid[0], kSms), whole.grid[0] / kParts);
  return part;
}

class Planter {
 public:
  explicit Planter(Program& program) : program_(program) {}

  [[nodiscard]] Steps changed(const Steps& before) {
    Steps steps;
    for (auto at = before.begin(); at != before.end(); ++at) {
      follow(*at);
      steps.push_back(*at);
      if (!opens(program_, *at, RangeLevel::op) || !in_first_layer()) continue;
      const auto end = std::find_if(at, before.end(), [](const Step& s) { return s.kind == StepKind::pop_range; });
      append_slowly({at + 1, end}, at->site, steps);
      at = end - 1;
    }
    return steps;
  }

 private:
  void follow(const Step& step) {
    if (step.kind == StepKind::push_range) open_.push_back(step.what);
    if (step.kind == StepKind::pop_range) open_.pop_back();
  }
  [[nodiscard]] bool in_first_layer() const {
    const bool forward = !program_.ranges[open_.back()].backward;
    return forward &&
           std::ranges::any_of(open_, [&](uint32_t r) { return program_.ranges[r].nvtx == "encoder.layer.0"; });
  }
  [[nodiscard]] bool is_long(const Step& step) const {
    return step.kind == StepKind::launch && program_.kernels[step.what].duration_ns > kLongNs;
  }
  uint32_t part(uint32_t kernel) {
    const auto [known, fresh] = parts_.try_emplace(kernel, static_cast<uint32_t>(program_.kernels.size()));
    if (fresh) program_.kernels.push_back(part_of(program_.kernels[kernel]));
    return known->second;
  }

  void append_slowly(const Steps& body, uint32_t site, Steps& steps) {
    const bool by_parts = std::ranges::any_of(body, [&](const Step& step) { return is_long(step); });
    for (uint32_t i = 0; i < (by_parts ? kParts : 1); ++i) {
      Step python = planted(StepKind::host_work, site, "python", i);
      python.amount = kPythonNs;
      steps.push_back(python);
      for (Step step : body) {
        if (is_long(step)) step.what = part(step.what);
        if (i > 0) step.site = planted(step.kind, step.site, "part", i).site;
        steps.push_back(step);
      }
    }
  }

  Program& program_;
  std::vector<uint32_t> open_;
  std::map<uint32_t, uint32_t> parts_;  ///< by kernel
};

void plant_launch_bound(Program& program) {
  Planter planter(program);
  for (HostThread& thread : program.threads) thread.iteration = planter.changed(thread.iteration);
}

}  // namespace
}  // namespace launch_bound

extern const Plant launch_bound_plant;
const Plant launch_bound_plant = {
    "launch_bound", "more host work before each of many short kernels than the kernels take",
    "forward, in the encoder's first layer, on every GPU", "--plant launch_bound", &launch_bound::plant_launch_bound};

}  // namespace sonde::synth
