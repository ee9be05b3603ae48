#include "record/record.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <limits>

#include "base/file.h"
#include "base/small_file.h"
#include "exporters/nsys_writer.h"
#include "exporters/output_file.h"
#include "record/cpu/cpu_recorder.h"
#include "record/cpu/cpu_remarks.h"
#include "record/drain.h"
#include "record/gpu_metrics/gpu_metrics_remarks.h"
#include "record/library_calls.h"
#include "record/library_remark.h"
#include "record/remarks.h"
#include "record/torch_remark.h"
#include "wire/kernel_record.h"

namespace sonde::record {
namespace {

/// The mapping holds what a million events a second write in 400 ms.
constexpr int64_t kBusySweepNs = 10'000'000;
constexpr int64_t kQuietSweepNs = 50'000'000;
constexpr int64_t kBusyBytes = 65536;  ///< of a sweep
/// What processes that go on are given to hand over what CUPTI still holds: some flushes of it.
constexpr int64_t kMostHandoverNs = 2'000'000'000;

/// About, for the progress: a range takes some 64 bytes of a recording, an OS call 32.
constexpr int64_t kBytesPerRow = 48;

int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

int64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }

/// When the recording began and ended, on CLOCK_MONOTONIC, and UTC at its begin.
struct Span {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t utc_begin = 0;
};

/// The variable's value with something more in front; both sorts of lists have colons.
std::string with_first(const char* variable, const std::string& first) {
  const char* own = getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment.
  return own == nullptr || *own == '\0' ? first : fmt::format("{}:{}", first, own);
}

/// g++'s AddressSanitizer ends a program that has a library loaded before its own, unless it is told not to look.
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

/// The program's life, and the recording within it.
class Run {
 public:
  Run(const RecordOptions& options, Mapping& mapping, Drain& drain, CpuRecorder& cpu)
      : options_(options), mapping_(mapping), drain_(drain), cpu_(cpu) {}

  /// Before the program starts: what it does first is recorded too.
  void prepare() {
    begin_at_ = monotonic_ns() + options_.delay_ns;
    if (options_.delay_ns == 0) begin();
  }

  void follow(Program& program) {
    int64_t wait_ns = kBusySweepNs;
    while (!over(program)) {
      program.wait(wait_ns);
      step(program);
      const int64_t bytes = drain_.sweep() + cpu_.drain(cpu_span());
      wait_ns = std::min(bytes > kBusyBytes ? kBusySweepNs : kQuietSweepNs, cpu_.patience_ns());
    }
    end();
    drain_.sweep();
    cpu_.finish(cpu_span());
  }

  [[nodiscard]] const Span& span() const { return span_; }

 private:
  [[nodiscard]] CpuSpan cpu_span() const {
    constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
    return {span_.begin != 0 ? span_.begin : kNever, span_.end != 0 ? span_.end : kNever};
  }

  [[nodiscard]] bool over(const Program& program) const {
    if (!program.ended()) return false;
    const bool wait_for_others = !options_.stop_on_exit && options_.duration_ns;
    return !wait_for_others || span_.end != 0 || program.told_to_end();
  }

  void step(Program& program) {
    const int64_t now = monotonic_ns();
    if (span_.begin == 0 && now >= begin_at_) begin();
    if (span_.begin == 0 || span_.end != 0 || !options_.duration_ns || now < span_.begin + *options_.duration_ns)
      return;
    end();
    await_cuda(program);
    if (options_.kill_signal != 0) program.send(options_.kill_signal);
  }

  /// The signal that ends the program may come only when what it did until now is here.
  void await_cuda(Program& program) {
    const int64_t until = monotonic_ns() + kMostHandoverNs;
    while (mapping_.header().cuda_active.load() + mapping_.header().samplers_active.load() > 0 && !program.ended() &&
           monotonic_ns() < until) {
      program.wait(kBusySweepNs);
      drain_.sweep();
    }
  }

  void begin() {
    span_.begin = monotonic_ns();
    span_.utc_begin = clock_ns(CLOCK_REALTIME);
    mapping_.set_phase(wire::Phase::recording);
  }

  void end() {
    if (span_.begin == 0) begin();  // the program was faster than the delay
    if (span_.end != 0) return;
    mapping_.set_phase(wire::Phase::ended);
    span_.end = monotonic_ns();
  }

