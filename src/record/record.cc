#include "record/record.h"

#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "exporters/files/output_file.h"
#include "record/attach.h"
#include "record/cpu/cpu_recorder.h"
#include "record/gpu_metrics/gpu_metrics_remarks.h"
#include "record/library_calls.h"
#include "record/python/sampler.h"
#include "record/rounds/drain.h"
#include "record/rounds/file_limit.h"
#include "record/run.h"
#include "wire/kernel_record.h"

namespace sonde::record {
namespace {

/// The variable's value with something more in front; both sorts of lists have colons.
std::string with_first(const char* variable, const std::string& first) {
  const char* own = getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment.
  return own == nullptr || *own == '\0' ? first : fmt::format("{}:{}", first, own);
}

/// g++'s AddressSanitizer ends a program that has a library loaded before its own, unless it is asked not to look.
constexpr const char* kAnyOrder = "verify_asan_link_order=0";

ProgramOptions injected(const RecordOptions& options, const Mapping& mapping,
                        const std::optional<RequestFile>& request) {
  ProgramOptions program = options.program;
  program.environment.emplace_back(wire::kMappingVariable, mapping.place());
  if (request) program.environment.emplace_back(wire::kMeasureVariable, request->place());
  if (options.wanted.nvtx) program.environment.emplace_back("NVTX_INJECTION64_PATH", options.library);
  if (options.wanted.cuda || request || options.wanted.gpu_metrics.any()) {
    program.environment.emplace_back("CUDA_INJECTION64_PATH", options.library);
  }
  if (options.wanted.nccl.operations) program.environment.emplace_back(kNcclPluginVariable, options.library);
  if (!options.torch_folder.empty()) {
    program.environment.emplace_back("PYTHONPATH", with_first("PYTHONPATH", options.torch_folder));
  }
  if (!options.wanted.libraries.empty()) {
    program.environment.emplace_back(wire::kLibrariesVariable, library_list(options.wanted.libraries));
    program.environment.emplace_back("LD_AUDIT", with_first("LD_AUDIT", options.auditor));
    program.environment.emplace_back(kLoaderVariable, with_first(kLoaderVariable, kRoomForThreadVariables));
  }
  if (options.wanted.preloads()) {
    program.environment.emplace_back("LD_PRELOAD", with_first("LD_PRELOAD", options.library));
    program.environment.emplace_back("ASAN_OPTIONS", with_first("ASAN_OPTIONS", kAnyOrder));
  }
  return program;
}

Result<Program> attached(const RecordOptions& options, const Mapping& mapping,
                         const std::function<Status(pid_t)>& prepare) {
  auto program = Program::follow(options.attach_to);
  if (!program) return program;
  if (const Status ready = prepare(options.attach_to); !ready) return std::unexpected(ready.error());
  const Status came = attach_to(options.attach_to, mapping, options.library);
  if (!came) return std::unexpected(came.error());
  return program;
}

std::string default_session(const RecordOptions& options) {
  return fmt::format("{}-{}", options.launch ? "launch" : "record", getpid());
}

/// A recording continues without a session, unless one was asked for.
Result<std::optional<Session>> open_session(const RecordOptions& options) {
  auto session = Session::open(options.session.empty() ? default_session(options) : options.session);
  if (session) return std::optional(std::move(*session));
  if (options.launch || !options.session.empty()) return std::unexpected(session.error());
  return std::optional<Session>();
}

}  // namespace

std::string output_of(std::string name, pid_t process) {
  for (size_t at = name.find(kProcessMacro); at != std::string::npos; at = name.find(kProcessMacro, at)) {
    name.replace(at, kProcessMacro.size(), std::to_string(process));
  }
  return name;
}

Result<Recording> record(const RecordOptions& options) {
  RecordOptions own = options;                         // its output gets the number of the process
  std::optional<FileLimitGuard> guard(std::in_place);  // until the program has its own; it must not get this one
  std::optional<RequestFile> request;
  if (own.measure) {
    auto file = RequestFile::create(*own.measure);
    if (!file) return std::unexpected(file.error());
    request.emplace(std::move(*file));
  }
  auto mapping = Mapping::create(own.wanted);
  if (!mapping) return std::unexpected(mapping.error());
  auto session = open_session(own);
  if (!session) return std::unexpected(session.error());
  Rounds rounds(own, *mapping);
  Drain drain(*mapping, rounds);
  CpuRecorder cpu(own.cpu, rounds, [&rounds] { return rounds.on(); });
  rounds.watch(cpu);
  PythonSampler python(own.python, rounds, [&rounds] { return rounds.on(); });
  Run run(own, *mapping, rounds, {&drain, &cpu, &python}, *session ? &**session : nullptr);
  const auto prepare = [&](pid_t process) -> Status {
    own.output = output_of(own.output, process);
    if (!own.launch) SONDE_TRY(check_target(own.output, {.overwrite = own.overwrite, .inputs = {}}));
    run.prepare();
    if (own.cpu.any() && rounds.opened()) cpu.open(process);
    if (rounds.opened()) python.open(process);
    return rounds.opened();
  };
  guard.reset();
  const auto begin = [&] {
    if (own.attach_to != 0) return attached(own, *mapping, prepare);
    ProgramOptions words = injected(own, *mapping, request);
    words.before_exec = prepare;
    return Program::start(words);
  };
  auto program = begin();
  if (!program) {
    run.give_up();
    return std::unexpected(program.error());
  }
  Recording recording;
  run.follow(*program, recording);
  if (!program->is_own()) return recording;
  recording.exit_code = program->exit_code();
  recording.signal = program->signal();
  return recording;
}

}  // namespace sonde::record
