#include "monitor/loop/gpu_reader.h"

#include <algorithm>

namespace sonde::monitor::loop {
namespace {

using std::chrono::milliseconds;

/// A GPU that did not answer in the round before gets this part of the patience, and 250 ms at least: a read takes some
/// 20 to 100 ms.
constexpr int64_t kSilentPart = 8;
constexpr milliseconds kMinTimeout(250);

bool is_silent(const GpuSample& sample) {
  return sample.failure && sample.failure->kind == device::FailureKind::not_answering;
}

}  // namespace

GpuReader::GpuReader(std::shared_ptr<device::DeviceSource> source)
    : reader_(source), samples_(source->gpu_count()), markers_(source->gpu_count()) {
  for (size_t i = 0; i < samples_.size(); ++i) samples_[i].gpu = i;
}

void GpuReader::read(const ReadPlan& plan) {
  std::vector<bool> silent;
  for (const GpuSample& sample : samples_) silent.push_back(is_silent(sample));
  for (const bool these : {false, true}) {
    for (const bool known : {true, false}) ask(chosen(silent, these, known), these, known, plan);
  }
}

std::vector<size_t> GpuReader::chosen(const std::vector<bool>& silent, bool these, bool known) const {
  std::vector<size_t> gpus;
  for (const GpuSample& sample : samples_) {
    if (silent[sample.gpu] == these && sample.reading.uuid.has_value() == known) gpus.push_back(sample.gpu);
  }
  return gpus;
}

void GpuReader::ask(const std::vector<size_t>& gpus, bool silent, bool known, const ReadPlan& plan) {
  if (gpus.empty()) return;
  const milliseconds short_timeout = std::min(plan.timeout, std::max(kMinTimeout, plan.timeout / kSilentPart));
  const device::ValueGroups groups = known ? plan.groups : plan.groups | device::identity | device::slow;
  std::vector<device::GpuState> states = reader_.read(gpus, groups, silent ? short_timeout : plan.timeout);
  for (size_t i = 0; i < gpus.size(); ++i) take(gpus[i], std::move(states[i]), plan);
}

void GpuReader::take(size_t gpu, device::GpuState state, const ReadPlan& plan) {
  GpuSample& sample = samples_[gpu];
  const int64_t now_ns = plan.now_ns();
  const bool silent_still = is_silent(sample) && state.failure && state.failure->kind == sample.failure->kind;
  sample.reading = std::move(state.reading);
  // The first one says how long it was waited for; later waits are shorter.
  if (!silent_still) sample.failure = std::move(state.failure);
  // Older values do not come from the future after the clock was set back.
  sample.moment_ns = sample.failure ? std::min(sample.moment_ns, now_ns) : now_ns;
  sample.mark = markers_[gpu].mark(sample, !sample.failure, now_ns, plan.interval_ns);
}

const device::GpuFailure* GpuReader::source_failure() const {
  for (const GpuSample& sample : samples_) {
    if (sample.failure && sample.failure->kind == device::FailureKind::library_gone) return &*sample.failure;
  }
  return nullptr;
}

}  // namespace sonde::monitor::loop
