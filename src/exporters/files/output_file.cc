#include "exporters/files/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/system/system_reason.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

}  // namespace

Status check_target(const std::string& target, const ExportOptions& options) {
  std::error_code error;
  for (const std::string& input : options.inputs) {
    if (fs::equivalent(input, target, error)) {
      return fail("{} is an input file and would be overwritten; choose another name for the output", target);
    }
  }
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) return fail("{} is a directory; pass the name of a file in it", target);
  if (fs::exists(status) && !options.overwrite) {
    return fail("{} already exists; choose another name, or allow overwriting", target);
  }
  return {};
}

Result<OutputFile> OutputFile::open(const std::string& target, const ExportOptions& options) {
  SONDE_TRY(check_target(target, options));
  std::string temporary = target + ".part-XXXXXX";
  const int fd = mkstemp(temporary.data());
  if (fd < 0) return fail("cannot write {}: {}", target, system_reason(errno));
  // mkstemp makes files private; the finished file gets the access that any new file of this user would have.
  const mode_t mask = umask(0);
  umask(mask);
  const int access = fchmod(fd, static_cast<mode_t>(0666) & ~mask);
  close(fd);
  OutputFile file(target, temporary, options.overwrite);
  if (access != 0) return fail("cannot write {}: {}", target, system_reason(errno));
  return file;
}

OutputFile::OutputFile(std::string target, std::string temporary, bool overwrite)
    : target_(std::move(target)), temporary_(std::move(temporary)), overwrite_(overwrite) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      overwrite_(other.overwrite_) {}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Status OutputFile::commit() {
  const unsigned how = overwrite_ ? 0 : RENAME_NOREPLACE;
  int failed = renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), how);
  // File systems that cannot do that (NFS, old FUSE) say so.
  if (failed != 0 && errno == EINVAL) failed = rename(temporary_.c_str(), target_.c_str());
  if (failed != 0) return fail("cannot rename the output to {}: {}", target_, system_reason(errno));
  temporary_.clear();
  return {};
}

}  // namespace sonde
