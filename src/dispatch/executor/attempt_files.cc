#include "dispatch/executor/attempt_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <thread>

#include "base/files/small_file.h"
#include "base/system/boot_id.h"
#include "base/system/system_reason.h"
#include "dispatch/keeper/attempt_record.h"

namespace sonde::dispatch {
namespace {

constexpr mode_t kOwnerOnlyFolder = 0700;
constexpr mode_t kOwnerOnlyFile = 0600;
constexpr std::string_view kSparePrefix = "spare.";
/// At 4,000 ends a second, a keeper has its file this much longer: keeper/keeper.cc.
constexpr size_t kMaxSpares = 256;

/// 0 or the error's number; one that is there is as good.
int make_folder(const std::string& path) {
  return mkdir(path.c_str(), kOwnerOnlyFolder) == 0 || errno == EEXIST ? 0 : errno;
}

/// A service that was killed while it started a keeper leaves the lock to that for a moment.
bool lock_within_a_second(int file) {
  constexpr int kTries = 50;
  constexpr std::chrono::milliseconds kPause{20};
  for (int i = 0; i < kTries; ++i) {
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    std::this_thread::sleep_for(kPause);
  }
  return false;
}

}  // namespace

std::string attempt_name(AttemptId id) { return keeper::attempt_name(id.first, id.second); }

std::optional<AttemptId> attempt_of(std::string_view name) {
  AttemptId id;
  const char* const end = name.data() + name.size();
  const auto [dot, error] = std::from_chars(name.data(), end, id.first);
  if (error != std::errc{} || dot == end || *dot != '.') return std::nullopt;
  const auto [last, other] = std::from_chars(dot + 1, end, id.second);
  if (other != std::errc{} || last != end) return std::nullopt;
  return id;
}

Result<AttemptFiles> AttemptFiles::open(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const auto real = error ? std::filesystem::path() : std::filesystem::canonical(folder, error);
  if (error) return fail("cannot store tasks in '{}': {}", folder, error.message());
  Descriptor lock(::open((real / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnlyFile));
  if (!lock) return fail("cannot store tasks in '{}': {}", folder, system_reason(errno));
  if (!lock_within_a_second(lock.get())) {
    return fail("another service stores its tasks in '{}': stop it, or set a different sonde.history.path for this one",
                folder);
  }
  AttemptFiles files(real.string(), std::move(lock));
  for (const std::string& path : {files.folder_, files.live_folder(), files.tasks_folder()}) {
    if (const int failed = make_folder(path)) return fail("cannot create '{}': {}", path, system_reason(failed));
  }
  sync_folder(real.parent_path().string());
  sync_folder(files.folder_);
  files.remove_spares();
  const auto before = read_small_file(files.folder_ + "/boot", 1024);
  files.host_restarted_ = before && *before != boot_id();
  if (!before) SONDE_TRY(files.remember_boot());
  return files;
}

Status AttemptFiles::remember_boot() const { return replace_file(folder_ + "/boot", boot_id()); }

std::string AttemptFiles::live_file(AttemptId id) const { return fmt::format("{}/live/{}", folder_, attempt_name(id)); }
std::string AttemptFiles::task_folder(int64_t task) const { return fmt::format("{}/tasks/{}", folder_, task); }
std::string AttemptFiles::attempt_folder(AttemptId id) const {
  return fmt::format("{}/tasks/{}/{}", folder_, id.first, id.second);
}

std::string AttemptFiles::spare_file(int64_t number) const {
  return fmt::format("{}/live/{}{}", folder_, kSparePrefix, number);
}

/// They are no longer referenced.
void AttemptFiles::remove_spares() const {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(live_folder(), error)) {
    if (entry.path().filename().string().starts_with(kSparePrefix)) unlink(entry.path().c_str());
  }
}

void AttemptFiles::put_away(AttemptId id) {
  const std::string file = live_file(id);
  if (spares_.size() < kMaxSpares && rename(file.c_str(), spare_file(last_spare_ + 1).c_str()) == 0) {
    spares_.push_back(++last_spare_);
  } else {
    unlink(file.c_str());
  }
}

/// The one that was put away first, under its new name, unless its keeper is not over yet.
bool AttemptFiles::take_spare(AttemptId id, Descriptor& live) {
  if (spares_.empty()) return false;
  const int64_t number = spares_.front();
  spares_.pop_front();
  const std::string file = spare_file(number);
  live.reset(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (!live) return false;
  if (flock(live.get(), LOCK_EX | LOCK_NB) != 0) {
    spares_.push_back(number);
    return false;
  }
  if (rename(file.c_str(), live_file(id).c_str()) == 0) return true;
  unlink(file.c_str());
  return false;
}

int AttemptFiles::create(AttemptId id, Descriptor& live) {
  if (const int failed = make_folder(task_folder(id.first))) return failed;
  if (const int failed = make_folder(attempt_folder(id))) return failed;
  if (access(live_file(id).c_str(), F_OK) == 0) return EEXIST;
  if (take_spare(id, live)) return 0;
  live.reset(::open(live_file(id).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnlyFile));
  if (!live) return errno;
  return flock(live.get(), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

}  // namespace sonde::dispatch
