#include "cli/record/library.h"

#include <filesystem>

#include "record/library_version.h"

namespace sonde::record_cli {

Result<std::string> find_library() {
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"libsonde_inject.so", "../lib/sonde/libsonde_inject.so", "../lib/libsonde_inject.so"}) {
    const auto path = (folder / place).lexically_normal();
    if (!std::filesystem::exists(path, error)) continue;
    // The loader takes both for the end of a name, and knows no quotes.
    if (path.string().find_first_of(": ") != std::string::npos) {
      return fail("cannot record: the path '{}' contains a blank or a colon, which LD_PRELOAD does not support",
                  path.string());
    }
    SONDE_TRY(record::check_library_version(path.string()));
    return path.string();
  }
  return fail("cannot record: libsonde_inject.so is missing next to {}; install it there", (folder / "sonde").string());
}

namespace {

/// The folder of the library, where that holds a file of this name.
Result<std::filesystem::path> folder_with(const std::string& library, std::string_view name) {
  auto folder = std::filesystem::path(library).parent_path();
  std::error_code error;
  if (std::filesystem::exists(folder / name, error)) return folder;
  return fail("cannot record: {} is missing; install it there", (folder / name).string());
}

}  // namespace

Result<std::string> find_auditor(const std::string& library) {
  constexpr const char* kName = "libsonde_audit.so";
  const auto folder = folder_with(library, kName);
  if (!folder) return std::unexpected(folder.error());
  SONDE_TRY(record::check_library_version((*folder / kName).string()));
  return (*folder / kName).string();
}

Result<std::string> find_torch_folder(const std::string& library) {
  const auto folder = folder_with(library, "torch_modules/sitecustomize.py");
  if (!folder) return std::unexpected(folder.error());
  return (*folder / "torch_modules").string();
}

}  // namespace sonde::record_cli
