#include "record/kernels/profiles.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "record/kernels/device_facts.h"
#include "record/kernels/function_name.h"
#include "record/rounds/body.h"

namespace sonde::record {
namespace {

std::optional<double> number_of(uint32_t value) {
  return value == wire::kNotGiven ? std::nullopt : std::optional(static_cast<double>(value));
}

Dim3 shape_of(const uint32_t (&axes)[3]) { return {axes[0], axes[1], axes[2]}; }

double product(const Dim3& shape) { return 1.0 * shape[0] * shape[1] * shape[2]; }

/// What a launch is known by without counting, under the names that Nsight Compute has for it.
void add_launch_metrics(Trace& trace, KernelProfile& kernel, const wire::MeasuredKernelBody& body) {
  const auto add = [&](std::string_view name, std::optional<double> value) {
    if (value) kernel.metrics.push_back({trace.names.intern(name), MetricValue::real(*value), {}});
  };
  add("launch__grid_size", product(kernel.grid));
  add("launch__block_size", product(kernel.block));
  add("launch__thread_count", product(kernel.grid) * product(kernel.block));
  add("launch__registers_per_thread", number_of(body.registers));
  add("launch__shared_mem_per_block_static", number_of(body.static_shared_bytes));
  add("launch__shared_mem_per_block_dynamic", number_of(body.dynamic_shared_bytes));
  add("launch__local_mem_per_thread", number_of(body.local_bytes));
  add("launch__device_id", number_of(body.device));
  add("launch__context_id", number_of(body.context));
  add("launch__stream_id", number_of(body.stream));
}

}  // namespace

KernelProfiles::KernelProfiles(Trace& trace, const MeasureRequest& request) : trace_(trace) {
  for (const std::string& metric : request.metrics) names_.push_back(trace.names.intern(metric));
}

NameId KernelProfiles::metric_name(uint32_t place) const { return place < names_.size() ? names_[place] : kNone; }

void KernelProfiles::add(const wire::Record& record, uint32_t process, uint32_t thread, std::vector<OpenRange> ranges) {
  switch (record.head.kind) {
    case wire::Kind::measure_state: return note(record);
    case wire::Kind::device_text: return add_device_text(record);
    case wire::Kind::device_attribute: return add_device_attribute(record);
    case wire::Kind::measured_kernel: return add_kernel(record, process, thread, std::move(ranges));
    case wire::Kind::metric_values: return add_values(record, process);
    default: return;
  }
}

void KernelProfiles::note(const wire::Record& record) {
  const auto body = body_of<wire::MeasureStateBody>(record);
  if (body.state == wire::MeasureState::passes) tally_.passes = std::max<int64_t>(tally_.passes, body.result);
  if (body.state == wire::MeasureState::near_metric) {
    if (last_is_new_) tally_.notes.back().near = record.text;
    return;
  }
  MeasureNote note{body.state, std::string(record.text), body.result};
  last_is_new_ = noted_.insert(note).second;
  if (last_is_new_) tally_.notes.push_back(std::move(note));
}

void KernelProfiles::add_kernel(const wire::Record& record, uint32_t process, uint32_t thread,
                                std::vector<OpenRange> ranges) {
  const auto body = body_of<wire::MeasuredKernelBody>(record);
  KernelProfile kernel;
  const FunctionName name = function_name(record.text);
  kernel.name = trace_.names.intern(name.declaration);
  kernel.function_name = trace_.names.intern(name.base);
  kernel.mangled_name = trace_.names.intern(record.text);
  kernel.grid = shape_of(body.grid);
  kernel.block = shape_of(body.block);
  kernel.process = process;
  kernel.thread = thread;
  kernel.context = body.context;
  kernel.stream = body.stream == wire::kNotGiven ? kUnknown : int64_t{body.stream};
  kernel.ranges = std::move(ranges);
  add_launch_metrics(trace_, kernel, body);
  kernels_.insert_or_assign({process, body.id}, Measured{record.head.time, body.device, std::move(kernel)});
}

void KernelProfiles::add_values(const wire::Record& record, uint32_t process) {
  const auto body = body_of<wire::MetricValuesBody>(record);
  std::vector<Metric>& values = values_[{process, body.id}];
  for (uint32_t i = 0; i < body.count; ++i) {
    wire::MetricPart part{};
    std::memcpy(&part, record.body.data() + sizeof body + i * sizeof part, sizeof part);
    const NameId name = metric_name(part.metric);
    if (name == kNone) continue;
    const bool known = std::isfinite(part.value);
    values.push_back({name, known ? MetricValue::real(part.value) : MetricValue(), {}});
    if (known) ++tally_.values;
  }
}

void KernelProfiles::add_device_text(const wire::Record& record) {
  Device& device = devices_[body_of<wire::DeviceTextBody>(record).device];
  (record.head.level == 0 ? device.name : device.chip) = record.text;
}

void KernelProfiles::add_device_attribute(const wire::Record& record) {
  const auto body = body_of<wire::DeviceAttributeBody>(record);
  attributes_[{body.device, body.attribute}] = body.value;
}

void KernelProfiles::add_sample(const wire::Record& record, uint32_t process) {
  if (record.head.kind == wire::Kind::code_part) {
    const auto part = body_of<wire::CodePartBody>(record);
    return functions_.add(process, part, record.body.subspan(sizeof part, part.bytes));
  }
  samples_.add(record, process);
  instructions_.add(record, process);
}

void KernelProfiles::place_devices() {
  std::map<uint32_t, DeviceId> rows;
  for (auto& [number, device] : devices_) {
    device.id = number;
    device.cuda_ordinal = number;
    rows[number] = static_cast<DeviceId>(trace_.devices.size());
    trace_.devices.push_back(std::move(device));
  }
  for (const auto& [key, value] : attributes_) {
    const auto row = rows.find(key.first);
    if (row != rows.end()) add_device_fact(trace_, row->second, key.second, value);
  }
  for (auto& [key, measured] : kernels_) {
    const auto row = rows.find(measured.device);
    if (row != rows.end()) measured.profile.device = row->second;
  }
}

void KernelProfiles::finish() {
  place_devices();
  std::vector<std::pair<int64_t, KernelKey>> order;
  for (const auto& [key, measured] : kernels_) order.emplace_back(measured.time, key);
  std::ranges::sort(order);
  for (const auto& [time, key] : order) {
    KernelProfile& kernel = kernels_.at(key).profile;
    kernel.id = tally_.kernels++;
    std::ranges::move(values_[key], std::back_inserter(kernel.metrics));
    samples_.give_to(trace_, kernel, key.first, key.second, functions_);
    instructions_.give_to(trace_, kernel, key.first, key.second, functions_);
    std::ranges::stable_sort(kernel.metrics, {}, &Metric::name);
    trace_.kernel_profiles.push_back(std::move(kernel));
  }
  kernels_.clear();
  tally_.samples = samples_.finish();
  tally_.instructions = instructions_.finish();
  tally_.without_lines = functions_.without_lines();
  tally_.incomplete_code = functions_.incomplete();
}

}  // namespace sonde::record
