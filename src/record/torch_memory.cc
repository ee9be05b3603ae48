#include "record/torch_memory.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/files/file.h"
#include "base/files/sqlite.h"

namespace sonde::record {
namespace {

namespace fs = std::filesystem;

/// The pid in "snapshot.PID.pickle"; files that are still being written have another ending.
std::optional<int64_t> pid_of_snapshot(const std::string& name) {
  constexpr std::string_view kPrefix = "snapshot.";
  constexpr std::string_view kEnding = ".pickle";
  if (!name.starts_with(kPrefix) || !name.ends_with(kEnding)) return std::nullopt;
  const std::string_view digits =
      std::string_view(name).substr(kPrefix.size(), name.size() - kPrefix.size() - kEnding.size());
  int64_t pid = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), pid);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(pid) : std::nullopt;
}

std::vector<std::pair<int64_t, fs::path>> snapshots_in(const std::string& folder) {
  std::vector<std::pair<int64_t, fs::path>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (const auto pid = pid_of_snapshot(entry.path().filename().string())) found.emplace_back(*pid, entry.path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

Result<TorchMemory> TorchMemory::make(const std::string& output) {
  const fs::path parent = fs::absolute(output).parent_path();
  std::string folder = (parent / ".sonde-torch-memory-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    return fail("cannot make a folder for PyTorch's memory snapshots in {}: {}", parent.string(),
                std::generic_category().message(errno));
  }
  return TorchMemory(std::move(folder));
}

TorchMemory::TorchMemory(TorchMemory&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

TorchMemory::~TorchMemory() {
  std::error_code error;
  if (!folder_.empty()) fs::remove_all(folder_, error);
}

Result<std::vector<int64_t>> TorchMemory::add_to(const std::string& profile) const {
  const auto snapshots = snapshots_in(folder_);
  std::vector<int64_t> pids;
  if (snapshots.empty()) return pids;
  auto database = Database::open_read_write(profile);
  if (!database) return std::unexpected(database.error());
  SONDE_TRY(database->execute("CREATE TABLE SONDE_TORCH_MEMORY (pid INTEGER NOT NULL, snapshot BLOB NOT NULL)"));
  auto insert = database->prepare("INSERT INTO SONDE_TORCH_MEMORY VALUES (?, ?)");
  if (!insert) return std::unexpected(insert.error());
  for (const auto& [pid, path] : snapshots) {
    const auto file = MappedFile::open(path.string());
    if (!file) return std::unexpected(file.error());
    insert->bind(1, pid);
    insert->bind_blob(2, file->bytes());
    SONDE_TRY(insert->run());
    pids.push_back(pid);
  }
  // The profile is to be one file again, without a write-ahead log beside it.
  SONDE_TRY(database->execute("PRAGMA journal_mode = DELETE"));
  return pids;
}

}  // namespace sonde::record
