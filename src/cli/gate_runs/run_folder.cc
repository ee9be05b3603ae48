#include "cli/gate_runs/run_folder.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/system/system_reason.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

void remove_all_but(const fs::path& folder, const fs::path& left) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::error_code ignored;
    if (entry.path() != left) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

Result<RunFolder> RunFolder::temporary() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this program changes its environment.
  const char* given = std::getenv("TMPDIR");
  std::string path = std::string(given != nullptr && *given != 0 ? given : "/tmp") + "/sonde-gate-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return fail("cannot create the folder {}: {}", path, system_reason(errno));
  return RunFolder(std::move(path), true);
}

Result<RunFolder> RunFolder::kept(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return fail("cannot create the folder {}: {}", path, error.message());
  const bool empty = fs::is_empty(path, error);
  if (error) return fail("cannot read the folder {}: {}", path, error.message());
  if (!empty) return fail("the folder {} for --keep is not empty; name a new one", path);
  const fs::path absolute = fs::absolute(path, error);  // commands may run in other folders
  return RunFolder(error ? path : absolute.lexically_normal().string(), false);
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, false)),
      left_(std::move(other.left_)) {}

RunFolder::~RunFolder() {
  if (!temporary_) return;
  std::error_code ignored;
  remove_all_but(path_, left_);
  fs::remove(path_, ignored);  // fails where something is left in it
}

Result<std::string> RunFolder::for_run(const std::string& name) const {
  const fs::path folder = fs::path(path_) / name;
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directories(folder, error);
  if (error) return fail("cannot create the folder {}: {}", folder.string(), error.message());
  return folder.string();
}

void RunFolder::drop(const std::string& name) const {
  std::error_code ignored;
  if (temporary_) fs::remove_all(fs::path(path_) / name, ignored);
}

}  // namespace sonde
