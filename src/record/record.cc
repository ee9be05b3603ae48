#include "record/record.h"

#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "exporters/output_file.h"
#include "record/drain.h"
#include "record/run.h"

namespace sonde::record {
namespace {

/// The variable's value with something more in front; both sorts of lists have colons.
std::string with_first(const char* variable, const std::string& first) {
  const char* own = getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment.
  return own == nullptr || *own == '\0' ? first : fmt::format("{}:{}", first, own);
}

/// g++'s AddressSanitizer ends a program that has a library loaded before its own, unless it is told not to look.
constexpr const char* kAnyOrder = "verify_asan_link_order=0";

ProgramOptions injected(const RecordOptions& options, const Mapping& mapping) {
  ProgramOptions program = options.program;
  program.environment.emplace_back(wire::kMappingVariable, mapping.place());
  if (options.wanted.nvtx) program.environment.emplace_back("NVTX_INJECTION64_PATH", options.library);
  if (options.wanted.os_calls) {
    program.environment.emplace_back("LD_PRELOAD", with_first("LD_PRELOAD", options.library));
    program.environment.emplace_back("ASAN_OPTIONS", with_first("ASAN_OPTIONS", kAnyOrder));
  }
  return program;
}

std::string default_session(const RecordOptions& options) {
  return fmt::format("{}-{}", options.launch ? "launch" : "record", getpid());
}

/// A recording goes on without a session, unless one was asked for.
Result<std::optional<Session>> open_session(const RecordOptions& options) {
  auto session = Session::open(options.session.empty() ? default_session(options) : options.session);
  if (session) return std::optional(std::move(*session));
  if (options.launch || !options.session.empty()) return std::unexpected(session.error());
  return std::optional<Session>();
}

}  // namespace

Result<Recording> record(const RecordOptions& options) {
  if (!options.launch) SONDE_TRY(check_target(options.output, {.overwrite = options.overwrite, .inputs = {}}));
  auto mapping = Mapping::create(options.wanted);
  if (!mapping) return std::unexpected(mapping.error());
  auto session = open_session(options);
  if (!session) return std::unexpected(session.error());
  Rounds rounds(options, *mapping);
  Drain drain(*mapping, rounds);
  Run run(options, *mapping, rounds, {&drain}, *session ? &**session : nullptr);
  run.prepare();
  if (!rounds.opened()) return std::unexpected(rounds.opened().error());
  auto program = Program::start(injected(options, *mapping));
  if (!program) {
    run.give_up();
    return std::unexpected(program.error());
  }
  Recording recording;
  run.follow(*program, recording);
  recording.exit_code = program->exit_code();
  recording.signal = program->signal();
  return recording;
}

}  // namespace sonde::record
