#include "record/run.h"

#include <algorithm>
#include <limits>

#include <fmt/ranges.h>

#include "base/system/clock.h"
#include "base/time_units.h"
#include "record/left_processes.h"
#include "record/remarks.h"
#include "record/rounds/lines.h"
#include "wire/rounds.h"

namespace sonde::record {
namespace {

/// The mapping holds what a million events a second write in 400 ms.
constexpr int64_t kBusySweepNs = 10'000'000;
constexpr int64_t kQuietSweepNs = 50'000'000;
constexpr int64_t kBusyBytes = 65536;  ///< of a sweep

Answer refused(std::string why) { return {.done = false, .lines = {std::move(why)}}; }

Answer refused_for_good() { return refused("the session is shut down; its program is no longer recorded"); }

}  // namespace

Run::Run(const RecordOptions& options, Mapping& mapping, Rounds& rounds, std::vector<Source*> sources, Session* session)
    : options_(options),
      mapping_(mapping),
      rounds_(rounds),
      sources_(std::move(sources)),
      session_(session),
      collection_(rounds),
      started_ns_(monotonic_ns()) {}

void Run::prepare() {
  if (!options_.launch) collection_.start(options_, monotonic_ns());
}

void Run::follow(Program& program, Recording& recording) {
  int64_t wait_ns = kBusySweepNs;
  while (!over(program)) {
    program.wait(wait_ns);
    forward_signals(program);
    const EndSignal signal = collection_.step(monotonic_ns(), mapping_.header().first_cuda.load());
    if (ended_ns_ == 0 && !collection_.active()) ended_ns_ = monotonic_ns();
    if (collection_.closed() || is_done_with_cuda()) close();
    if (signal.number != 0 && !program.ended()) end_program(program, signal);
    wait_ns = std::min(look() > kBusyBytes ? kBusySweepNs : kQuietSweepNs, patience_ns());
    rounds_.make_profiles();
    report_profiles(recording);
    obey(program);
  }
  collection_.complete();
  if (program.crash() != 0) remark(remark_of_crash(program.crash()));
  close();
  rounds_.hurry();
  look();
  for (Source* source : sources_) source->finish();
  look();
  rounds_.finish();
  report_profiles(recording);
  remark_late_cuda();
  if (program.is_own()) remark_left_processes();
  recording.cancelled = cancelled_;
  recording.why_none = why_none();
  recording.remarks = std::move(unsaid_);
}

void Run::end_program(Program& program, const EndSignal& signal) {
  remark(remark_of_sent(signal.number, signal.because));
  await_cuda(program);
  program.send(signal.number);
}

/// Of a program that went on when it was no longer recorded.
void Run::remark_late_cuda() {
  const int64_t first = mapping_.header().first_cuda.load();
  if (!options_.wanted.cuda || options_.launch || first == 0 || ended_ns_ == 0 || first < ended_ns_) return;
  unsaid_.push_back(remark_of_late_cuda(first - started_ns_, ended_ns_ - started_ns_));
}

/// They are the program's own: the recorder starts none.
void Run::remark_left_processes() {
  const std::string running = still_running(rounds_.processes());
  if (running.empty()) return;
  unsaid_.push_back(
      {false, fmt::format("the program has ended, and processes that it started still run: {}", running)});
}

void Run::remark(Remark remark) {
  rounds_.remark(remark);
  unsaid_.push_back(std::move(remark));
}

void Run::give_up() {
  collection_.cancel();
  rounds_.hurry();
  look();
  look();
}

bool Run::over(const Program& program) const {
  if (!program.is_own() && closed_ && !rounds_.busy()) return true;
  if (!program.ended()) return false;
  const bool wait_for_others =
      collection_.active() && !collection_.options().stop_on_exit && collection_.options().duration_ns;
  return !wait_for_others || program.asked_to_end();
}

int64_t Run::look() {
  int64_t bytes = 0;
  int64_t damaged = 0;
  for (Source* source : sources_) {
    bytes += source->sweep();
    damaged += source->damaged();
  }
  rounds_.settle(damaged);
  return bytes;
}

int64_t Run::patience_ns() const {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const Source* source : sources_) least = std::min(least, source->patience_ns());
  return least;
}

/// What `sonde launch` started may be recorded again.
bool Run::is_done_with_cuda() const { return options_.wanted.cuda && !options_.launch && !collection_.active(); }

void Run::await_cuda(Program& program) {
  const int64_t until = monotonic_ns() + kMaxHandoverNs;
  while (handing_over(mapping_.header()) > 0 && !program.ended() && monotonic_ns() < until) {
    program.wait(kBusySweepNs);
    look();
  }
}

void Run::forward_signals(Program& program) {
  for (int signal = program.take_signal(); signal != 0; signal = program.take_signal()) {
    if (!program.is_own()) {
      leave();
      continue;
    }
    fetch_cuda(program);
    program.send(signal);
  }
}

