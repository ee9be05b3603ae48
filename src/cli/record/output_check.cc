#include "cli/record/output_check.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/files/descriptor.h"
#include "record/rounds/file_limit.h"
#include "record/rounds/rounds.h"

namespace sonde::record_cli {
namespace {

namespace fs = std::filesystem;

/// A file without a name; where the file system has none, one whose name is gone at once. Below 0: errno says why.
int scratch_file(const std::string& folder) {
  const int file = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
  std::string name = folder + "/.sonde-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

/// 0 where a block can be written to the folder, else what the system says.
int try_to_write(const std::string& folder) {
  const record::FileLimitGuard guard;
  const Descriptor file(scratch_file(folder));
  if (!file) return errno;
  constexpr size_t kBlock = 4096;
  const std::array<char, kBlock> block{};
  const ssize_t written = write(file.get(), block.data(), block.size());
  if (written < 0) return errno;
  return static_cast<size_t>(written) == block.size() ? 0 : ENOSPC;
}

Status check_folder(const fs::path& output) {
  const std::string folder = output.has_parent_path() ? output.parent_path().string() : ".";
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) {
    return fail("-o {}: the folder {} does not exist; mkdir -p {} creates it", output.string(), folder, folder);
  }
  if (!fs::is_directory(status)) return fail("-o {}: {} is a file, not a folder", output.string(), folder);
  const int reason = try_to_write(folder);
  if (reason == 0) return {};
  return fail("-o {}: cannot write: {}; use -o with another path", output.string(), record::file_reason(reason));
}

}  // namespace

Status check_output(const record::RoundOptions& round) {
  const std::string output = round.capture.numbered ? record::numbered(round.output, 1) : round.output;
  std::error_code error;
  const fs::file_status status = fs::status(output, error);
  if (fs::is_directory(status)) return fail("-o {}: this is a folder; name a file in it", output);
  if (fs::exists(status) && !round.overwrite) {
    return fail("-o {}: the file already exists; -f replaces it, -o names another", output);
  }
  return check_folder(output);
}

}  // namespace sonde::record_cli
