#include "simulated_host.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace simulated_host {
namespace {

using sonde::monitor::GpuSample;
using sonde::monitor::Quality;

constexpr int64_t kNs = 1'000'000'000;
constexpr int64_t kStart = 1'767'225'600;  // 2026-01-01
constexpr double kDay = 86400;
constexpr int64_t kGiB = 1LL << 30;
// Figures of an H100 SXM.
constexpr double kMaxClock = 1980;
constexpr double kIdleClock = 345;
constexpr double kContextWatts = 115;
constexpr double kLimit = 700;
constexpr int64_t kMemory = 80 * kGiB;
constexpr double kClockPower = 2.2;  // power grows so with clock, since voltage follows
constexpr double kHeatSinkSeconds = 80;

int64_t rounded(double value) { return std::llround(value); }

}  // namespace

double Drift::step(double normal, double seconds) {
  const double keep = std::exp(-seconds / time_constant_s_);
  return value_ = value_ * keep + normal * deviation_ * std::sqrt(1 - keep * keep);
}

Host::Host(const Plan& plan) : plan_(plan), random_(plan.seed), samples_(kGpus) {
  for (size_t i = 0; i < kGpus; ++i) {
    Gpu& gpu = gpus_.at(i);
    gpu.resistance = uniform(0.054, 0.064);
    gpu.slot_celsius = uniform(-2, 3);
    gpu.silicon = 1 + std::clamp(normal() * 0.012, -0.025, 0.025);
    gpu.idle_watts = uniform(66, 78);
    sonde::device::GpuReading& reading = samples_[i].reading;
    samples_[i].gpu = i;
    reading.name = "NVIDIA H100 80GB HBM3";
    reading.uuid = "GPU-" + std::to_string(i);
    reading.memory_total_bytes = kMemory;
    reading.memory_reserved_bytes = kGiB / 2;
    reading.max_sm_clock_mhz = rounded(kMaxClock);
    reading.power_limit_milliwatts = reading.power_default_limit_milliwatts = rounded(kLimit * 1000);
    reading.pcie_max_width = 16;
    reading.pcie_max_generation = reading.pcie_gpu_max_generation = 5;
    reading.recovery_action = 0;
    reading.running.emplace();
    reading.simulated = true;
  }
  make_jobs();
}

double Host::uniform(double low, double high) {
  return low + (high - low) * static_cast<double>(random_() >> 11U) / 9007199254740992.0;  // 2^53
}

double Host::normal() {
  const double distance = std::sqrt(-2 * std::log(1 - uniform(0, 1)));
  return distance * std::cos(2 * std::numbers::pi * uniform(0, 1));
}

void Host::make_jobs() {
  using Groups = std::vector<std::vector<size_t>>;
  static const std::array<Groups, 4> kLayouts = {{{{0, 1, 2, 3, 4, 5, 6, 7}},
                                                  {{0, 1, 2, 3}, {4, 5, 6, 7}},
                                                  {{0, 1, 2, 3}, {4, 5}, {6}, {7}},
                                                  {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}}};
  const auto end_s = static_cast<int64_t>(plan_.days * kDay);
  for (int64_t at = 0; at < end_s;) {
    const int64_t until = std::min(end_s, at + rounded(uniform(12, 48) * 3600));
    for (const auto& group : kLayouts.at(static_cast<size_t>(uniform(0, 3.999)))) make_group(group, at, until);
    at = until;
  }
}

/// Jobs of a group of GPUs one after another: some run for a day, some crash after minutes and come again.
void Host::make_group(const std::vector<size_t>& gpus, int64_t from_s, int64_t to_s) {
  int64_t at = from_s + rounded(uniform(0, 1200));
  while (at < to_s) {
    const bool crashes = uniform(0, 1) < 0.15;
    Job job = make_job(at, crashes ? uniform(0.05, 0.5) : uniform(1, 24));
    job.end_s = std::min(job.end_s, to_s);
    for (const size_t gpu : gpus) {
      ++job.pid;  // a process a GPU
      gpus_.at(gpu).jobs.push_back(job);
    }
    const bool pause = uniform(0, 1) < 0.3;
    at = job.end_s + rounded(crashes ? uniform(60, 900) : pause ? uniform(1800, 14400) : uniform(60, 1800));
  }
}

