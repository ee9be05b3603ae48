#include "cli/tasks/profile_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/text/sentence.h"

namespace sonde::tasks {
namespace {

constexpr size_t kProfileWidth = 100;
/// Less is not worth a number.
constexpr double kLeastPercent = 0.5;

std::string finding_text(const Json& finding) {
  const auto percent = number_of(finding, "ceiling_percent");
  const std::string saves = percent && *percent >= kLeastPercent ? fmt::format(" (at most {:.0f} %)", *percent) : "";
  return fmt::format("- {}{} {}", text_of(finding, "says"), saves, text_of(finding, "do"));
}

/// Of one recording, in a sentence.
std::string head(const Json& profile) {
  const std::string state = text_of(profile, "state");
  const std::string attempt =
      fmt::format("attempt {} ({})", whole_of(profile, "attempt").value_or(0), text_of(profile, "why"));
  if (state == "recording") return fmt::format("Recorded now: {}.", attempt);
  if (state == "analysing") return fmt::format("Recorded, and being analysed: {}.", attempt);
  if (state == "failed") return fmt::format("The recording of {} failed: {}.", attempt, text_of(profile, "trouble"));
  const std::string file = text_of(profile, "file");
  return fmt::format("Recorded: {}{}.", attempt, file.empty() ? "" : ", " + file);
}

}  // namespace

std::string profiles_text(const Json& profiles, size_t width) {
  const size_t columns = width == 0 ? kProfileWidth : width;
  std::string text;
  for (const Json& profile : list_of(profiles, "profiles")) {
    text += "\n" + wrapped(head(profile), 0, columns);
    const Json& findings = list_of(profile, "findings");
    for (const Json& finding : findings) text += wrapped(finding_text(finding), 2, columns);
    if (findings.empty() && text_of(profile, "state") == "done") text += wrapped("Nothing was found.", 2, columns);
  }
  return text;
}

}  // namespace sonde::tasks
