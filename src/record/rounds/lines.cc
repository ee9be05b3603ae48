#include "record/rounds/lines.h"

#include <fmt/ranges.h>

namespace sonde::record {

std::string line_of(const Remark& remark) {
  return fmt::format("{}{}", remark.warning ? "warning: " : "", remark.text);
}

std::string line_of_no_profile(const RoundOptions& options, const std::vector<std::string>& cuda_problems) {
  const CaptureOptions& capture = options.capture;
  switch (capture.trigger) {
    case wire::Trigger::cuda_profiler_api:
      if (!cuda_problems.empty()) {
        return fmt::format(
            "no profile was written: cudaProfilerStart(), which -c cudaProfilerApi waits for, could not be seen: {}",
            fmt::join(cuda_problems, "; "));
      }
      return "no profile was written: the program did not call cudaProfilerStart(), which -c cudaProfilerApi waits "
             "for; "
             "without -c, the whole run is recorded";
    case wire::Trigger::nvtx:
      return fmt::format(
          "no profile was written: no NVTX range '{}' of {} began, which -c nvtx waits for; --nvtx-capture '{}@*' "
          "accepts "
          "it "
          "in any domain; record without -c and run `sonde stats -r nvtx_sum` to list the ranges",
          capture.range,
          capture.any_domain       ? "any domain"
          : capture.domain.empty() ? "the default domain"
                                   : fmt::format("the domain '{}'", capture.domain),
          capture.range);
    case wire::Trigger::none: break;
  }
  return "no profile was written: the recording ended within its --delay";
}

std::vector<std::string> lines_of(const Profile& profile, size_t said) {
  std::vector<std::string> lines;
  for (size_t i = said; i < profile.remarks.size(); ++i) lines.push_back(line_of(profile.remarks[i]));
  if (profile.written) {
    lines.push_back(fmt::format("profile written to {}", profile.output));
  } else if (profile.kept.empty()) {
    lines.push_back(fmt::format("the profile {} was not written: {}", profile.output, profile.written.error().message));
  } else {
    lines.push_back(
        fmt::format("no profile was written: {}; the recorded events are in {}, which `sonde record --recover` reads",
                    profile.written.error().message, profile.kept));
  }
  return lines;
}

}  // namespace sonde::record
