#include "dispatch/store/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/files/small_file.h"
#include "base/system/system_reason.h"

namespace sonde::dispatch::store {
namespace {

constexpr mode_t kOwnerOnly = 0600;

Status unwritable(const std::string& path, const std::string& why) {
  return fail("cannot write {}: {}; make it writable for the service, or set sonde.history.path", path, why);
}

}  // namespace

Status make_files(const std::string& folder, const std::string& path) {
  std::error_code error;
  if (std::filesystem::create_directories(folder, error)) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
    sync_folder(std::filesystem::path(folder).parent_path());
  }
  if (error) return unwritable(folder, error.message());
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (file < 0) return unwritable(path, system_reason(errno));
  close(file);
  sync_folder(folder);
  return {};
}

}  // namespace sonde::dispatch::store
