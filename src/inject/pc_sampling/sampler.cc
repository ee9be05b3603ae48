#include "inject/pc_sampling/sampler.h"

#include <cstring>

#include "inject/driver.h"
#include "inject/pages.h"
#include "inject/pc_sampling/code.h"
#include "inject/pc_sampling/report_pc_samples.h"

namespace sonde::inject::pc_sampling {
namespace {

constexpr size_t kInstructions = 8192;  ///< read at once: kernels have fewer
constexpr uint64_t kScratchBytes = uint64_t{8} << 20U;
/// Of the hardware's. CUPTI would take 512 MiB of the program's, which may have none to spare.
constexpr uint64_t kHardwareBytes = uint64_t{64} << 20U;
constexpr size_t kDefaultReasons = 64;  ///< 36 on an H100, those twice that nothing was issued at counted

/// False, as what needed it.
bool no_memory() noexcept {
  report(wire::PcState::failed, "no memory for samples", 0);
  return false;
}

bool failed(const char* function, Result result) noexcept {
  if (result != Result::ok) report(wire::PcState::failed, function, static_cast<int32_t>(result));
  return result != Result::ok;
}

Config config_of(Attribute attribute, uint64_t number) noexcept {
  Config config;
  config.attribute = attribute;
  config.number = number;
  return config;
}

}  // namespace

bool Sampler::begin(const Functions& functions, const Sampled& launch, uint32_t period) noexcept {
  functions_ = &functions;
  launch_ = launch;
  the_driver().wait_for_stream(launch_.stream);
  ContextParams params;
  params.context = launch_.context;
  if (failed("cuptiPCSamplingEnable", functions.enable(&params))) return false;
  if (prepare(period)) return true;
  disable();
  return false;
}

bool Sampler::prepare(uint32_t period) noexcept {
  if (!read_reasons() || !make_room() || !configure(period)) return false;
  read_period();
  ContextParams params;
  params.context = launch_.context;
  return !failed("cuptiPCSamplingStart", functions_->start(&params));
}

/// Their numbers are those of a GPU.
bool Sampler::read_reasons() noexcept {
  ReasonCountParams count;
  count.context = launch_.context;
  count.count = &reason_count_;
  if (failed("cuptiPCSamplingGetNumStallReasons", functions_->reason_count(&count))) return false;
  const uint64_t device = uint64_t{1} << (launch_.device % 64);
  if ((reported_devices_ & device) != 0 || reason_count_ == 0) return true;
  auto* const names = new_array<char>(reason_count_ * kReasonNameBytes);
  auto** const places = new_array<char*>(reason_count_);
  auto* const indices = new_array<uint32_t>(reason_count_);
  if (names == nullptr || places == nullptr || indices == nullptr) return no_memory();
  for (size_t i = 0; i < reason_count_; ++i) places[i] = names + i * kReasonNameBytes;
  ReasonsParams reasons;
  reasons.context = launch_.context;
  reasons.count = reason_count_;
  reasons.indices = indices;
  reasons.names = places;
  const bool known = !failed("cuptiPCSamplingGetStallReasons", functions_->reasons(&reasons));
  for (size_t i = 0; known && i < reason_count_; ++i) {
    places[i][kReasonNameBytes - 1] = '\0';
    report_reason(launch_.device, indices[i], places[i]);
  }
  if (known) reported_devices_ |= device;
  give_pages_back(names, reason_count_ * kReasonNameBytes);
  give_pages_back(places, reason_count_ * sizeof *places);
  give_pages_back(indices, reason_count_ * sizeof *indices);
  return known;
}

bool Sampler::make_room() noexcept {
  if (data_.instructions != nullptr && reason_room_ >= reason_count_) return true;
  const size_t room = reason_count_ < kDefaultReasons ? kDefaultReasons : reason_count_;
  auto* const instructions = new_array<PcData>(kInstructions);
  auto* const reasons = new_array<StallReason>(kInstructions * room);
  if (instructions == nullptr || reasons == nullptr) return no_memory();
  for (size_t i = 0; i < kInstructions; ++i) {
    instructions[i] = PcData();
    instructions[i].reasons = reasons + i * room;
  }
  data_.instructions = instructions;
  data_.room = kInstructions;
  reason_room_ = room;
  return true;
}

bool Sampler::configure(uint32_t period) noexcept {
  clear();
  Config configs[] = {config_of(Attribute::mode, kContinuous),
                      config_of(Attribute::start_stop, 1),
                      config_of(Attribute::scratch_bytes, kScratchBytes),
                      config_of(Attribute::hardware_bytes, kHardwareBytes),
                      config_of(Attribute::buffer, reinterpret_cast<uintptr_t>(&data_)),
                      config_of(Attribute::period, period)};
  ConfigParams params;
  params.context = launch_.context;
  params.count = sizeof configs / sizeof configs[0] - (period == 0 ? 1 : 0);
  params.configs = configs;
  return !failed("cuptiPCSamplingSetConfigurationAttribute", functions_->set_config(&params));
}

void Sampler::read_period() noexcept {
  Config config = config_of(Attribute::period, 0);
  ConfigParams params;
  params.context = launch_.context;
  params.count = 1;
  params.configs = &config;
  const bool known = functions_->get_config(&params) == Result::ok;
  period_ = known ? static_cast<uint32_t>(config.number) : 0;
}

bool Sampler::end(uint64_t sampling, wire::SampledLaunchBody& found) noexcept {
  the_driver().wait_for_stream(launch_.stream);
  found = {.sampling = sampling,
           .kernel = found.kernel,
           .total = 0,
           .dropped = 0,
           .other_kernels = 0,
           .is_full = 0,
           .period = period_};
  ContextParams params;
  params.context = launch_.context;
  const bool stopped = !failed("cuptiPCSamplingStop", functions_->stop(&params));
  const bool read = stopped && read_all(sampling, found);
  clear();
  const bool disabled = disable();
  if (read && data_.count > 0) take(sampling, found);  // what was still on its way
  return read && disabled;
}

bool Sampler::read_all(uint64_t sampling, wire::SampledLaunchBody& found) noexcept {
  GetDataParams params;
  params.context = launch_.context;
  params.data = &data_;
  do {
    clear();
    const Result result = functions_->get_data(&params);
    if (data_.is_full != 0) found.is_full = 1;
    if (result == kOutOfMemory && data_.is_full != 0) return true;
    if (failed("cuptiPCSamplingGetData", result)) return false;
    take(sampling, found);
  } while (data_.count > 0 && data_.remaining > 0);
  return true;
}

void Sampler::take(uint64_t sampling, wire::SampledLaunchBody& found) const noexcept {
  found.total += data_.total;
  found.dropped += data_.dropped;
  found.other_kernels += data_.other_kernels;
  for (size_t i = 0; i < data_.count && i < data_.room; ++i) {
    const PcData& data = data_.instructions[i];
    const bool is_elsewhere = data.function == nullptr || strcmp(data.function, launch_.function) != 0;
    if (!is_elsewhere) report_code_of(data.cubin_crc);
    report_instruction(sampling, launch_.device, data, is_elsewhere);
  }
}

void Sampler::clear() noexcept {
  data_.count = data_.remaining = 0;
  data_.total = data_.dropped = data_.other_kernels = 0;
  data_.is_full = 0;
}

bool Sampler::disable() noexcept {
  ContextParams params;
  params.context = launch_.context;
  return !failed("cuptiPCSamplingDisable", functions_->disable(&params));
}

}  // namespace sonde::inject::pc_sampling