Job Host::make_job(int64_t begin_s, double hours) {
  Job job{.begin_s = begin_s, .end_s = begin_s + rounded(hours * 3600), .pid = rounded(uniform(1000, 4000000))};
  const double kind = uniform(0, 1);
  job.kind = kind < 0.6 ? Job::Kind::training : kind < 0.88 ? Job::Kind::inference : Job::Kind::notebook;
  // Dense training wants more than the limit, memory-bound work half of it.
  job.full_watts = uniform(0, 1) < 0.5 ? uniform(720, 950) : uniform(330, 660);
  job.memory_percent = uniform(15, 75);
  job.memory_bytes = rounded(uniform(10, 76) * static_cast<double>(kGiB));
  job.checkpoint_every_s = rounded(uniform(1200, 5400));
  job.checkpoint_s = rounded(uniform(20, 180));
  return job;
}

const Job* Host::job_of(Gpu& gpu, size_t index) {
  while (gpu.job < gpu.jobs.size() && gpu.jobs[gpu.job].end_s <= now_s_) {
    const bool leaks = plan_.fault == Fault::dead_memory && index == plan_.faulty_gpu && fault_share(index, 0) > 0;
    if (leaks) gpu.dead_bytes = 20 * kGiB;
    ++gpu.job;
  }
  return gpu.job < gpu.jobs.size() && gpu.jobs[gpu.job].begin_s <= now_s_ ? &gpu.jobs[gpu.job] : nullptr;
}

/// 0 to 1: how much of the time a kernel runs.
double Host::utilization(const Job* job, Gpu& gpu) {
  if (job == nullptr) return 0;
  const int64_t age = now_s_ - job->begin_s;
  const double wander = gpu.load.step(normal(), static_cast<double>(plan_.interval_s));
  const double hour = std::fmod(static_cast<double>(now_s_), kDay) / 3600;
  switch (job->kind) {
    case Job::Kind::training: {
      const bool starts = age < 120;  // loads data, compiles
      const bool saves = age % job->checkpoint_every_s < job->checkpoint_s;
      if (starts || saves) return uniform(0, 0.1);
      return uniform(0, 1) < 0.01 ? uniform(0.5, 0.95) : uniform(0.96, 1);  // now and then it waits for data
    }
    case Job::Kind::inference: {
      const double day = 0.45 + 0.35 * std::sin((hour - 9) / 24 * 2 * std::numbers::pi);
      return std::clamp(day + 3 * wander + 0.1 * normal(), 0.0, 1.0);
    }
    case Job::Kind::notebook: break;
  }
  return (age / 600) % 4 == 0 ? uniform(0.2, 1) : 0;
}

double Host::fault_share(size_t index, double over_days) const {
  const double age = static_cast<double>(now_s_) / kDay - plan_.fault_day;
  if (plan_.fault == Fault::none || index != plan_.faulty_gpu || age < 0) return 0;
  return over_days == 0 ? 1 : std::min(1.0, age / over_days);
}

void Host::move(size_t index) {
  Gpu& gpu = gpus_.at(index);
  const auto suffers = [&](Fault fault, double over_days = 0) {
    return plan_.fault == fault ? fault_share(index, over_days) : 0;
  };
  const Job* job = job_of(gpu, index);
  const double use = utilization(job, gpu);
  const double base = job == nullptr ? gpu.idle_watts : kContextWatts;
  // Clock: the highest, a little lower when warm; then what holds it down.
  double share = 1 - 0.0002 * std::max(0.0, gpu.celsius - 40);
  if (suffers(Fault::clock_stuck) > 0) share = std::min(share, 1500 / kMaxClock);
  if (suffers(Fault::slow_equal) > 0) share *= 0.9;
  const double limit = kLimit * (suffers(Fault::power_cap) + suffers(Fault::power_cap_hidden) > 0 ? 0.75 : 1);
  const double wanted = use * ((job == nullptr ? 0 : job->full_watts) - base) / gpu.silicon;
  int64_t reasons = use == 0 ? 0x1 : 0;
  if (base + wanted * std::pow(share, kClockPower) > limit * 0.99) {
    reasons |= 0x4;
    const double capped = std::pow((limit * 0.99 - base) / wanted, 1 / kClockPower);
    // At one power a better chip runs faster.
    share = suffers(Fault::slow_equal) > 0 ? capped * 0.9 : capped;
    gpu.watts = limit * 0.99;
  } else {
    gpu.watts = base + std::max(0.0, wanted) * std::pow(share, kClockPower);
  }
  if (use == 0) gpu.watts += 35 * suffers(Fault::idle_power) + 0.1 * (gpu.celsius - 30);
  const double seconds = static_cast<double>(plan_.interval_s);
  const double worse = 1 + 0.2 * suffers(Fault::cooling) + 0.25 * suffers(Fault::cooling_slow, 4);
  double others = 0;
  for (const Gpu& other : gpus_) others += other.watts / static_cast<double>(kGpus);
  const double air = air_celsius_ + gpu.slot_celsius + 0.004 * others + gpu.wander.step(normal(), seconds);
  const double goal = air + gpu.resistance * worse * fans_ * gpu.watts;
  gpu.celsius += (goal - gpu.celsius) * (1 - std::exp(-seconds / kHeatSinkSeconds));
  const double idle_clock = job == nullptr ? kIdleClock : kMaxClock;
  fill(index, job, use, use == 0 ? idle_clock : kMaxClock * share, reasons);
}

