#include "importers/files/not_a_profile.h"

#include <array>

namespace sonde {
namespace {

struct Known {
  std::string_view begins_with;
  std::string_view what_and_remedy;
};

constexpr std::array kKnown = {
    Known{"version https://git-lfs", "a Git LFS pointer instead of the file; fetch the file with: git lfs pull"},
    Known{"PK\x03\x04", "a ZIP archive; unpack it and pass the profile in it"},
    Known{"\x28\xb5\x2f\xfd", "compressed with zstd; decompress it with: unzstd FILE"},
    Known{"<!DOCTYPE", "a web page, perhaps saved instead of the download; fetch the file again"},
    Known{"<html", "a web page, perhaps saved instead of the download; fetch the file again"},
};

bool ends_with(std::string_view path, std::string_view ending) { return path.ends_with(ending); }

}  // namespace

Error not_a_profile(const std::string& path, std::string_view head) {
  if (head.empty()) return {fmt::format("{} is empty; was the recording interrupted?", path)};
  for (const Known& known : kKnown) {
    if (head.starts_with(known.begins_with)) return {fmt::format("{} is {}", path, known.what_and_remedy)};
  }
  if (ends_with(path, ".qdstrm")) {
    return {
        fmt::format("{} is a raw recording of Nsight Systems that was never imported; open it once in the Nsight "
                    "Systems GUI, or run QdstrmImporter on it, then export the report",
                    path)};
  }
  return {
      fmt::format("{} is not in a supported format (Nsight Systems reports and SQLite exports, Nsight Compute "
                  "reports and CSV, "
                  "PyTorch traces as .json or .json.gz); the content decides the format, not the file name",
                  path)};
}

}  // namespace sonde
