#include "cli/gate_runs/locked_clocks.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/files/small_file.h"
#include "base/system/boot_id.h"
#include "base/system/system_reason.h"
#include "base/text/decimal.h"
#include "cli/gate_runs/machine.h"
#include "cli/output.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostMarker = 4096;

/// A marker that no living process holds, held now; none where one does, or it cannot be opened.
Descriptor taken(const std::string& path, int flags) {
  constexpr mode_t kMode = 0600;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): POSIX
  Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, kMode));
  if (file && flock(file.get(), LOCK_EX | LOCK_NB) != 0) file.reset();
  return file;
}

Status write_boot(const Descriptor& file, const std::string& path) {
  const std::string& text = boot_id();
  if (ftruncate(file.get(), 0) != 0 || pwrite(file.get(), text.data(), text.size(), 0) < 0 || fsync(file.get()) != 0) {
    return fail("cannot write {}: {}", path, system_reason(errno));
  }
  return {};
}

std::vector<device::LockableGpu> visible(const std::vector<device::LockableGpu>& gpus) {
  std::vector<GpuState> states;
  for (const device::LockableGpu& gpu : gpus) {
    GpuState& state = states.emplace_back();
    state.index = fmt::format("{}", gpu.index);
    state.uuid = gpu.uuid;
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this program changes its environment.
  const auto allowed = visible_gpus(std::move(states), std::getenv("CUDA_VISIBLE_DEVICES"));
  std::vector<device::LockableGpu> chosen;
  std::ranges::copy_if(gpus, std::back_inserter(chosen), [&](const device::LockableGpu& gpu) {
    return std::ranges::find(allowed, gpu.uuid, &GpuState::uuid) != allowed.end();
  });
  return chosen;
}

/// What became of a GPU whose marker was left; the marker goes unless the next start has to try again.
std::optional<std::string> unlock_left(const fs::path& marker, std::unique_ptr<device::ClockLock>& lock) {
  const Descriptor file = taken(marker, 0);
  if (!file) return std::nullopt;
  const auto boot = read_small_file(marker, kMostMarker);
  if (!boot || *boot != boot_id()) {
    unlink(marker.c_str());
    return std::nullopt;
  }
  const std::string uuid = marker.filename();
  const auto left = [&](std::string_view why) {
    return fmt::format(
        "the clocks of {} are still locked by a run that was killed: {}; unlock them with `nvidia-smi -rgc`", uuid,
        why);
  };
  if (!lock) {
    auto opened = device::open_clock_lock();
    if (!opened) return left(opened.error().message);
    lock = std::move(*opened);
  }
  const auto gpu = std::ranges::find(lock->gpus(), uuid, &device::LockableGpu::uuid);
  if (gpu == lock->gpus().end()) return left("NVML does not list this GPU");
  if (const Status done = lock->unlock(*gpu); !done) return left(done.error().message);
  unlink(marker.c_str());
  return fmt::format("the clocks of GPU {} were still locked by a run that was killed; they are unlocked", gpu->index);
}

}  // namespace

Result<ClockChoice> parse_clock_choice(std::string_view text) {
  if (text == "base") return ClockChoice{};
  std::string_view number = text;
  if (number.ends_with("MHz")) number.remove_suffix(3);
  const auto mhz = integer_of<unsigned>(number);
  if (!mhz || *mhz == 0) return fail("--lock-clocks: '{}' is neither 'base' nor a clock in MHz, such as 1200", text);
  return ClockChoice{.mhz = mhz};
}

std::string clock_text(const ClockChoice& choice) {
  return choice.mhz ? fmt::format("locked at {} MHz", *choice.mhz) : "locked at base";
}

LockedClocks::~LockedClocks() {
  for (const Held& held : held_) {
    if (const Status done = lock_->unlock(held.gpu); !done) {
      complain(fmt::format("{}; unlock its clocks with `nvidia-smi -rgc`", done.error().message));
      continue;
    }
    unlink(held.path.c_str());
  }
}

Status LockedClocks::lock(const device::LockableGpu& gpu, const ClockChoice& choice, const std::string& folder) {
  const std::string path = folder + "/" + gpu.uuid;
  Descriptor file = taken(path, O_CREAT);
  if (!file && errno == EWOULDBLOCK) return fail("another `sonde gate` holds the clocks of GPU {}", gpu.index);
  if (!file) return fail("cannot write {}: {}", path, system_reason(errno));
  SONDE_TRY(write_boot(file, path));
  if (const Status locked = lock_->lock(gpu, choice.mhz); !locked) {
    unlink(path.c_str());
    return std::unexpected(locked.error());
  }
  held_.push_back({.gpu = gpu, .path = path, .file = std::move(file)});
  return {};
}

Result<LockedClocks> LockedClocks::lock(const ClockChoice& choice, const std::string& folder) {
  LockedClocks clocks;
  auto opened = device::open_clock_lock();
  if (!opened) return std::unexpected(opened.error());
  clocks.lock_ = std::move(*opened);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail("cannot make the folder {}: {}", folder, error.message());
  const auto gpus = visible(clocks.lock_->gpus());
  if (gpus.empty()) return fail("this machine has no GPU");
  for (const device::LockableGpu& gpu : gpus) SONDE_TRY(clocks.lock(gpu, choice, folder));
  return clocks;
}

std::vector<std::string> unlock_left_clocks(const std::string& folder) {
  std::vector<std::string> sentences;
  std::unique_ptr<device::ClockLock> lock;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (auto sentence = unlock_left(entry.path(), lock)) sentences.push_back(std::move(*sentence));
  }
  return sentences;
}

}  // namespace sonde
