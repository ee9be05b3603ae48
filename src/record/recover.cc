#include "record/recover.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/files/descriptor.h"
#include "base/files/file.h"
#include "base/system/system_reason.h"
#include "exporters/files/output_file.h"
#include "record/profile.h"
#include "record/remarks.h"
#include "record/rounds/file_limit.h"

namespace sonde::record {
namespace {

/// Whether a recorder that lives has it.
bool is_held(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file && flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

RecordOptions options_of(const SpoolHead& head, const RoundOptions& round) {
  RecordOptions options;
  static_cast<RoundOptions&>(options) = round;
  options.wanted.nvtx = (head.wanted & wire::kWantNvtx) != 0;
  options.wanted.os_calls = (head.wanted & wire::kWantOsCalls) != 0;
  options.wanted.cuda = (head.wanted & wire::kWantCuda) != 0;
  options.wanted.nccl.operations = (head.wanted & wire::kWantNccl) != 0;
  options.wanted.os_threshold_ns = head.os_threshold_ns;
  options.remarks.push_back(
      {true,
       "this profile is incomplete: its recorder was killed or ran out of disk space; later events are missing, and "
       "the number of dropped events is unknown"});
  return options;
}

/// A recorder that was killed while it wrote leaves half a slice at the end, which no one reads.
bool is_whole(std::span<const std::byte> slices) {
  SpoolReader reader(slices);
  while (reader.next()) continue;
  return reader.left() == 0;
}

}  // namespace

Result<Profile> recover(const std::string& spool_path, const RoundOptions& options) {
  const FileLimitGuard guard;
  SONDE_TRY(check_target(options.output, {.overwrite = options.overwrite, .inputs = {spool_path}}));
  if (is_held(spool_path)) return fail("{} is still being recorded; its recorder will write the profile", spool_path);
  const auto file = MappedFile::open(spool_path);
  if (!file) return std::unexpected(file.error());
  const auto content = spool_content(std::as_bytes(std::span(file->bytes())));
  if (!content) return fail("{}: {}", spool_path, content.error().message);
  const SpoolHead& head = content->head;
  if ((head.wanted & wire::kWantMetrics) != 0) {
    return fail(
        "{} contains counters of kernels whose names were only in the memory of its recorder; record the program again",
        spool_path);
  }
  auto maker = ProfileMaker::open(options, no_progress());
  if (!maker) return std::unexpected(maker.error());
  Profile profile;
  profile.output = options.output;
  profile.kept = spool_path;
  const Slices slices = ordered_slices(content->slices, [&file] { file->let_go(); });
  constexpr bool kCycles = false;  // whether the samples tell of them was the recorder's to know
  maker->fill(profile, slices, {.begin_ns = head.begin_ns}, head.utc_begin_ns, kCycles, {});
  const int64_t duration_ns = std::max({int64_t{0}, profile.tally.last_ns - head.begin_ns,
                                        profile.cpu.last_ns - head.begin_ns, profile.python.last_ns - head.begin_ns});
  const wire::Header no_losses{};
  const SpoolState state{.bytes = static_cast<int64_t>(content->slices.size()), .lost_bytes = 0, .error = 0};
  profile.remarks = remarks_of(profile.tally, options_of(head, options), no_losses, state, 0, duration_ns);
  const bool whole = profile.tally.unread_bytes == 0 && is_whole(content->slices);
  profile.written = maker->finish(profile.remarks, duration_ns);
  if (profile.written && whole && unlink(spool_path.c_str()) == 0) profile.kept.clear();
  return profile;
}

std::vector<std::string> lines_of_left_spools(const std::string& output) {
  std::vector<std::string> lines;
  if (output.empty()) return lines;
  const std::filesystem::path path(output);
  const std::string stem = path.stem().string() + ".";
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(stem) || !name.contains(std::string(kSpoolEnding) + "-")) continue;
    const std::string left = (path.parent_path() / name).string();
    if (is_held(left)) continue;
    lines.push_back(fmt::format(
        "{} was left by a recorder that was killed; 'sonde record --recover {}' writes the profile", left, left));
  }
  return lines;
}

}  // namespace sonde::record