  const RecordOptions& options_;
  Mapping& mapping_;
  Drain& drain_;
  CpuRecorder& cpu_;
  int64_t begin_at_ = 0;
  Span span_;
};

void describe(Trace& trace, const Span& span) {
  trace.fields = Fields::all();
  Rank rank;
  rank.file = "record";
  rank.format = "record";
  rank.product = "Sonde";
  rank.product_version = SONDE_VERSION;
  rank.utc_ns = span.utc_begin;
  rank.capture_start_ns = 0;
  rank.capture_end_ns = span.end - span.begin;
  rank.capture_clock_ns = span.begin;
  trace.ranks.push_back(rank);
}

void add_diagnostics(Trace& trace, const std::vector<Remark>& remarks, const Span& span) {
  constexpr int kInfo = 1;
  constexpr int kWarning = 2;
  for (const Remark& remark : remarks) {
    trace.diagnostics.start.push_back(span.end - span.begin);
    trace.diagnostics.severity.push_back(remark.warning ? kWarning : kInfo);
    trace.diagnostics.text.push_back(trace.names.intern(remark.text));
    trace.diagnostics.process.push_back(kNone);
  }
}

/// Makes the profile of what the spool holds.
Status write_profile(Recording& recording, const RecordOptions& options, const std::string& spool_path,
                     const Mapping& mapping, const SpoolWriter& spool, const Drain& drain, const CpuRecorder& cpu,
                     const Span& span) {
  const auto file = MappedFile::open(spool_path);
  if (!file) return std::unexpected(file.error());
  auto writer =
      NsysWriter::open(options.output, {.overwrite = options.overwrite, .inputs = {}, .progress = options.progress});
  if (!writer) return std::unexpected(writer.error());
  Trace trace;
  describe(trace, span);
  Status written;
  const Slices slices = ordered_slices(std::as_bytes(std::span(file->bytes())), [&file] { file->let_go(); });
  const auto write = [&](const Trace& part) {
    if (written) written = writer->add(part);
  };
  recording.tally = fill_trace(trace, slices, span.begin, write, options.measure.value_or(MeasureRequest()));
  if (options.complete_kernels != nullptr) options.complete_kernels(trace);
  Symbolizer symbolizer(trace, slices);
  recording.cpu = fill_cpu_events(trace, slices, symbolizer, {span.begin, span.end}, cpu.cycles(), write);
  if (options.wanted.gpu_metrics.any()) {
    recording.gpu_metrics = fill_gpu_metrics(trace, slices, span.begin, span.end, write);
    for (const SampledGpu& gpu : recording.gpu_metrics.gpus) recording.tally.gpu_samples += gpu.samples;
  }
  recording.tally.cpu_events = recording.cpu.samples + recording.cpu.switches;
  recording.remarks =
      remarks_of(recording.tally, options, mapping.header(), spool, drain.damaged(), span.end - span.begin);
  add_cpu_remarks(recording.remarks, recording.cpu, options.cpu, cpu);
  add_library_remark(recording.remarks, recording.tally, options);
  add_torch_remark(recording.remarks, recording.tally, options);
  if (options.wanted.gpu_metrics.any()) add_gpu_metrics_remarks(recording.remarks, recording, options.wanted);
  add_diagnostics(trace, recording.remarks, span);
  if (written) written = writer->add(trace);
  return written ? writer->finish(trace) : written;
}

}  // namespace

Result<Recording> record(const RecordOptions& options) {
  SONDE_TRY(check_target(options.output, {.overwrite = options.overwrite, .inputs = {}}));
  std::optional<RequestFile> request;
  if (options.measure) {
    auto file = RequestFile::create(*options.measure);
    if (!file) return std::unexpected(file.error());
    request.emplace(std::move(*file));
  }
  auto mapping = Mapping::create(options.wanted);
  if (!mapping) return std::unexpected(mapping.error());
  const std::string spool_path = unused_name(options.output + ".recording");
  auto spool = SpoolWriter::create(spool_path);
  if (!spool) return std::unexpected(spool.error());
  Drain drain(*mapping, *spool);
  CpuRecorder cpu(options.cpu, *spool);
  Run run(options, *mapping, drain, cpu);
  run.prepare();
  ProgramOptions words = injected(options, *mapping, request);
  if (options.cpu.any()) words.before_exec = [&](pid_t process) { cpu.open(process); };
  auto program = Program::start(words);
  if (!program) {
    unlink(spool_path.c_str());
    return std::unexpected(program.error());
  }
  run.follow(*program);
  Recording recording;
  recording.exit_code = program->exit_code();
  recording.signal = program->signal();
  options.progress->begin("writing " + options.output, spool->bytes() / kBytesPerRow, "rows");
  recording.written = write_profile(recording, options, spool_path, *mapping, *spool, drain, cpu, run.span());
  options.progress->end();
  if (recording.written) {
    unlink(spool_path.c_str());
  } else {
    recording.kept = spool_path;
  }
  return recording;
}

}  // namespace sonde::record
