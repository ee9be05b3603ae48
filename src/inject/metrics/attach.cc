#include "inject/metrics/attach.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>

#include "inject/attachment.h"
#include "inject/cupti/profiler_range.h"
#include "inject/cupti/subscriber.h"
#include "inject/cupti/timeline.h"
#include "inject/driver.h"
#include "inject/exit_order.h"
#include "inject/instructions/counter.h"
#include "inject/metrics/base_name.h"
#include "inject/metrics/kinds.h"
#include "inject/metrics/launch.h"
#include "inject/metrics/range_filter.h"
#include "inject/metrics/report_kernels.h"
#include "inject/metrics/session.h"
#include "inject/metrics/settings.h"
#include "inject/pc_sampling/attach.h"
#include "inject/pc_sampling/report_pc_samples.h"
#include "inject/pc_sampling/sampler.h"

namespace sonde::inject::metrics {
namespace {

using cupti::CallbackData;
using cupti::Domain;

constinit Profiler profiler;
constinit Guarded<Result(void* context, void* stream, uint8_t per_thread, uint32_t* id)> stream_id;

/// Another launch would be counted with one that is measured. So a measured one holds this alone, from its begin to its
/// end, and any other together with its like. Nobody waits for it without end: a launch may itself wait for what
/// another thread is to launch.
pthread_rwlock_t launching = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
constexpr int64_t kMaxWaitNs = 1'000'000'000;
constexpr uint32_t kMaxWaits = 8;  ///< too long ones while nothing came to be measured; then nothing more is

/// Of `state` and `kinds`; never held across a call of the program's.
pthread_mutex_t deciding = PTHREAD_MUTEX_INITIALIZER;

/// What a launch holds of `launching`, in the word that CUPTI keeps for it.
enum class Hold : uint64_t { none, shared, alone };

constinit std::atomic<uint32_t> waits{0};         ///< that took too long
constinit std::atomic<uint32_t> waits_in_row{0};  ///< those since the last launch that was measured
constinit std::atomic<bool> over{false};
constinit std::atomic<void*> measured_context{nullptr};
constinit std::atomic<bool> disturbed{false};  ///< another launch came beside the measured one

struct Context {
  void* context = nullptr;
  uint32_t id = 0;  ///< CUPTI's: another context may come to lie where this one was
  bool usable = false;
  Session session;
};
constexpr uint32_t kMaxContexts = 64;  ///< programs have one a GPU

/// What to do with a launch.
struct Decision {
  Work work = Work::none;
  LaunchKind* kind = nullptr;  ///< where kinds matter
  bool in_place = false;       ///< for the kernel of the kind's that was measured before
};

struct State {
  Context contexts[kMaxContexts];
  uint32_t context_count = 0;
  uint64_t matching = 0;  ///< launches so far that are of the wanted kernels
  std::atomic<uint64_t> measured{0};
  bool reported_graphs = false;
  bool reported_capture = false;
  bool reported_collective = false;
  bool reported_contexts = false;
  bool reported_kinds = false;
  bool reported_empty = false;
  std::atomic<uint32_t> awaiting{0};           ///< kinds that await more
  std::atomic<uint32_t> looks{0};              ///< at launches while all was measured and more of it was waited for
  std::atomic<bool> samples_over{false};       ///< none can be taken: the reason was reported
  std::atomic<bool> instructions_over{false};  ///< the same of their counts
  uint64_t samplings = 0;
  Context* running = nullptr;
  Decision decision;
  pc_sampling::Sampler sampler;
  instructions::Counter counter;
  Launch launch;
  const char* name = nullptr;
  int64_t time = 0;
};
constinit State state;

bool has_wanted_name(const Settings& wanted, const char* mangled) noexcept {
  if (!wanted.has_kernel) return true;
  const Part base = base_name(mangled);
  char name[1024];
  const size_t bytes = base.bytes < sizeof name - 1 ? base.bytes : sizeof name - 1;
  memcpy(name, base.data, bytes);
  name[bytes] = '\0';
  return regexec(&wanted.kernel, name, 0, nullptr, 0) == 0;
}

/// Where there is a list: whether it names the function where the thread is.
bool is_listed(const Settings& wanted, const char* mangled) noexcept {
  if (!wanted.is_listed) return true;
  const uint64_t here = place();
  const Part base = base_name(mangled);
  const Settings::Listed* const end = wanted.listed + wanted.listed_count;
  return std::ranges::any_of(static_cast<const Settings::Listed*>(wanted.listed), end, [&](const auto& listed) {
    return (listed.anywhere || listed.place == here) && strlen(listed.function) == base.bytes &&
           memcmp(listed.function, base.data, base.bytes) == 0;
  });
}

/// Each once.
void report_first(bool& reported, wire::MeasureState what, const char* text = "") noexcept {
  if (!reported) report(what, text);
  reported = true;
}

bool has_beginning(const Part& name, const char* beginning) noexcept {
  const size_t bytes = strlen(beginning);
  return name.bytes >= bytes && memcmp(name.data, beginning, bytes) == 0;
}

/// It waits for kernels elsewhere, which do not run again when it does.
bool is_collective(const Launch& launch, const char* mangled) noexcept {
  const Part name = base_name(mangled);
  if (!launch.is_cooperative && !has_beginning(name, "nccl") && !has_beginning(name, "nvshmem")) return false;
  report_first(state.reported_collective, wire::MeasureState::collective, mangled);
  return true;
}

/// Into a graph, which runs later.
bool is_captured(void* stream) noexcept {
  constexpr int kCaptureImplicit = 906;  // CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: of the legacy stream, another is
  uint32_t status = 0;
  const Driver& driver = the_driver();
  const int result = driver.is_capturing(stream, &status);
  if (result != kCaptureImplicit && (result != 0 || status == 0)) return false;
  report_first(state.reported_capture, wire::MeasureState::captured);
  return true;
}

Possible possible(const Settings& wanted) noexcept {
  return {.counters = wanted.name_count > 0,
          .samples = wanted.samples && !state.samples_over.load(),
          .instructions = wanted.instructions && !state.instructions_over.load()};
}

bool has_all(const Settings& wanted) noexcept { return state.measured.load() >= wanted.count; }

void let_await(LaunchKind& kind, Work work) noexcept {
  const bool awaited = kind.awaits != Work::none;
  if (awaited != (work != Work::none)) state.awaiting.fetch_add(awaited ? ~0U : 1);
  kind.awaits = work;
}

/// Of the thread's context.
uint32_t device_here() noexcept {
  int device = 0;
  const Driver& driver = the_driver();
  const bool known = driver.current_device(&device) == 0;
  return known ? static_cast<uint32_t>(device) : wire::kNotGiven;
}

/// The first, where the driver did not tell.
uint32_t number_of(uint32_t device) noexcept { return device == wire::kNotGiven ? 0 : device; }

uint32_t round() noexcept { return attachment.header->rounds.begun.load(std::memory_order_relaxed); }

/// What the kind awaits, of what is still possible. A kernel of a round before is in another profile.
Work awaited(LaunchKind& kind, const Possible& can) noexcept {
  if (kind.round != round()) let_await(kind, Work::none);
  if (kind.awaits != Work::none && !can.has(kind.awaits)) let_await(kind, work_behind(kind.awaits, can));
  return kind.awaits;
}

/// What to do with a launch that may be measured.
Decision decide_on(const Settings& wanted, const Launch& launch) noexcept {
  const Possible can = possible(wanted);
  const bool matters = wanted.each != ~0U || has_several(can);
  LaunchKind* const kind = matters ? kind_of(launch, device_here()) : nullptr;
  if (matters && kind == nullptr) report_first(state.reported_kinds, wire::MeasureState::kinds);
  if (kind != nullptr && awaited(*kind, can) != Work::none) return {kind->awaits, kind, true};
  if (state.matching++ < wanted.skip || has_all(wanted)) return {};
  if (wanted.each != ~0U && (kind == nullptr || kind->measured++ >= wanted.each)) return {};
  return {work_behind(Work::none, can), kind, false};
}

bool may_be_measured(const Settings& wanted, const Launch& launch, const char* mangled) noexcept {
  if (!records(wire::kWantMetrics) || !has_wanted_name(wanted, mangled)) return false;
  if (!is_listed(wanted, mangled) || !in_range()) return false;
  return !is_collective(launch, mangled) && !is_captured(launch.waited_stream);
}

/// Within cuInit() CUPTI's profiler cannot be initialized: it gives 999 there, and 0 once there is a context (seen on
/// an H100). So this is done at the first launch to be measured, by the thread that holds `launching` alone. It is
/// tried twice: other tools may be about to leave.
bool is_initialized() noexcept {
  static constinit bool done = false;
  static constinit uint32_t tries = 0;
  constexpr uint32_t kMaxTries = 2;
  if (done || tries == kMaxTries) return done;
  cupti::open_helpers(*cupti::library());
  InitializeParams params;
  const Result result = profiler.initialize(&params);
  done = result == Result::ok;
  if (done || ++tries < kMaxTries) return done;
  report_failure("cuptiProfilerInitialize", static_cast<int32_t>(result));
  over.store(true);
  return false;
}

/// By the thread that holds `launching` alone.
Context* context_of(const Settings& wanted, void* context, uint32_t id) noexcept {
  for (uint32_t i = 0; i < state.context_count; ++i) {
    if (state.contexts[i].context == context && state.contexts[i].id == id) return &state.contexts[i];
  }
  if (state.context_count == kMaxContexts) {
    report_first(state.reported_contexts, wire::MeasureState::contexts);
    return nullptr;
  }
  Context& fresh = state.contexts[state.context_count++];
  fresh.context = context;
  fresh.id = id;
  fresh.usable = fresh.session.open(profiler, wanted, context, static_cast<int>(number_of(device_here())));
  return &fresh;
}

void describe(Launch& launch, const CallbackData& data) noexcept {
  add_function_facts(launch);
  launch.kernel.device = device_here();
  launch.kernel.context = data.context_id;
  const uint8_t is_per_thread = launch.waited_stream != launch.stream ? 1 : 0;
  const bool reported = stream_id(data.context, launch.stream, is_per_thread, &launch.kernel.stream) == Result::ok;
  if (!reported) launch.kernel.stream = wire::kNotGiven;
}

Decision decide(const Settings& wanted, const Launch& launch, const CallbackData& data) noexcept {
  const char* const name = data.symbol == nullptr ? "" : data.symbol;
  pthread_mutex_lock(&deciding);
  const bool may = may_be_measured(wanted, launch, name);
  const Decision decision = may ? decide_on(wanted, launch) : Decision{};
  pthread_mutex_unlock(&deciding);
  return decision;
}

/// What was decided is done, for that kernel; the kind awaits what comes behind it.
void go_on(const Settings& wanted, uint64_t kernel) noexcept {
  LaunchKind* const kind = state.decision.kind;
  if (kind == nullptr) return;
  pthread_mutex_lock(&deciding);
  let_await(*kind, work_behind(state.decision.work, possible(wanted)));
  kind->kernel = kernel;
  kind->round = round();
  pthread_mutex_unlock(&deciding);
}

/// What was decided came to nothing: another launch of the kind may be measured for it.
void give_back(const Decision& decision) noexcept {
  if (decision.kind == nullptr || decision.in_place) return;
  pthread_mutex_lock(&deciding);
  if (decision.kind->measured > 0) --decision.kind->measured;
  pthread_mutex_unlock(&deciding);
}

/// Counters are let go of for what is done without them.
template <typename Begin>
bool begin_without_counters(std::atomic<bool>& over_flag, const Begin& begin) noexcept {
  if (over_flag.load()) return false;
  for (uint32_t i = 0; i < state.context_count; ++i) state.contexts[i].session.let_go();
  const bool begun = begin();
  if (!begun) over_flag.store(true);
  return begun;
}

bool begin_samples(const Settings& wanted, const Context& context) noexcept {
  const pc_sampling::Sampled launch{context.context, state.launch.waited_stream, number_of(state.launch.kernel.device),
                                    state.name};
  return begin_without_counters(state.samples_over,
                                [&] { return state.sampler.begin(pc_sampling::functions(), launch, wanted.period); });
}

bool begin_instructions(const Context& context) noexcept {
  const instructions::Counted launch{context.context, state.launch.waited_stream, number_of(state.launch.kernel.device),
                                     context.session.chip(), state.name};
  return begin_without_counters(state.instructions_over, [&] { return state.counter.begin(launch); });
}

bool begin_work(const Settings& wanted, Context& context) noexcept {
  switch (state.decision.work) {
    case Work::count: return context.usable = context.session.start();
    case Work::sample: return begin_samples(wanted, context);
    case Work::instructions: return begin_instructions(context);
    default: return false;
  }
}

/// By the thread that holds `launching` alone. Whether the launch is measured.
bool begin(const Settings& wanted, const Launch& launch, const CallbackData& data) noexcept {
  if (!is_initialized()) return false;
  Context* const context = context_of(wanted, data.context, data.context_id);
  if (context == nullptr || !context->usable) return false;
  state.launch = launch;
  state.name = data.symbol == nullptr ? "" : data.symbol;
  describe(state.launch, data);
  state.time = now_ns();
  disturbed.store(false);
  measured_context.store(data.context);
  const bool begun = begin_work(wanted, *context);
  if (begun) state.running = context;
  return begun;
}

/// A launch continues unmeasured, and beside one that is measured: that one's values are then of both.
void pass_by(void* context) noexcept {
  if (measured_context.load() == context) disturbed.store(true);
  const uint32_t count = ++waits;
  report(wire::MeasureState::waited, "", static_cast<int32_t>(count));
  if (++waits_in_row < kMaxWaits || over.exchange(true)) return;
  report(wire::MeasureState::given_up, "", static_cast<int32_t>(waits.load()));
}

/// Of the launch that was just measured: the number of its kernel, which is another's where it was taken in its place.
uint64_t report_measured() noexcept {
  if (state.decision.in_place) return state.decision.kind->kernel;
  waits_in_row.store(0);
  state.launch.kernel.id = state.measured.fetch_add(1);
  report_kernel(state.launch.kernel, state.name, state.time);
  return state.launch.kernel.id;
}

/// Whether what was found of a launch is its own.
bool is_kept(bool works) noexcept {
  measured_context.store(nullptr);
  const bool kept = works && !disturbed.load();
  if (!kept) give_back(state.decision);
  return kept;
}

void end_counts(const Settings& wanted, Context& context) noexcept {
  Session& session = context.session;
  context.usable = session.stop();
  if (!is_kept(context.usable)) return;
  const double* const values = session.values();
  if (values == nullptr) return report_first(state.reported_empty, wire::MeasureState::empty);
  const uint64_t kernel = report_measured();
  report_values(kernel, session.plan().places, values, session.plan().count);
  go_on(wanted, kernel);
}

void end_samples(const Settings& wanted) noexcept {
  wire::SampledLaunchBody found{};
  const bool works = state.sampler.end(state.samplings++, found);
  if (!works) state.samples_over.store(true);
  if (!is_kept(works)) return;
  found.kernel = report_measured();
  pc_sampling::report_launch(found);
  go_on(wanted, found.kernel);
}

void end_instructions(const Settings& wanted) noexcept {
  wire::CountedLaunchBody found{};
  const bool works = state.counter.end(found);
  if (!works) state.instructions_over.store(true);
  const bool kept = is_kept(works && found.is_whole != 0);
  found.is_whole = kept ? 1 : 0;
  if (kept) found.kernel = report_measured();
  instructions::report_end(found);
  if (kept) go_on(wanted, found.kernel);
}

void end(const Settings& wanted) noexcept {
  Context& context = *state.running;
  state.running = nullptr;
  switch (state.decision.work) {
    case Work::count: return end_counts(wanted, context);
    case Work::sample: return end_samples(wanted);
    case Work::instructions: return end_instructions(wanted);
    default: return;
  }
}

void note_graph() noexcept {
  if (!records(wire::kWantMetrics) || state.reported_graphs) return;
  state.reported_graphs = true;
  report(wire::MeasureState::graphs);
}

bool is_launch(uint32_t call) noexcept {
  return std::ranges::any_of(kLaunches, [&](uint32_t launch) { return launch == call; });
}

Hold wait_for(bool alone) noexcept {
  const int64_t until = now_ns() + kMaxWaitNs;
  constexpr int64_t kSecondNs = 1'000'000'000;
  const timespec time{until / kSecondNs, until % kSecondNs};
  const int result = alone ? pthread_rwlock_clockwrlock(&launching, CLOCK_MONOTONIC, &time)
                           : pthread_rwlock_clockrdlock(&launching, CLOCK_MONOTONIC, &time);
  return result != 0 ? Hold::none : alone ? Hold::alone : Hold::shared;
}

void set_watched(const cupti::Library& library, bool on) noexcept {
  if (settings()->samples || settings()->instructions) pc_sampling::watch_code(library, on);
  for (const uint32_t call : kLaunches) static_cast<void>(cupti::watch(library, Domain::driver, call, on));
  for (const uint32_t call : kGraphLaunches) static_cast<void>(cupti::watch(library, Domain::driver, call, on));
}

/// Launches cost nothing from then on. Not while one is under way, whose end is still to be heard of.
void stop_watching() noexcept {
  static constinit bool stopped = false;
  if (pthread_rwlock_trywrlock(&launching) != 0) return;
  if (!stopped) set_watched(*cupti::library(), false);
  stopped = true;
  pthread_rwlock_unlock(&launching);
}

bool is_over(const Settings& wanted) noexcept {
  if (over.load() || phase() == wire::Phase::ended) return true;
  const Possible can = possible(wanted);
  if (work_behind(Work::none, can) == Work::none) return true;
  if (!has_all(wanted)) return false;
  if (!has_several(can) || state.awaiting.load() == 0) return true;
  // What has not come again by then may never do so, and each launch would be looked at.
  constexpr uint32_t kMaxLooks = 100'000;
  if (state.looks.fetch_add(1, std::memory_order_relaxed) < kMaxLooks) return false;
  over.store(true);
  return true;
}

/// Whether another thread has done it since it was decided. By the thread that holds `launching` alone.
bool is_done(const Settings& wanted, const Decision& decision) noexcept {
  if (is_over(wanted)) return true;
  if (decision.kind == nullptr) return has_all(wanted);
  pthread_mutex_lock(&deciding);
  const Work awaits = decision.kind->awaits;
  pthread_mutex_unlock(&deciding);
  return decision.in_place ? awaits != decision.work : awaits != Work::none || has_all(wanted);
}

void on_launch(const Settings& wanted, uint32_t call, const CallbackData& data) noexcept {
  auto& hold = *data.correlation_data;
  hold = static_cast<uint64_t>(Hold::none);
  if (is_over(wanted)) return stop_watching();
  if (!records(wire::kWantMetrics)) return;
  const Launch launch = launch_of(call, data.parameters);
  const Decision decision = decide(wanted, launch, data);
  Hold held = wait_for(decision.work != Work::none);
  if (held == Hold::none) {
    give_back(decision);
    return pass_by(data.context);
  }
  if (held == Hold::alone) {
    state.decision = decision;
    if (is_done(wanted, decision) || !begin(wanted, launch, data)) {
      give_back(decision);
      pthread_rwlock_unlock(&launching);
      held = Hold::none;
    }
  }
  hold = static_cast<uint64_t>(held);
}

void on_return(const Settings& wanted, const CallbackData& data) noexcept {
  const auto held = static_cast<Hold>(*data.correlation_data);
  if (held == Hold::none) return;
  *data.correlation_data = static_cast<uint64_t>(Hold::none);
  if (held == Hold::alone) end(wanted);
  pthread_rwlock_unlock(&launching);
}

/// The kernels of a graph are not measured, and may be the same as one that is.
void on_graph_launch(const Settings& wanted, const CallbackData& data) noexcept {
  auto& hold = *data.correlation_data;
  hold = static_cast<uint64_t>(Hold::none);
  if (is_over(wanted) || !records(wire::kWantMetrics)) return;
  const Hold held = wait_for(false);
  if (held == Hold::none) return pass_by(data.context);
  hold = static_cast<uint64_t>(held);
}

/// Before and after each call that anything here watches, on the thread that calls.
void on_call(Domain domain, uint32_t call, const void* data) noexcept {
  if (domain != Domain::driver) return;
  const auto& details = *static_cast<const CallbackData*>(data);
  const bool returns = details.site != 0;
  const bool is_graph = is_graph_launch(call);
  if (!is_graph && !is_launch(call)) return;
  if (is_graph && returns) note_graph();
  if (is_graph && !returns) return on_graph_launch(*settings(), details);
  returns ? on_return(*settings(), details) : on_launch(*settings(), call, details);
}

/// Where there is no GPU CUPTI gives no subscription; the driver says so when cuInit() is over.
void report_no_gpu() noexcept {
  if (!cupti::is_own_process()) return;
  const int result = result_of_initialization();
  if (result > 0) report(wire::MeasureState::no_gpu, "", result);
}

bool watch_launches(const cupti::Library& library) noexcept {
  cupti::add_handler(on_call);
  if (failed("cuptiSubscribe", cupti::subscribe(library))) {
    end_at_exit(report_no_gpu);
    return false;
  }
  set_watched(library, true);
  cupti::watch_profiler_range(library);
  return true;
}

void attach() noexcept {
  using wire::MeasureState;
  if (settings() == nullptr) return report(MeasureState::no_settings);
  const cupti::Library* const library = cupti::open_library();
  if (library == nullptr) return report(MeasureState::no_cupti, cupti::why_not_open());
  const auto version = static_cast<int32_t>(library->version);
  const char* const missing = find_functions(profiler, *library);
  if (missing != nullptr) return report(MeasureState::too_old, missing, version);
  if (settings()->samples && !pc_sampling::find(*library)) state.samples_over.store(true);
  if (settings()->instructions && !state.counter.find(*library)) state.instructions_over.store(true);
  stream_id.set(cupti::symbol(*library, "cuptiGetStreamIdEx"));
  if (watch_launches(*library)) report(MeasureState::ready, library->path, version);
}

}  // namespace

void attach_metrics() noexcept {
  if (attachment.header == nullptr || (attachment.header->wanted & wire::kWantMetrics) == 0) return;
  static constinit pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, attach);
}

}  // namespace sonde::inject::metrics
