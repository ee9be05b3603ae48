#include "cli/words/other_commands.h"

#include <algorithm>
#include <array>

namespace sonde {
namespace {

struct OtherCommand {
  std::string_view word;
  std::string_view answer;
};

constexpr std::array kOtherCommands = {
#define SONDE_OTHER_COMMAND(word, answer) OtherCommand{word, answer},
#include "cli/words/other_commands.inc"
#undef SONDE_OTHER_COMMAND
};

}  // namespace

std::string_view in_place_of(std::string_view command) {
  const auto* const found = std::ranges::find(kOtherCommands, command, &OtherCommand::word);
  return found == kOtherCommands.end() ? std::string_view() : found->answer;
}

}  // namespace sonde
