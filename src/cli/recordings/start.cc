#include <filesystem>
#include <memory>

#include "cli/output.h"
#include "cli/record/control_options.h"
#include "cli/record/other_options.h"
#include "cli/record/output_check.h"
#include "cli/record/traces.h"
#include "cli/session/ask.h"
#include "record/rounds/lines.h"

namespace sonde {
namespace start_cli {
namespace {

struct Arguments {
  record_cli::ControlArguments control;
  std::vector<std::string> traces;
  std::optional<std::string> session;
  std::shared_ptr<record_cli::OtherOptions> others;
};

Result<record::Request> request_of(const Arguments& arguments) {
  auto round = record_cli::round_of(arguments.control);
  if (!round) return std::unexpected(round.error());
  round->output = std::filesystem::absolute(round->output).string();  // the recorder is in another folder
  SONDE_TRY(record_cli::check_output(*round));
  std::vector<record::Remark> remarks;
  SONDE_TRY(record_cli::answer_others(*arguments.others, remarks));
  const auto of_control = record_cli::control_remarks(arguments.control, round->output);
  remarks.insert(remarks.end(), of_control.begin(), of_control.end());
  if (!arguments.traces.empty()) {
    const auto traces = record_cli::read_traces(arguments.traces);
    if (!traces) return std::unexpected(traces.error());
    round->only = record::wanted_bits(
        {.nvtx = traces->nvtx, .os_calls = traces->os_calls, .cuda = traces->cuda, .libraries = traces->libraries});
    remarks.insert(remarks.end(), traces->remarks.begin(), traces->remarks.end());
  }
  for (const record::Remark& remark : remarks) complain(record::line_of(remark));
  return record::Request{.verb = record::Verb::start, .round = *round};
}

int run(const Arguments& arguments) {
  const auto request = request_of(arguments);
  if (!request) return report_error(request.error());
  return session_cli::ask(arguments.session, *request);
}

void set_up(CommandLine& command) {
  const auto a = std::make_shared<Arguments>();
  a->control.kill_of_duration = "none";  // the program was there before, and stop leaves it too
  record_cli::add_control_options(command, a->control);
  command
      .option("-t,--trace", a->traces, "LIST",
              "record only these of the traces of 'sonde launch': " + record_cli::trace_help())
      .list();
  session_cli::add_session_option(command, a->session);
  a->others = record_cli::add_other_options(command);
  command.runs([a] { return run(*a); });
}

}  // namespace
}  // namespace start_cli

extern const Command start_command;
const Command start_command{"start",
                            "Start recording a program that runs under 'sonde launch'",
                            "sonde start -o step --duration 5",
                            start_cli::set_up,
                            CommandGroup::record,
                            {},
                            true};

}  // namespace sonde
