#include "device/parallel_reader.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include <fmt/format.h>

namespace sonde::device {

/// What a GPU's thread and its owner share.
struct ParallelReader::Worker {
  std::shared_ptr<DeviceSource> source;
  size_t gpu = 0;
  std::mutex mutex;
  std::condition_variable changed;
  ValueGroups wanted = 0;  ///< 0 while nothing is to be read
  bool ends = false;
  GpuState state;

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return wanted != 0 || ends; });
      if (ends) return;
      const ValueGroups groups = wanted;
      std::vector<RefusedValue> refused;
      bool answers = true;
      for (unsigned group = identity; answers && group <= kAllGroups; group <<= 1U) {
        if ((groups & group) != 0) answers = read_group(lock, group, refused);
      }
      state.reading.refused = std::move(refused);
      wanted = 0;
      changed.notify_all();
    }
  }

  /// Without the lock while the driver is asked.
  bool read_group(std::unique_lock<std::mutex>& lock, ValueGroups group, std::vector<RefusedValue>& refused) {
    GpuState next = state;
    lock.unlock();
    const auto done = source->read(gpu, group, next.reading);
    next.failure = done ? std::nullopt : std::optional(done.error());
    refused.insert(refused.end(), next.reading.refused.begin(), next.reading.refused.end());
    lock.lock();
    state = std::move(next);
    return done.has_value();
  }

  GpuState wait_until(std::chrono::steady_clock::time_point end, std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex);
    const bool answered = changed.wait_until(lock, end, [&] { return wanted == 0; });
    GpuState result = state;
    if (!answered) {
      result.failure =
          GpuFailure{.kind = FailureKind::not_answering,
                     .message = fmt::format("GPU {} is not responding: a driver call has not returned within {:.3g} s; "
                                            "check dmesg for XID messages, then reset the GPU or reboot",
                                            gpu, static_cast<double>(timeout.count()) / 1000)};
    }
    return result;
  }
};

ParallelReader::ParallelReader(std::shared_ptr<DeviceSource> source) {
  for (size_t i = 0; i < source->gpu_count(); ++i) {
    workers_.push_back(std::make_shared<Worker>());
    workers_.back()->source = source;
    workers_.back()->gpu = i;
    std::thread([worker = workers_.back()] { worker->run(); }).detach();
  }
}

ParallelReader::~ParallelReader() {
  for (const auto& worker : workers_) {
    const std::scoped_lock lock(worker->mutex);
    worker->ends = true;
    worker->changed.notify_all();
  }
}

std::vector<GpuState> ParallelReader::read(std::span<const size_t> gpus, ValueGroups groups,
                                           std::chrono::milliseconds timeout) {
  for (const size_t gpu : gpus) {
    Worker& worker = *workers_.at(gpu);
    const std::scoped_lock lock(worker.mutex);
    if (worker.wanted != 0) continue;  // still in the call before
    worker.wanted = groups;
    worker.changed.notify_all();
  }
  const auto end = std::chrono::steady_clock::now() + timeout;
  std::vector<GpuState> states;
  for (const size_t gpu : gpus) states.push_back(workers_[gpu]->wait_until(end, timeout));
  return states;
}

}  // namespace sonde::device
