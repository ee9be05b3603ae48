#include <algorithm>
#include <array>

#include <fmt/args.h>
#include <fmt/format.h>

#include "doctor/check.h"

namespace sonde::doctor {
namespace {

struct Text {
  std::string_view id;
  std::string_view subject;
  std::string_view what;
  std::string_view fix;
};

constexpr auto kTexts = std::to_array<Text>({
#define SONDE_DOCTOR_TEXT(id, subject, what, fix) {id, subject, what, fix},
#include "doctor/texts_en.inc"
});

std::string filled(std::string_view text, const std::vector<std::string>& values) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const std::string& value : values) store.push_back(value);
  return fmt::vformat(text, store);
}

}  // namespace

void Findings::say(Outcome outcome, std::string_view id, const std::vector<std::string>& values) {
  const Text& text = *std::ranges::find(kTexts, id, &Text::id);
  findings_.push_back({outcome, filled(text.subject, values), filled(text.what, values), filled(text.fix, values)});
}

}  // namespace sonde::doctor
