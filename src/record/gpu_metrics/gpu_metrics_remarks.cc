#include "record/gpu_metrics/gpu_metrics_remarks.h"

#include <set>

#include <fmt/ranges.h>

#include "base/time_units.h"
#include "record/cuda/no_gpu.h"

namespace sonde::record {
namespace {

using wire::SamplingState;

/// Where CUPTI gives nothing the driver may still tell something.
constexpr std::string_view kElsewhere =
    "; `sonde top` and `sonde serve` show what the driver (NVML) reports of a GPU over time";

std::string gpu_text(uint32_t device) { return device == wire::kNoGpu ? "" : fmt::format(" of GPU {}", device); }

std::string what_was_sampled(const SampledGpu& gpu, const Wanted& wanted) {
  const auto seconds = static_cast<double>(gpu.sampled_ns) / kSecondNs;
  const auto all = static_cast<double>(gpu.samples + gpu.outside);
  return fmt::format(
      "GPU metrics of GPU {} ({}): {} samples of {} metrics at {:.0f} Hz ({} requested); a thread of the "
      "recorder used {:.3f} ms for them; the overhead on the GPU is not included",
      gpu.device, gpu.chip, gpu.samples, gpu.metrics.size(), seconds > 0 ? all / seconds : 0,
      wanted.gpu_metrics.frequency_hz, static_cast<double>(gpu.counted.busy_ns) / kMillisecondNs);
}

void add_losses(std::vector<Remark>& remarks, const SampledGpu& gpu) {
  const auto add = [&](uint64_t count, std::string_view what) {
    if (count > 0) remarks.push_back({true, fmt::format("GPU metrics of GPU {}: {}: {}", gpu.device, what, count)});
  };
  add(gpu.counted.overflows,
      "times the hardware buffer was full, sampling restarted and samples were lost (use a lower "
      "--gpu-metrics-frequency)");
  add(gpu.counted.full_images, "times the sample buffer was full and samples were lost");
  add(static_cast<uint64_t>(gpu.missing), "samples missing between others");
  add(gpu.counted.unread, "samples or whole batches skipped because CUPTI could not decode or evaluate them");
  add(gpu.counted.timeless, "samples without times, skipped");
}

void add_clock(std::vector<Remark>& remarks, const SampledGpu& gpu) {
  constexpr int64_t kNoticeableNs = 1000;
  if (gpu.samples > 0 && gpu.counted.clock_error_ns >= kNoticeableNs) {
    remarks.push_back({false, fmt::format("GPU metrics of GPU {} are aligned with other times to within {} ns",
                                          gpu.device, gpu.counted.clock_error_ns)});
  }
  if (gpu.counted.misplaced == 0) return;
  remarks.push_back(
      {true,
       fmt::format("GPU metrics of GPU {}: {} samples were skipped: CUPTI gave them times at which they cannot have "
                   "been taken",
                   gpu.device, gpu.counted.misplaced)});
}

/// One sentence; `text` and `result` as the state has them. Empty for what is reported in another way.
std::string why_not(SamplingState state, uint32_t device, const std::string& text, int32_t result) {
  const std::string none = fmt::format("GPU metrics{} were not sampled: ", gpu_text(device));
  switch (state) {
    case SamplingState::no_cupti:
      return fmt::format(
          "{}CUPTI could not be opened ({}); install the CUDA toolkit or pip's nvidia-cuda-cupti package, "
          "or set SONDE_CUPTI to the path of libcupti{}",
          none, text, kElsewhere);
    case SamplingState::too_old:
      return fmt::format("{}CUPTI {} has no {}; CUPTI of CUDA 12.6 or later is required{}", none, result, text,
                         kElsewhere);
    case SamplingState::no_gpu: return none + no_gpu_text(result);
    case SamplingState::no_device: return fmt::format("{}the program sees no such GPU", none);
    case SamplingState::unsupported:
      return fmt::format(
          "{}CUPTI cannot sample it ({}); sampling needs a Turing or later GPU, no MIG or vGPU that forbids it, and a "
          "CUPTI "
          "that supports the chip{}",
          none, text, kElsewhere);
    case SamplingState::denied:
      return fmt::format(
          "{}only administrators can read the GPU's counters ({}); load the driver with "
          "NVreg_RestrictProfilingToAdminUsers=0 (modprobe.d: options nvidia NVreg_RestrictProfilingToAdminUsers=0), "
          "or "
          "run with CAP_SYS_ADMIN{}",
          none, text, kElsewhere);
    case SamplingState::in_use:
      return fmt::format(
          "{}another tool uses the GPU's counters ({}): nsys, ncu, DCGM's profiling metrics (dcgmi profile --pause "
          "frees them) or sonde record --metrics",
          none, text);
    case SamplingState::nothing_fits:
      return fmt::format("{}the chip ({}) has none of the requested metrics", none, text);
    case SamplingState::failed: return fmt::format("{}{}", none, text);
    default: return {};
  }
}

/// Metrics that the set has and a GPU does not count.
void add_left_out(std::vector<Remark>& remarks, const GpuMetricsTally& tally, SamplingState state,
                  std::string_view why) {
  std::set<std::string> names;
  for (const auto& [said, result] : tally.states) {
    if (std::get<SamplingState>(said) == state) names.insert(std::get<std::string>(said));
  }
  if (!names.empty()) remarks.push_back({false, fmt::format("GPU metrics that {}: {}", why, fmt::join(names, ", "))});
}

void add_states(std::vector<Remark>& remarks, const GpuMetricsTally& tally) {
  for (const auto& [said, result] : tally.states) {
    const auto& [state, device, text] = said;
    std::string sentence = why_not(state, device, text, result);
    if (!sentence.empty()) remarks.push_back({true, std::move(sentence)});
  }
  add_left_out(remarks, tally, SamplingState::unknown, "the GPU does not support");
  add_left_out(remarks, tally, SamplingState::left_out,
               "were skipped because they do not fit into one pass with the others");
}

void add_names(std::vector<Remark>& remarks, const GpuMetricsTally& tally) {
  std::set<std::vector<std::string>> said;
  for (const SampledGpu& gpu : tally.gpus) {
    if (gpu.metrics.empty() || !said.insert(gpu.metrics).second) continue;
    remarks.push_back({false, fmt::format("sampled GPU metrics: {}", fmt::join(gpu.metrics, ", "))});
  }
}

/// CUPTI 12.8 was seen to give no records of kernels on an H100 while it sampled, without an error.
void add_silence(std::vector<Remark>& remarks, const Profile& profile, bool any) {
  const CudaTally& cuda = profile.tally.cuda;
  if (!any || cuda.launches + cuda.graph_starts == 0 || cuda.kernels + cuda.graph_launches > 0) return;
  remarks.push_back(
      {true,
       "GPU metrics were sampled at the same time; some versions of CUPTI deliver no kernels during sampling "
       "(12.8 on an H100); record kernels and GPU metrics in separate runs"});
}

}  // namespace

void add_gpu_metrics_remarks(std::vector<Remark>& remarks, const Profile& profile, const Wanted& wanted) {
  const GpuMetricsTally& tally = profile.gpu_metrics;
  if (tally.gpus.empty() && tally.states.empty()) {
    remarks.push_back(
        {true,
         "no GPU metrics were sampled: Sonde samples them within a process that uses CUDA, and no process used it long "
         "enough"});
    return;
  }
  bool any = false;
  for (const SampledGpu& gpu : tally.gpus) {
    if (gpu.metrics.empty()) continue;
    remarks.push_back({gpu.samples == 0, what_was_sampled(gpu, wanted)});
    any = any || gpu.samples > 0;
    add_losses(remarks, gpu);
    add_clock(remarks, gpu);
  }
  add_names(remarks, tally);
  add_states(remarks, tally);
  add_silence(remarks, profile, any);
}

}  // namespace sonde::record
