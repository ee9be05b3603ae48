#include "record/pc_sampling/kernel_samples.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "record/rounds/body.h"

namespace sonde::record {
namespace {

constexpr std::string_view kPrefix = "smsp__pcsamp_warps_issue_stalled_";
constexpr std::string_view kNotIssued = "_not_issued";
constexpr uint32_t kMinPeriod = 5;  ///< powers of two of cycles that CUPTI can; Nsight Compute counts from the least
constexpr uint32_t kMaxPeriod = 31;

/// As Nsight Compute has it.
std::string metric_of(std::string_view reason) {
  return reason.contains("__") ? std::string(reason) : fmt::format("{}{}", kPrefix, reason);
}

}  // namespace

/// The samples of one launch by metric and instruction.
class KernelSamples::Metrics {
 public:
  void add(std::string_view metric, const wire::PcSamplesBody& where, uint64_t samples) {
    Samples& all = samples_[std::string(metric)];
    all.total += samples;
    if (where.is_elsewhere == 0) all.by_offset[where.offset] += samples;
  }

  void give_to(Trace& trace, KernelProfile& kernel) const {
    for (const auto& [name, all] : samples_) {
      Metric metric{trace.names.intern(name), MetricValue::integer(all.total), {}};
      for (const auto& [offset, samples] : all.by_offset) {
        metric.instances.push_back({MetricValue::integer(offset), MetricValue::integer(samples)});
      }
      kernel.metrics.push_back(std::move(metric));
    }
  }

 private:
  struct Samples {
    uint64_t total = 0;
    std::map<uint64_t, uint64_t> by_offset;
  };
  std::map<std::string, Samples, std::less<>> samples_;
};

void KernelSamples::add(const wire::Record& record, uint32_t process) {
  switch (record.head.kind) {
    case wire::Kind::pc_state: return note(record);
    case wire::Kind::stall_reason: return add_reason(record, process);
    case wire::Kind::pc_samples: return add_instruction(record, process);
    case wire::Kind::sampled_launch: {
      const auto launch = body_of<wire::SampledLaunchBody>(record);
      launches_.insert_or_assign({process, launch.kernel}, launch);
      return;
    }
    default: return;
  }
}

void KernelSamples::note(const wire::Record& record) {
  const auto state = body_of<wire::PcStateBody>(record);
  if (state.state > wire::PcState::code_full) return;  // of counting instructions
  tally_.notes.insert({state.state, std::string(record.text), state.result});
}

void KernelSamples::add_reason(const wire::Record& record, uint32_t process) {
  const auto reason = body_of<wire::StallReasonBody>(record);
  reasons_[{process, reason.device, reason.reason}] = record.text;
}

void KernelSamples::add_instruction(const wire::Record& record, uint32_t process) {
  const auto where = body_of<wire::PcSamplesBody>(record);
  std::vector<wire::StallPart> parts(where.count);
  if (!parts.empty()) {
    std::memcpy(parts.data(), record.body.data() + sizeof where, parts.size() * sizeof(wire::StallPart));
  }
  instructions_[{process, where.sampling}].push_back({where, std::move(parts)});
}

void KernelSamples::count(const wire::SampledLaunchBody& launch) {
  ++tally_.launches;
  tally_.total += launch.total;
  tally_.dropped += launch.dropped;
  tally_.other_kernels += launch.other_kernels;
  if (launch.is_full != 0) ++tally_.full;
}

/// Samples at which nothing was issued are among the others: CUPTI and Nsight Compute tell them a second time.
void KernelSamples::take(Metrics& metrics, const Instruction& instruction, uint32_t process) {
  const wire::PcSamplesBody& where = instruction.where;
  for (const wire::StallPart& part : instruction.parts) {
    const auto known = reasons_.find({process, where.device, part.reason});
    const bool is_again = known != reasons_.end() && known->second.ends_with(kNotIssued);
    if (known != reasons_.end()) metrics.add(metric_of(known->second), where, part.samples);
    if (is_again) continue;
    metrics.add("smsp__pcsamp_sample_count", where, part.samples);
    if (known == reasons_.end()) tally_.unnamed += part.samples;
    (where.is_elsewhere != 0 ? tally_.elsewhere : tally_.samples) += part.samples;
  }
}

void KernelSamples::give_to(Trace& trace, KernelProfile& kernel, uint32_t process, uint64_t id,
                            DeviceFunctions& functions) {
  const auto launch = launches_.find({process, id});
  if (launch == launches_.end()) {
    ++tally_.without;
    return;
  }
  count(launch->second);
  const std::vector<Instruction>& instructions = instructions_[{process, launch->second.sampling}];
  Metrics metrics;
  for (const Instruction& instruction : instructions) take(metrics, instruction, process);
  metrics.give_to(trace, kernel);
  const auto own = std::ranges::find(instructions, 0, [](const Instruction& i) { return i.where.is_elsewhere; });
  if (own == instructions.end()) {
    ++tally_.empty;
    return;
  }
  tally_.instructions += std::ranges::count(instructions, 0, [](const Instruction& i) { return i.where.is_elsewhere; });
  functions.give_to(trace, kernel, process, own->where.code);
  if (const uint32_t period = launch->second.period; period >= kMinPeriod && period <= kMaxPeriod) {
    kernel.metrics.push_back(
        {trace.names.intern("smsp__pcsamp_interval"), MetricValue::integer(period - kMinPeriod), {}});
    kernel.metrics.push_back(
        {trace.names.intern("smsp__pcsamp_interval_cycles"), MetricValue::integer(uint64_t{1} << period), {}});
  }
}

}  // namespace sonde::record