/// The program goes on; what was recorded becomes a profile.
void Run::leave() {
  if (collection_.active()) collection_.stop();
  close();
}

/// A process that hangs must not keep the signal from the program for long.
void Run::fetch_cuda(Program& program) {
  constexpr int64_t kMaxFetchNs = 500'000'000;
  wire::Header& header = mapping_.header();
  const uint32_t holding = header.cuda_active.load();
  if (holding == 0) return;
  const uint32_t before = header.fetches_done.load();
  header.fetches_asked.fetch_add(1, std::memory_order_release);
  const int64_t until = monotonic_ns() + kMaxFetchNs;
  while (header.fetches_done.load() - before < holding && !program.ended() && monotonic_ns() < until) {
    program.wait(kBusySweepNs);
    look();
  }
}

void Run::close() {
  if (closed_) return;
  closed_ = true;
  wire::set_phase(mapping_.header(), wire::Phase::ended);
}

void Run::report_profiles(Recording& recording) {
  for (const Profile& profile : rounds_.take_profiles()) {
    ++(profile.written ? recording.profiles : recording.failed);
    std::erase_if(unsaid_, [&](const Remark& remark) {
      return std::ranges::find(profile.remarks, remark) != profile.remarks.end();
    });
    all_written_ = all_written_ && profile.written.has_value();
    for (std::string& line : lines_of(profile, options_.remarks.size())) report_lines_.push_back(std::move(line));
    if (options_.made) options_.made(profile);
  }
  if (!rounds_.busy()) answer_stops();
}

std::string Run::why_none() const { return line_of_no_profile(collection_.options(), rounds_.cuda_problems()); }

void Run::answer_stops() {
  if (stops_.empty()) return;
  const bool done = all_written_ && !report_lines_.empty();
  if (report_lines_.empty()) report_lines_.push_back(why_none());
  for (const int connection : stops_) session_->answer(connection, {.done = done, .lines = report_lines_});
  stops_.clear();
}

void Run::obey(Program& program) {
  if (session_ == nullptr) return;
  while (const auto asked = session_->next()) obey(program, *asked);
}

void Run::obey(Program& program, const Session::Asked& asked) {
  switch (asked.request.verb) {
    case Verb::status: return session_->answer(asked.connection, status());
    case Verb::start: return session_->answer(asked.connection, start(program, asked));
    case Verb::cancel: return session_->answer(asked.connection, cancel());
    case Verb::shutdown: return session_->answer(asked.connection, shut_down(program, asked.request.signal));
    case Verb::stop: break;
  }
  if (!collection_.active()) {
    return session_->answer(
        asked.connection,
        closed_ ? refused_for_good() : refused("nothing is being recorded; 'sonde start' starts a recording"));
  }
  collection_.stop();
  stops_.push_back(asked.connection);
}

Answer Run::start(const Program& program, const Session::Asked& asked) {
  if (closed_) return refused_for_good();
  if (collection_.active()) return refused("a recording is already running; run 'sonde stop' or 'sonde cancel' first");
  RoundOptions round = asked.request.round;
  round.output = output_of(round.output, program.number());
  const uint32_t missing = round.only == ~0U ? 0 : round.only & ~mapping_.header().wanted;
  round.only |= wire::kWantMetrics | wire::kWantGpuMetrics | wire::kWantNccl;  // -t does not name them
  if (missing != 0) {
    return refused("the program was not launched with all that -t selects; pass the same -t to sonde launch");
  }
  report_lines_.clear();
  all_written_ = true;
  collection_.start(round, monotonic_ns());
  if (!rounds_.opened()) {
    const std::string why = rounds_.opened().error().message;
    collection_.cancel();
    return refused(why);
  }
  return {.done = true, .lines = {}};
}

Answer Run::cancel() {
  if (!collection_.active()) return refused("nothing is being recorded");
  collection_.cancel();
  cancelled_ = true;
  return {.done = true, .lines = {"the recording since the start is discarded"}};
}

Answer Run::shut_down(Program& program, int signal) {
  const bool was_active = collection_.active();
  if (was_active) static_cast<void>(cancel());
  close();
  if (signal != 0) program.send(signal);  // nothing is made of what CUPTI holds
  std::vector<std::string> lines;
  if (was_active) lines.emplace_back("the running recording is discarded");
  return {.done = true, .lines = std::move(lines)};
}

Answer Run::status() const {
  return {.done = true,
          .lines = {std::string(closed_ ? "shut down" : collection_.state()),
                    std::string(options_.launch ? "launch" : "record"),
                    fmt::format("{}", (monotonic_ns() - started_ns_) / kNsPerSecond),
                    collection_.active() ? collection_.options().output : "",
                    fmt::format("{}", fmt::join(options_.program.words, " "))}};
}

}  // namespace sonde::record
