#include "cli/record/other_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <CLI/CLI.hpp>

namespace sonde::record_cli {
namespace {

struct Option {
  const char* names;
  const char* what;
};

constexpr auto kOptions = std::to_array<Option>({
    {"--gpu-metrics-device,--gpu-metrics-devices", "GPU metrics"},
    {"--gpu-metrics-set", "GPU metrics"},
    {"--gpu-metrics-frequency", "GPU metrics"},
});

constexpr std::array<std::string_view, 4> kOff = {"none", "false", "off", "0"};

}  // namespace

std::shared_ptr<OtherOptions> add_other_options(CLI::App& command) {
  auto given = std::make_shared<OtherOptions>();
  for (const Option& option : kOptions) {
    command
        .add_option_function<std::string>(
            option.names, [given, what = option.what](const std::string& value) { given->emplace_back(what, value); },
            fmt::format("taken as nsys has it; {} are not recorded yet", option.what))
        ->group("Not there yet");
  }
  return given;
}

std::vector<record::Remark> remarks_of(const OtherOptions& options) {
  std::vector<record::Remark> remarks;
  std::vector<std::string_view> said;
  for (const auto& [what, value] : options) {
    if (std::ranges::find(kOff, value) != kOff.end() || std::ranges::find(said, what) != said.end()) continue;
    said.push_back(what);
    remarks.push_back(
        {true, fmt::format("{} were asked for and are not recorded: sonde record does not do it yet", what)});
  }
  return remarks;
}

}  // namespace sonde::record_cli
