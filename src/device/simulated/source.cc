#include "device/simulated/source.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "base/files/file.h"

namespace sonde::device::simulated {
namespace {

GpuFailure failure(FailureKind kind, size_t gpu) {
  return {.kind = kind,
          .message = kind == FailureKind::lost
                         ? fmt::format("GPU {} cannot be read: it has fallen off the bus (simulated)", gpu)
                         : fmt::format("GPU {} is not responding (simulated)", gpu)};
}

/// XID 79 is what a GPU that has fallen off the bus reports last.
bool is_lost(const Gpu& gpu) { return gpu.suffers(FaultKind::lost); }

std::optional<EventKind> event_kind(FaultKind kind) {
  switch (kind) {
    case FaultKind::xid: return EventKind::xid;
    case FaultKind::ecc_corrected: return EventKind::single_bit_ecc;
    case FaultKind::ecc_uncorrected: return EventKind::double_bit_ecc;
    case FaultKind::recovery_action: return EventKind::recovery_action;
    default: return std::nullopt;
  }
}

}  // namespace

Clock machine_clock(int64_t offset_ns) {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  const auto start = std::chrono::steady_clock::now();
  return {.now_ns =
              [=] { return offset_ns + duration_cast<nanoseconds>(std::chrono::steady_clock::now() - start).count(); },
          .sleep = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); },
          .moment_ns =
              [] { return duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count(); }};
}

Source::Source(const HostDescription& host, Clock clock) : clock_(std::move(clock)), subscribed_(host.gpus.size()) {
  info_ = {.source = "simulated",
           .driver_version = host.driver_version,
           .library_version = "",
           .cuda_version = "",
           .simulated = true};
  for (size_t i = 0; i < host.gpus.size(); ++i) gpus_.emplace_back(host.gpus[i], i);
}

std::expected<void, GpuFailure> Source::read(size_t gpu, ValueGroups groups, GpuReading& reading) {
  const std::scoped_lock lock(mutex_);
  if (gpu >= gpus_.size()) {
    return std::unexpected(
        GpuFailure{.kind = FailureKind::other, .message = fmt::format("GPU {} does not exist", gpu)});
  }
  gpus_[gpu].advance(clock_.now_ns());
  if (is_lost(gpus_[gpu])) return std::unexpected(failure(FailureKind::lost, gpu));
  if (gpus_[gpu].suffers(FaultKind::not_answering)) {
    return std::unexpected(failure(FailureKind::not_answering, gpu));
  }
  gpus_[gpu].fill(groups, reading);
  if ((groups & identity) != 0) {
    reading.driver_version = info_.driver_version;
    reading.gpu_count = static_cast<int64_t>(gpus_.size());
  }
  return {};
}

std::expected<void, GpuFailure> Source::subscribe(size_t gpu) {
  const std::scoped_lock lock(mutex_);
  if (gpu < subscribed_.size()) subscribed_[gpu] = true;
  return {};
}

std::vector<GpuEvent> Source::events_until(int64_t now_ns) {
  const std::scoped_lock lock(mutex_);
  std::vector<std::pair<int64_t, GpuEvent>> found;
  for (size_t i = 0; i < gpus_.size(); ++i) {
    for (const Fault& fault : gpus_[i].faults()) {
      const auto kind = event_kind(fault.kind);
      if (!kind || !subscribed_[i] || fault.at_ns <= delivered_until_ns_ || fault.at_ns > now_ns) continue;
      const int64_t moment_ns = clock_.moment_ns() - (now_ns - fault.at_ns);
      found.push_back(
          {fault.at_ns, {.gpu = i, .kind = *kind, .code = fault.value, .moment_ns = moment_ns, .gpu_instance = {}}});
    }
  }
  delivered_until_ns_ = now_ns;
  std::ranges::stable_sort(found, {}, [](const auto& entry) { return entry.first; });
  std::vector<GpuEvent> events;
  for (const auto& entry : found) events.push_back(entry.second);
  return events;
}

std::expected<std::vector<GpuEvent>, GpuFailure> Source::wait_for_events(std::chrono::milliseconds timeout) {
  constexpr std::chrono::milliseconds kPause(100);
  while (true) {
    std::vector<GpuEvent> events = events_until(clock_.now_ns());
    if (!events.empty() || timeout.count() <= 0) return events;
    clock_.sleep(std::min(kPause, timeout));
    timeout -= kPause;
  }
}

void Source::start(size_t gpu, Task task) {
  const std::scoped_lock lock(mutex_);
  gpus_.at(gpu).advance(clock_.now_ns());
  gpus_[gpu].start(std::move(task));
}

void Source::end(size_t gpu, int64_t pid) {
  const std::scoped_lock lock(mutex_);
  gpus_.at(gpu).advance(clock_.now_ns());
  gpus_[gpu].end(pid);
}

void Source::inject(size_t gpu, Fault fault) {
  const std::scoped_lock lock(mutex_);
  fault.at_ns = std::max(clock_.now_ns(), delivered_until_ns_ + 1);
  gpus_.at(gpu).add(fault);
}

Result<std::shared_ptr<Source>> open(const std::string& path, int64_t offset_ns) {
  const auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  const auto host = read_description(file->bytes(), path);
  if (!host) return std::unexpected(host.error());
  return std::make_shared<Source>(*host, machine_clock(offset_ns));
}

}  // namespace sonde::device::simulated
