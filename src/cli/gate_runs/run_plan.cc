#include "cli/gate_runs/run_plan.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace sonde {
namespace {

namespace fs = std::filesystem;

/// The first that is there is read: of a recording and its export the export, which is the quicker to read.
constexpr std::array kEndings = {".sqlite", ".nsys-rep", ".ncu-rep", ".ncu-repz", ".json.gz", ".json"};

bool is_base(size_t place) { return place % 4 == 0 || place % 4 == 3; }

std::vector<fs::path> beginning_with(const fs::path& stem) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(stem.parent_path(), ignored)) {
    if (entry.path().filename().string().starts_with(stem.filename().string())) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

/// Of all names only those with the first ending that any has.
std::vector<fs::path> of_one_kind(const std::vector<fs::path>& names) {
  for (const std::string_view ending : kEndings) {
    std::vector<fs::path> fitting;
    for (const fs::path& name : names) {
      if (name.string().ends_with(ending)) fitting.push_back(name);
    }
    if (!fitting.empty()) return fitting;
  }
  return names;
}

}  // namespace

std::vector<Side> run_order(size_t made, size_t wanted, bool with_base) {
  if (!with_base) return std::vector<Side>(wanted - std::min(made, wanted), Side::changed);
  std::vector<Side> order;
  for (size_t place = 2 * made; place < 2 * wanted; ++place) {
    order.push_back(is_base(place) ? Side::base : Side::changed);
  }
  return order;
}

std::vector<int> looks_of(int first, int most) {
  std::vector<int> looks;
  for (int runs = first; runs<most; runs = runs> most / 2 ? most : 2 * runs) looks.push_back(runs);
  looks.push_back(most);
  return looks;
}

bool is_warm(std::span<const int64_t> wall_ns) {
  constexpr size_t kFewest = 3;
  constexpr size_t kMost = 10;
  if (wall_ns.size() < kFewest) return false;
  if (wall_ns.size() >= kMost) return true;
  const auto [fastest, slowest] = std::ranges::minmax(wall_ns.first(wall_ns.size() - 1));
  return wall_ns.back() >= fastest && wall_ns.back() <= slowest;
}

bool has_profile_place(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) { return word.contains(kProfilePlace); });
}

std::vector<std::string> with_profile(std::vector<std::string> words, std::string_view stem) {
  for (std::string& word : words) {
    for (size_t at = word.find(kProfilePlace); at != std::string::npos;
         at = word.find(kProfilePlace, at + stem.size())) {
      word.replace(at, kProfilePlace.size(), stem);
    }
  }
  return words;
}

Result<std::string> profile_left_at(const std::string& stem) {
  for (const std::string_view ending : kEndings) {
    std::string path = stem + std::string(ending);
    if (fs::is_regular_file(path)) return path;
  }
  if (fs::is_directory(stem)) return stem;
  const auto found = of_one_kind(beginning_with(stem));
  if (found.size() == 1) return found.front().string();
  if (found.size() > 1) return fs::path(stem).parent_path().string();
  return fail(
      "the run left no profile: no file begins with {}. The tool must write to {{profile}}, as in `sonde record -o "
      "{{profile}} ...`",
      stem);
}

std::vector<FoundFile> files_of(const std::string& pattern, const std::string& folder) {
  const std::string whole = pattern.starts_with('/') || folder.empty() ? pattern : folder + "/" + pattern;
  glob_t found{};
  std::vector<FoundFile> files;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread changes the environment, which a ~ in it is looked up in.
  if (glob(whole.c_str(), 0, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) {
      std::error_code error;
      const auto written = fs::last_write_time(found.gl_pathv[i], error);
      if (!error) files.push_back({found.gl_pathv[i], static_cast<long long>(written.time_since_epoch().count())});
    }
  }
  globfree(&found);
  return files;
}

Result<std::string> file_written(const std::vector<FoundFile>& before, const std::vector<FoundFile>& after,
                                 std::string_view pattern) {
  std::vector<std::string> fresh;
  for (const FoundFile& file : after) {
    if (std::ranges::find(before, file) == before.end()) fresh.push_back(file.path);
  }
  if (fresh.size() == 1) return fresh.front();
  if (fresh.empty()) return fail("the run wrote no file that matches '{}'", pattern);
  return fail("the run wrote {} files that match '{}', including {} and {}; a run has one profile", fresh.size(),
              pattern, fresh[0], fresh[1]);
}

}  // namespace sonde
