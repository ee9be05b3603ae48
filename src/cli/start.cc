#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/output.h"
#include "cli/record/control_options.h"
#include "cli/record/traces.h"
#include "cli/session/ask.h"
#include "exporters/output_file.h"

namespace sonde {
namespace {

struct Arguments {
  record_cli::ControlArguments control;
  std::vector<std::string> traces;
  std::optional<std::string> session;
};

Result<record::Request> request_of(const Arguments& arguments) {
  auto round = record_cli::round_of(arguments.control);
  if (!round) return std::unexpected(round.error());
  round->output = std::filesystem::absolute(round->output).string();  // the recorder is in another folder
  SONDE_TRY(check_target(round->output, {.overwrite = round->overwrite, .inputs = {}}));
  if (!arguments.traces.empty()) {
    const auto traces = record_cli::read_traces(arguments.traces);
    if (!traces) return std::unexpected(traces.error());
    round->only = record::wanted_bits(
        {.nvtx = traces->nvtx, .os_calls = traces->os_calls, .cuda = traces->cuda, .libraries = traces->libraries});
    for (const record::Remark& remark : traces->remarks) complain(remark.text);
  }
  return record::Request{.verb = record::Verb::start, .round = *round};
}

int run(const Arguments& arguments) {
  const auto request = request_of(arguments);
  if (!request) return report_error(request.error());
  return session_cli::ask(arguments.session, *request);
}

void set_up(CLI::App& command, int& exit_code) {
  const auto a = std::make_shared<Arguments>();
  record_cli::add_control_options(command, a->control);
  command
      .add_option("-t,--trace", a->traces,
                  "record only this of what the program was launched for: " + record_cli::trace_help())
      ->delimiter(',')
      ->allow_extra_args(false);
  session_cli::add_session_option(command, a->session);
  command.callback([a, &exit_code] { exit_code = run(*a); });
}

}  // namespace

extern const Command start_command;
const Command start_command = {"start", "Begin to record a program that runs under 'sonde launch'",
                               "sonde start -o step --duration 5", &set_up, true};

}  // namespace sonde
