#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// What the gate runs, in which order, and when it looks at what came of it.
namespace sonde {

enum class Side { base, changed };

/// The sides of the runs that bring both from `made` to `wanted` runs: base, new, new, base and again, so that what
/// drifts falls on both alike. Without a base the new ones only.
[[nodiscard]] std::vector<Side> run_order(size_t made, size_t wanted, bool with_base);

/// Runs a side after which the gate looks: `first`, then twice as many each time, the last of them `most`.
[[nodiscard]] std::vector<int> looks_of(int first, int most);

/// Whether runs that were made to warm up were enough: the newest of three or more is neither the fastest nor the
/// slowest. While a machine warms up, times fall (or rise with heat) from run to run, and each newest run is one of the
/// two; of k equal runs it is with a chance of 2/k. Ten are enough in any case.
[[nodiscard]] bool is_warm(std::span<const int64_t> wall_ns);

/// What `{profile}` in a command stands for.
inline constexpr std::string_view kProfilePlace = "{profile}";

[[nodiscard]] bool has_profile_place(const std::vector<std::string>& words);

/// The command with `stem` (a path without ending) in the place of each {profile}.
[[nodiscard]] std::vector<std::string> with_profile(std::vector<std::string> words, std::string_view stem);

/// The profile that a run left under `stem`, whose folder is its own: the file of this name with an ending that Sonde
/// reads (an nsys export before the report that it was made of), a folder of this name, or whatever else begins with
/// it; several such files are the ranks of one run, which their folder stands for. The error says what to do.
[[nodiscard]] Result<std::string> profile_left_at(const std::string& stem);

/// Files that a shell pattern names, with when they were written last.
struct FoundFile {
  std::string path;
  long long written = 0;  ///< any unit
  bool operator==(const FoundFile&) const = default;
};
[[nodiscard]] std::vector<FoundFile> files_of(const std::string& pattern, const std::string& folder);

/// The one file of `after` that is not in `before` as it is; the error says that there is none, or names several.
[[nodiscard]] Result<std::string> file_written(const std::vector<FoundFile>& before,
                                               const std::vector<FoundFile>& after, std::string_view pattern);

}  // namespace sonde