void Host::fill(size_t index, const Job* job, double use, double clock, int64_t reasons) {
  const Gpu& gpu = gpus_.at(index);
  GpuSample& sample = samples_[index];
  sample.moment_ns = (kStart + now_s_) * kNs;
  sample.mark = {};
  // Now and then a call fails or comes too late; the sample before stays.
  if (uniform(0, 1) < 0.003) {
    sample.mark = {Quality::stale, "late"};
    return;
  }
  sonde::device::GpuReading& r = sample.reading;
  const double memory = job == nullptr ? 0 : use * job->memory_percent + normal();
  r.gpu_utilization_percent = rounded(100 * use);
  r.memory_utilization_percent = rounded(std::clamp(memory, 0.0, 100.0));
  r.power_draw_milliwatts = rounded(1000 * gpu.watts * (1 + 0.012 * normal()));
  const bool told = plan_.fault == Fault::power_cap && fault_share(index, 0) > 0;
  r.power_enforced_limit_milliwatts = rounded(kLimit * (told ? 0.75 : 1) * 1000);
  r.temperature_celsius = rounded(gpu.celsius + 0.3 * normal());
  const double heat = plan_.fault == Fault::memory_heat ? 9 * fault_share(index, 0.5) : 0;
  r.memory_temperature_celsius = rounded(gpu.celsius + 4 + 0.008 * gpu.watts + 0.04 * memory + heat + 0.5 * normal());
  r.sm_clock_mhz = r.graphics_clock_mhz = 15 * rounded(clock / 15);
  r.clocks_event_reasons = reasons;
  r.pcie_generation = use > 0 || job != nullptr ? 5 : 1;
  r.pcie_width = plan_.fault == Fault::pcie_half && fault_share(index, 0) > 0 ? 8 : 16;
  r.memory_used_bytes =
      gpu.dead_bytes + (4 << 20) +
      (job == nullptr ? 0 : std::min(job->memory_bytes, kMemory - gpu.dead_bytes - kGiB) + (300 << 20));
  r.running->clear();
  if (job == nullptr) return;
  sonde::device::GpuProcess& process = r.running->emplace_back();
  process.pid = job->pid;
  process.name = "python";
  process.memory_used_bytes = std::min(job->memory_bytes, kMemory - gpu.dead_bytes - kGiB);
}

/// The service or the host restarts every five days or so, and the room's cooling has its hours.
void Host::outages() {
  const double per_round = static_cast<double>(plan_.interval_s) / (5 * kDay);
  if (uniform(0, 1) < per_round) outage_until_s_ = now_s_ + rounded(uniform(60, 1800));
  if (uniform(0, 1) < per_round) hot_room_until_s_ = now_s_ + rounded(uniform(3600, 10800));
}

bool Host::next(sonde::monitor::Round& round) {
  bool reopened = false;
  do {
    now_s_ += plan_.interval_s;
    if (static_cast<double>(now_s_) >= plan_.days * kDay) return false;
    outages();
    const auto seconds = static_cast<double>(plan_.interval_s);
    const double hour = std::fmod(static_cast<double>(now_s_), kDay) / 3600;
    const double goal =
        24 + 2.5 * std::sin((hour - 9) / 24 * 2 * std::numbers::pi) + (now_s_ < hot_room_until_s_ ? 4 : 0);
    air_celsius_ += (goal + air_.step(normal(), seconds) - air_celsius_) * (1 - std::exp(-seconds / 900));
    fans_ = 1 + fan_.step(normal(), seconds);
    for (size_t i = 0; i < kGpus; ++i) move(i);
    reopened = reopened || now_s_ < outage_until_s_;
  } while (now_s_ < outage_until_s_);
  round = {.moment_ns = (kStart + now_s_) * kNs,
           .samples = samples_,
           .events = {},
           .config = &config_,
           .source_reopened = reopened};
  return true;
}

}  // namespace simulated_host
