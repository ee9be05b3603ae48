#include "analyses/kernels/kernel_choice.h"

#include <charconv>
#include <memory>
#include <regex>

#include <boost/unordered/unordered_flat_map.hpp>

namespace sonde {
namespace {

/// Matches each distinct name once.
class NameMatcher {
 public:
  explicit NameMatcher(const std::string& pattern) : pattern_(pattern) {}

  bool matches(const Trace& trace, NameId name) {
    const auto [found, is_new] = known_.try_emplace(name, false);
    if (is_new) {
      const std::string_view text = trace.name(name);
      found->second = std::regex_search(text.begin(), text.end(), pattern_);
    }
    return found->second;
  }

 private:
  std::regex pattern_;
  boost::unordered_flat_map<NameId, bool> known_;
};

}  // namespace

Result<KernelChoice> parse_kernel_choice(const std::string& text) {
  constexpr std::string_view kRegex = "regex:";
  if (text.empty()) return [](const KernelLaunch&) { return true; };
  int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error == std::errc() && end == text.data() + text.size()) {
    return [id](const KernelLaunch& launch) { return launch.id == id; };
  }
  try {
    const std::string pattern = text.starts_with(kRegex) ? text.substr(kRegex.size()) : text;
    auto matcher = std::make_shared<NameMatcher>(pattern);
    return [matcher](const KernelLaunch& launch) { return matcher->matches(*launch.trace, launch.name()); };
  } catch (const std::regex_error& e) {
    return fail("--kernel '{}' is neither a launch ID nor a valid regular expression: {}", text, e.what());
  }
}

}  // namespace sonde
