#include "monitor/anomalies/minute.h"

#include <algorithm>
#include <utility>

#include "base/time_units.h"

namespace sonde::monitor {
namespace {

/// A training step's gaps for data and communication show as less than 100 % of some seconds.
constexpr double kBusyPercent = 90;

std::optional<double> number(const std::optional<int64_t>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}
std::optional<double> watts(const std::optional<int64_t>& milliwatts) {
  return milliwatts ? std::optional(static_cast<double>(*milliwatts) / 1000) : std::nullopt;
}

std::optional<double> unexplained(const device::GpuReading& reading) {
  if (!reading.running || !reading.memory_used_bytes) return {};
  int64_t left = *reading.memory_used_bytes;
  for (const device::GpuProcess& process : *reading.running) {
    if (!process.memory_used_bytes) return {};
    left -= *process.memory_used_bytes;
  }
  return static_cast<double>(std::max<int64_t>(left, 0));
}

}  // namespace

void Mean::add(std::optional<double> value) {
  if (!value) return;
  lowest_ = count_ == 0 ? *value : std::min(lowest_, *value);
  sum_ += *value;
  ++count_;
}

std::optional<double> Mean::value() const {
  return count_ == 0 ? std::nullopt : std::optional(sum_ / static_cast<double>(count_));
}

std::optional<double> Mean::lowest() const { return count_ == 0 ? std::nullopt : std::optional(lowest_); }

bool Minute::busy() const { return utilization.lowest().value_or(0) >= kBusyPercent; }

bool Minutes::take(const Round& round) {
  const int64_t begin_ns = round.moment_ns - round.moment_ns % kNsPerMinute;
  const bool other_host = running_.size() != round.samples.size();
  const bool over = !other_host && begin_ns != begin_ns_;
  if (other_host) {
    work_.assign(round.samples.size(), {});
    running_.assign(round.samples.size(), std::nullopt);
  }
  if (over) {
    ended_ = std::exchange(running_, std::vector<std::optional<Minute>>(round.samples.size()));
  }
  begin_ns_ = begin_ns;
  for (const GpuSample& sample : round.samples) {
    if (sample.mark.quality == Quality::fresh && sample.gpu < running_.size()) add(sample, begin_ns);
  }
  return over;
}

void Minutes::add(const GpuSample& sample, int64_t begin_ns) {
  const device::GpuReading& reading = sample.reading;
  std::optional<Minute>& minute = running_[sample.gpu];
  if (!minute) minute.emplace().begin_ns = begin_ns;
  minute->utilization.add(number(reading.gpu_utilization_percent));
  minute->memory_utilization.add(number(reading.memory_utilization_percent));
  minute->watts.add(watts(reading.power_draw_milliwatts));
  minute->celsius.add(number(reading.temperature_celsius));
  minute->memory_celsius.add(number(reading.memory_temperature_celsius));
  minute->clock_mhz.add(number(reading.sm_clock_mhz));
  minute->reasons_known = minute->reasons_known && reading.clocks_event_reasons.has_value();
  minute->reasons_any |= reading.clocks_event_reasons.value_or(0);
  minute->reasons_all &= reading.clocks_event_reasons.value_or(0);
  minute->limit_watts = watts(reading.power_enforced_limit_milliwatts);
  minute->pcie_width = number(reading.pcie_width);
  minute->memory_used_bytes = number(reading.memory_used_bytes);
  minute->unexplained_bytes = unexplained(reading);
  Work& work = work_[sample.gpu];
  if (reading.running) {
    sees_processes_ = sees_processes_ || !reading.running->empty();
    minute->held = !reading.running->empty();
    const auto same = [](int64_t pid, const device::GpuProcess& process) { return pid == process.pid; };
    if (!std::ranges::equal(work.pids, *reading.running, same)) {
      work.pids.clear();
      for (const device::GpuProcess& process : *reading.running) work.pids.push_back(process.pid);
      work.since_ns = sample.moment_ns;
    }
  }
  minute->sees_processes = sees_processes_;
  minute->work_since_ns = work.since_ns;
}

}  // namespace sonde::monitor
