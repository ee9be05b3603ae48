#include "cli/serve/analysis.h"

#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "base/files/small_file.h"
#include "cli/command.h"
#include "dispatch/profiles/bounded_run.h"

namespace sonde::serve {
namespace {

/// A profile of some gigabytes takes one or two minutes.
constexpr std::chrono::minutes kTimeLimit{15};
constexpr size_t kMostBytes = 64 << 20;

/// Files in the profile's folder that go with this object.
class Scratch {
 public:
  explicit Scratch(const std::filesystem::path& folder)
      : output(folder / "why.json.tmp"), error(folder / "why.txt.tmp") {}
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove(output, ignored);
    std::filesystem::remove(error, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string output;
  std::string error;
};

}  // namespace

Result<std::string> why_of(const std::string& file, const std::atomic<bool>& stop) {
  const Scratch scratch(std::filesystem::path(file).parent_path());
  const auto end = dispatch::run_bounded({.words = {"/proc/self/exe", "why", file, "--json"},
                                          .output_file = scratch.output,
                                          .error_file = scratch.error,
                                          .time_limit = kTimeLimit},
                                         stop);
  if (!end) return std::unexpected(end.error());
  if (!why_answered(end->status) || end->signal != 0 || end->timed_out || end->stopped) {
    const std::string said = dispatch::last_line(scratch.error);
    return fail("sonde why {}: {}", file, said.empty() ? dispatch::shown_end(*end) : said);
  }
  return read_small_file(scratch.output, kMostBytes);
}

}  // namespace sonde::serve
