#include "record/lines.h"

namespace sonde::record {

std::string line_of(const Remark& remark) {
  return fmt::format("{}{}", remark.warning ? "warning: " : "", remark.text);
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
