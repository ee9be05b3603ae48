#include "device/clock_lock.h"

#include <array>

#include "device/nvml/library.h"

namespace sonde::device {
namespace nvml {
namespace {

constexpr unsigned kClockLimitTdp = 0xffffff01;  // NVML_CLOCK_LIMIT_ID_TDP

class NvmlClockLock final : public ClockLock {
 public:
  NvmlClockLock(const Library& library, unsigned count) : library_(library) {
    for (unsigned i = 0; i < count; ++i) {
      Device device = nullptr;
      std::array<char, 97> uuid{};
      if (call(library_.handle_by_index, i, &device) != Return::success) continue;
      if (call(library_.uuid, device, uuid.data(), static_cast<unsigned>(uuid.size() - 1)) != Return::success) continue;
      gpus_.push_back({.index = i, .uuid = uuid.data()});
    }
  }

  const std::vector<LockableGpu>& gpus() const override { return gpus_; }

  Status lock(const LockableGpu& gpu, std::optional<unsigned> mhz) override {
    const unsigned clock = mhz.value_or(kClockLimitTdp);
    return asked(gpu, "locked to a clock",
                 [&](Device device) { return call(library_.lock_clocks, device, clock, clock); });
  }

  Status unlock(const LockableGpu& gpu) override {
    return asked(gpu, "unlocked", [&](Device device) { return call(library_.unlock_clocks, device); });
  }

 private:
  template <typename Call>
  Status asked(const LockableGpu& gpu, std::string_view done, Call make) {
    Device device = nullptr;
    Return code = call(library_.handle_by_index, static_cast<unsigned>(gpu.index), &device);
    if (code == Return::success) code = make(device);
    if (code == Return::success) return {};
    return fail("{}", failure_of(code, static_cast<int64_t>(gpu.index), done).message);
  }

  Library library_;
  std::vector<LockableGpu> gpus_;
};

}  // namespace
}  // namespace nvml

Result<std::unique_ptr<ClockLock>> open_clock_lock() {
  const auto opened = nvml::open({});
  if (!opened) return std::unexpected(opened.error());
  return std::make_unique<nvml::NvmlClockLock>(opened->library, opened->gpus);
}

}  // namespace sonde::device
