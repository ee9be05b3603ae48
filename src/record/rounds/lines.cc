#include "record/rounds/lines.h"

namespace sonde::record {

std::string line_of(const Remark& remark) {
  return fmt::format("{}{}", remark.warning ? "warning: " : "", remark.text);
}

std::string line_of_no_profile(const RoundOptions& options) {
  const CaptureOptions& capture = options.capture;
  switch (capture.trigger) {
    case wire::Trigger::cuda_profiler_api:
      return "there is no profile: the program did not call cudaProfilerStart(), which -c cudaProfilerApi waits for; "
             "without -c all of it is recorded";
    case wire::Trigger::nvtx:
      return fmt::format(
          "there is no profile: no NVTX range '{}' of {} began, which -c nvtx waits for; --nvtx-capture '{}@*' takes "
          "it "
          "of any domain, and without -c sonde stats -r nvtx_sum shows which there are",
          capture.range,
          capture.any_domain       ? "any domain"
          : capture.domain.empty() ? "the default domain"
                                   : fmt::format("the domain '{}'", capture.domain),
          capture.range);
    case wire::Trigger::none: break;
  }
  return "there is no profile: the recording ended before its --delay was over";
}

std::vector<std::string> lines_of(const Profile& profile, size_t said) {
  std::vector<std::string> lines;
  for (size_t i = said; i < profile.remarks.size(); ++i) lines.push_back(line_of(profile.remarks[i]));
  if (profile.written) {
    lines.push_back(fmt::format("the profile is {}", profile.output));
  } else if (profile.kept.empty()) {
    lines.push_back(fmt::format("there is no profile {}: {}", profile.output, profile.written.error().message));
  } else {
    lines.push_back(fmt::format("there is no profile: {}; what was recorded is in {}; sonde record --recover reads it",
                                profile.written.error().message, profile.kept));
  }
  return lines;
}

}  // namespace sonde::record
