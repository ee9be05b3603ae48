#include "monitor/loop/source_keeper.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

namespace sonde::monitor::loop {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kFirstPauseNs = kSecond;
constexpr int64_t kLongestPauseNs = 60 * kSecond;
/// Drivers without persistence mode take seconds for each GPU while they are opened.
constexpr int64_t kSilentNs = 30 * kSecond;

}  // namespace

struct SourceKeeper::Opening {
  std::mutex mutex;
  std::condition_variable done;
  std::optional<Result<std::shared_ptr<device::DeviceSource>>> result;
  std::function<void()> on_opened;  ///< empty when no caller waits any more

  void finish(Result<std::shared_ptr<device::DeviceSource>> opened) {
    const std::scoped_lock lock(mutex);
    result = std::move(opened);
    done.notify_all();
    if (on_opened) on_opened();
  }
};

SourceKeeper::SourceKeeper(OpenSource open, std::function<void()> on_opened)
    : open_(std::move(open)), on_opened_(std::move(on_opened)) {}

SourceKeeper::~SourceKeeper() {
  if (!opening_) return;
  const std::scoped_lock lock(opening_->mutex);
  opening_->on_opened = nullptr;
}

void SourceKeeper::begin(int64_t now_ns) {
  opening_ = std::make_shared<Opening>();
  opening_->on_opened = on_opened_;
  began_ns_ = now_ns;
  std::thread([opening = opening_, open = open_] { opening->finish(open()); }).detach();
}

std::shared_ptr<device::DeviceSource> SourceKeeper::take(int64_t now_ns, std::chrono::milliseconds timeout) {
  next_ns_ = std::min(next_ns_, now_ns + kLongestPauseNs);  // clocks are set back
  if (!opening_ && now_ns < next_ns_) return nullptr;
  if (!opening_) begin(now_ns);
  std::unique_lock lock(opening_->mutex);
  if (!opening_->done.wait_for(lock, timeout, [&] { return opening_->result.has_value(); })) {
    trouble_ = now_ns - began_ns_ < kSilentNs ? "the GPU driver has not responded yet: NVML is being initialized"
                                              : "the GPU driver is not responding: initializing NVML has not returned; "
                                                "check dmesg for XID messages, then reboot";
    return nullptr;
  }
  auto result = std::move(*opening_->result);
  lock.unlock();
  opening_.reset();
  next_ns_ = now_ns + std::max(pause_ns_, kFirstPauseNs);
  pause_ns_ = std::clamp(2 * pause_ns_, kFirstPauseNs, kLongestPauseNs);
  trouble_ = result ? std::string() : result.error().message;
  if (result && (*result)->gpu_count() == 0) {
    trouble_ = "the driver finds no GPU; check nvidia-smi -L and dmesg";
    return nullptr;
  }
  if (!result) return nullptr;
  ++openings_;
  return *result;
}

}  // namespace sonde::monitor::loop
