#include "inject/instructions/counter.h"

#include <cstring>

#include "inject/cupti/worker_record.h"
#include "inject/driver.h"
#include "inject/pages.h"
#include "inject/pc_sampling/code.h"
#include "inject/pc_sampling/report_pc_samples.h"
#include "inject/text_record.h"

namespace sonde::inject::instructions {
namespace {

using wire::PcState;

/// In the order of InstructionCountBody::counts.
constexpr const char* kMetrics[wire::kInstructionCounts] = {
    "smsp__sass_inst_executed", "smsp__sass_thread_inst_executed", "smsp__sass_thread_inst_executed_pred_on"};

bool failed(const char* function, Result result) noexcept {
  if (result != Result::ok) pc_sampling::report(PcState::counting_failed, function, static_cast<int32_t>(result));
  return result != Result::ok;
}

/// Told before CUPTI gets to work: what ends in its midst is known then.
void report_begin(uint64_t counting, const char* function) noexcept {
  wire::CountedLaunchBody body{};
  body.counting = counting;
  body.is_begin = 1;
  static_cast<void>(write_with_text({wire::Kind::counted_launch, 0, 0, 0, now_ns()}, body, inject::text_of(function)));
}

}  // namespace

bool Counter::find(const cupti::Library& library) noexcept {
  const char* const missing = find_functions(functions_, library);
  if (missing == nullptr) return true;
  pc_sampling::report(PcState::counting_too_old, missing, static_cast<int32_t>(library.version));
  return false;
}

bool Counter::begin(const Counted& launch) noexcept {
  launch_ = launch;
  the_driver().wait_for_stream(launch_.stream);
  report_begin(++countings_, launch_.function);
  return choose_metrics() && enable();
}

/// All or none: with some of them missing CUPTI was seen to hang the next launch.
bool Counter::choose_metrics() noexcept {
  for (uint32_t i = 0; i < wire::kInstructionCounts; ++i) {
    PropertiesParams params;
    params.chip = launch_.chip;
    params.name = kMetrics[i];
    const Result result = functions_.properties(&params);
    if (result != Result::ok) pc_sampling::report(PcState::counting_unknown, kMetrics[i], static_cast<int32_t>(result));
    if (result != Result::ok) return false;
    metrics_[i].metric = params.metric.id;
  }
  return true;
}

bool Counter::enable() noexcept {
  SetConfigParams config;
  config.device = launch_.device;
  config.configs = metrics_;
  config.count = wire::kInstructionCounts;
  if (failed("cuptiSassMetricsSetConfig", functions_.set_config(&config))) return false;
  EnableParams params;
  params.context = launch_.context;
  params.lazy = 1;
  if (!failed("cuptiSassMetricsEnable", functions_.enable(&params))) return true;
  static_cast<void>(unset());
  return false;
}

bool Counter::end(wire::CountedLaunchBody& found) noexcept {
  the_driver().wait_for_stream(launch_.stream);
  found = {};
  found.counting = countings_;
  found.is_whole = 1;
  const bool read = read_all(found);
  const bool disabled = disable(found);
  return unset() && read && disabled;
}

bool Counter::read_all(wire::CountedLaunchBody& found) noexcept {
  ExtentParams extent;
  extent.context = launch_.context;
  if (failed("cuptiSassMetricsGetDataProperties", functions_.extent(&extent))) return false;
  return extent.records == 0 || extent.instances == 0 || flush(extent, found);
}

/// Whether `instances` are the values of one metric or of all is not said: there is room for all.
bool Counter::flush(const ExtentParams& extent, wire::CountedLaunchBody& found) noexcept {
  const size_t room = extent.instances * wire::kInstructionCounts;
  auto* const data = new_array<Data>(extent.records);
  auto* const values = new_array<Value>(extent.records * room);
  const bool has_memory = data != nullptr && values != nullptr;
  if (!has_memory) static_cast<void>(failed("memory for counts", pc_sampling::kOutOfMemory));
  for (size_t i = 0; has_memory && i < extent.records; ++i) {
    data[i] = Data();
    data[i].values = values + i * room;
  }
  FlushParams params;
  params.context = launch_.context;
  params.records = extent.records;
  params.instances = extent.instances;
  params.data = data;
  const bool read = has_memory && !failed("cuptiSassMetricsFlushData", functions_.flush(&params));
  bool all = read;
  for (size_t i = 0; all && i < extent.records; ++i) all = take(data[i], room, found);
  found.is_whole = all ? 1 : 0;
  give_pages_back(values, extent.records * room * sizeof *values);
  give_pages_back(data, extent.records * sizeof *data);
  return read;
}

/// Values of a metric that is none of ours are room that was left alone. False where the recorder has no room.
bool Counter::take(const Data& data, size_t instances, wire::CountedLaunchBody& found) const noexcept {
  wire::InstructionCountBody body{.counting = countings_, .code = 0, .offset = data.offset, .counts = {}};
  for (size_t i = 0; i < instances; ++i) {
    for (uint32_t k = 0; k < wire::kInstructionCounts; ++k) {
      if (data.values[i].metric == metrics_[k].metric) body.counts[k] += data.values[i].value;
    }
  }
  if (data.function == nullptr || strcmp(data.function, launch_.function) != 0) {
    found.elsewhere += body.counts[0];
    return true;
  }
  body.code = pc_sampling::report_code_of_half(data.cubin_crc);
  // The thread is in a launch that is measured anyway: it may wait for room.
  return cupti::write_body(wire::Kind::instruction_count, body);
}

bool Counter::disable(wire::CountedLaunchBody& found) const noexcept {
  DisableParams params;
  params.context = launch_.context;
  const bool disabled = !failed("cuptiSassMetricsDisable", functions_.disable(&params));
  found.dropped = params.dropped;
  return disabled;
}

bool Counter::unset() const noexcept {
  UnsetConfigParams params;
  params.device = launch_.device;
  return !failed("cuptiSassMetricsUnsetConfig", functions_.unset_config(&params));
}

void report_end(const wire::CountedLaunchBody& launch) noexcept {
  static_cast<void>(write_with_text({wire::Kind::counted_launch, 0, 0, 0, now_ns()}, launch, Text{}));
}

}  // namespace sonde::inject::instructions
