#include "inject/cupti/timeline.h"

#include <pthread.h>

#include "inject/cupti/activities.h"
#include "inject/cupti/back_traces.h"
#include "inject/cupti/call_cost.h"
#include "inject/cupti/driver_devices.h"
#include "inject/cupti/graphs.h"
#include "inject/cupti/layouts.h"
#include "inject/cupti/profiler_range.h"
#include "inject/cupti/reading.h"
#include "inject/cupti/state_record.h"
#include "inject/cupti/subscriber.h"
#include "inject/cupti/worker.h"
#include "inject/driver.h"
#include "inject/exit_order.h"
#include "inject/gpu_metrics/sampling.h"
#include "inject/thread_chunk.h"
#include "inject/turn.h"

namespace sonde::inject::cupti {
namespace {

using wire::CudaState;
using wire::Phase;

/// What CUPTI does here.
enum class State : uint32_t {
  off,       ///< nothing was done yet
  ready,     ///< set up, nothing enabled
  on,        ///< activities are enabled
  draining,  ///< disabled at the recording's end; what still ran on the GPU may yet be delivered
  leaving,   ///< to be taken out of the process by the next CUDA call
  gone,      ///< taken out, or it never came to work: for good
};

/// What ran on the GPU when the recording ended may take so long to be delivered.
constexpr int64_t kDrainNs = 200'000'000;
constexpr int64_t kNsPerMs = 1'000'000;
constexpr uint32_t kForced = 1;  // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

constinit std::atomic<uint64_t> own_process{0};
constinit std::atomic<State> state{State::off};
constinit std::atomic<bool> changing{false};
constinit std::atomic<bool> holds_records{false};  ///< counted in Header::cuda_active
constinit std::atomic<int64_t> last_fetch{0};
constinit std::atomic<int64_t> drained_at{0};
constinit std::atomic<bool> fetch_at_once{false};  ///< somebody waits for the records
constinit bool reported_flush_failure = false;

void hold_records(bool holds) noexcept {
  if (holds_records.exchange(holds) == holds) return;
  if (holds) {
    attachment.header->cuda_active.fetch_add(1);
  } else {
    attachment.header->cuda_active.fetch_sub(1);
  }
}

const Library* open_known() noexcept {
  const Library* const library = open_library();
  if (library == nullptr) {
    report_state(CudaState::no_library, 0, why_not_open());
  } else if (!is_known_version(library->version)) {
    report_state(CudaState::unknown_version, library->version, library->path);
  } else {
    return library;
  }
  return nullptr;
}

bool set_up() noexcept {
  const Library* const library = open_known();
  if (library == nullptr) return false;
  watch_for_back_traces(*library);
  const Result result = subscribe(*library);
  if (result != Result::ok) {
    const auto what = result == Result::multiple_subscribers ? CudaState::other_tool : CudaState::failed;
    report_failure(what, *library, "cuptiSubscribe", "", result);
    return false;
  }
  if (!set_up_activities(*library)) return false;
  watch_profiler_range(*library);
  watch_graphs(*library);
  report_state(CudaState::recording, library->version, library->path);
  return true;
}

/// Where there is no GPU, CUPTI gives no subscription either (versions 11.8 to 13.0); then this is why.
void report_no_gpu() noexcept {
  if (is_driver_ready()) return;
  const int result = result_of_initialization();
  if (result > 0) report_state(CudaState::no_gpu, static_cast<uint32_t>(result), "");
}

void flush(const Library& library, uint32_t flags) noexcept {
  const Result result = library.flush_all(flags);
  if (result == Result::ok) return;
  count_flush_failure();
  if (reported_flush_failure) return;
  reported_flush_failure = true;
  report_failure(CudaState::lacks, library, "cuptiActivityFlushAll", flags == 0 ? "0" : "1", result);
}

void set_ready() noexcept { state.store(set_up() ? State::ready : State::gone); }

/// The first fetch is due an interval after: at once it would come while the driver still initializes itself.
void turn_on() noexcept {
  last_fetch.store(now_ns());
  const bool enabled = enable_activities(*library());
  set_back_traces(*library(), enabled);
  state.store(enabled ? State::on : State::gone);
  hold_records(enabled);  // behind the state: see fetch_when_due()
}

void turn_off(State next) noexcept {
  set_back_traces(*library(), false);
  disable_activities(*library());
  drained_at.store(now_ns() + kDrainNs);
  state.store(next);
  fetch_soon();
}

/// The next CUDA call of the program takes CUPTI out of it, when it is done: there CUPTI says that this is safe.
void leave_at_next_call(Domain, uint32_t, const void* data) noexcept {
  constexpr uint32_t kAfterCall = 1;
  State leaving = State::leaving;
  if (static_cast<const CallbackData*>(data)->site != kAfterCall) return;
  if (!state.compare_exchange_strong(leaving, State::gone)) return;
  unsubscribe(*library());
  static_cast<void>(library()->finalize());
}

/// CUPTI stays in the program, without a subscriber and with nothing enabled, which costs it little; but some versions
/// slow it (pytorch#146604), so it can be taken out on demand. That has ended programs with graphs (pytorch#112507),
/// and the sampler of GPU metrics may be in it.
void leave() noexcept {
  disable_objects(*library());
  const bool taken_out = (attachment.header->cuda.extras & wire::kCudaFinalize) != 0;
  if (!taken_out || saw_graphs() || gpu_metrics::is_sampling()) {
    unsubscribe(*library());
    state.store(State::gone);
    return;
  }
  add_handler(leave_at_next_call);
  static_cast<void>(watch_all(*library(), Domain::driver, true));
  static_cast<void>(watch_all(*library(), Domain::runtime, true));
  state.store(State::leaving);  // last: from here on a thread of the program may take CUPTI away
}

/// Whether what the phase asks for is not what is.
bool is_behind(State now, Phase wanted) noexcept {
  if (wanted == Phase::changing) return false;  // whoever changes it wakes the worker then
  if (now == State::off) return wanted != Phase::ended;
  if (now == State::ready) return wanted != Phase::waiting;
  return now == State::on && wanted != Phase::recording;
}

void change_state(Phase wanted) noexcept {
  if (wanted == Phase::changing) return;
  if (state.load() == State::off && wanted != Phase::ended) set_ready();
  switch (state.load()) {
    case State::ready:
      if (wanted == Phase::recording) turn_on();
      if (wanted == Phase::ended) turn_off(State::draining);
      return;
    case State::on:
      if (wanted != Phase::recording) turn_off(wanted == Phase::ended ? State::draining : State::ready);
      return;
    default: return;
  }
}

/// A context alone makes records. CUPTI gives all of a process's to whoever registered its buffers last.
void report_other_client() noexcept {
  if (!had_context() || had_records()) return;
  report_state(CudaState::lacks, library()->version,
               "another library in the program receives CUPTI's records, which go to one client only "
               "(KINETO_USE_DAEMON, dynolog, Triton's Proton and DFTracer do this); switch it off for this run");
}

/// CUPTI may have told of the GPUs in a buffer that is not full yet.
void tell_missing_devices(bool has_all) noexcept {
  constexpr uint32_t kPatience = 2;
  static constinit uint32_t fetches = 0;
  if (!had_context() || had_devices()) return;
  if (has_all || ++fetches > kPatience) tell_devices();
}

/// Once the program has a context, so that cuInit() is over.
void measure_cost_once() noexcept {
  static constinit bool measured = false;
  if (measured || !had_context()) return;
  measured = true;
  note_call_cost(measure_call_cost(*library()));
}

/// Not while the driver still initializes itself: it holds its locks for seconds then, and may not come back to us.
void fetch(uint32_t flags) noexcept {
  if (!is_driver_ready()) return;
  flush(*library(), flags);
  read_filled(*library(), flags == kForced);
  tell_missing_devices(flags == kForced);
  report_tally(*library());
  last_fetch.store(now_ns());
}

/// The program may be about to get a signal that ends it.
void fetch_when_asked() noexcept {
  static constinit uint32_t seen = 0;
  const uint32_t asked = attachment.header->fetches_asked.load(std::memory_order_acquire);
  if (asked == seen) return;
  seen = asked;
  fetch(kForced);
  attachment.header->fetches_done.fetch_add(1, std::memory_order_release);
}

/// The recording may begin again at any time, and then the next rest is waited for.
void rest() noexcept {
  if (state.load() != State::ready) return;
  fetch(kForced);
  const Turn change(changing);
  if (change.held() && state.load() == State::ready && now_ns() >= drained_at.load()) hold_records(false);
}

void on_exit() noexcept {
  if (is_own_process()) end_worker();
}

}  // namespace

bool is_own_process() noexcept {
  const uint64_t own = own_process.load(std::memory_order_relaxed);
  return own != 0 && own == attachment.guard->load(std::memory_order_relaxed);
}

void begin_timeline() noexcept {
  if (attachment.header == nullptr || (attachment.header->wanted & (wire::kWantCuda | wire::kWantMetrics)) == 0) return;
  announce();
  own_process.store(attachment.guard->load());
  if (!is_own_process() || (attachment.header->wanted & wire::kWantCuda) == 0) return;
  follow_phase();
  if (!start_worker()) {
    report_state(CudaState::failed, 0, "no thread could be started in the program");
    return;
  }
  end_at_exit(on_exit);
}

void follow_phase() noexcept {
  if ((attachment.header->wanted & wire::kWantCuda) == 0) return;  // where kernels are measured there is no timeline
  if (!is_own_process() || !is_behind(state.load(), phase())) return;
  const Turn change(changing);
  if (change.held()) change_state(phase());
}

void begin_with_range() noexcept {
  if (is_driver_ready()) follow_phase();
  wake_worker();
}

bool is_timeline_over() noexcept {
  const State now = state.load();
  return now == State::gone || now == State::leaving;
}

void fetch_when_due() noexcept {
  // Before the state: those of a recording that begins now are not taken for what is left of the one before it.
  const bool holds = holds_records.load();
  const State now = state.load();
  if (now == State::off || is_timeline_over()) return;
  if (now == State::on) measure_cost_once();
  if (holds) fetch_when_asked();
  read_filled(*library(), false);
  if (now == State::draining && now_ns() >= drained_at.load()) {
    fetch(kForced);
    hold_records(false);
    leave();
  } else if (now == State::ready && holds && now_ns() >= drained_at.load()) {
    rest();
  } else if (fetch_at_once.exchange(false) ||
             now_ns() - last_fetch.load() >= int64_t{attachment.header->cuda.flush_ms} * kNsPerMs ||
             now == State::draining) {
    fetch(0);
  }
}

void fetch_soon() noexcept {
  fetch_at_once.store(true);
  wake_worker();
}

void fetch_here() noexcept {
  if (state.load() == State::on && is_driver_ready()) static_cast<void>(library()->flush_all(0));
}

void fetch_at_exit() noexcept {
  report_no_gpu();
  if (state.load() == State::off || is_timeline_over()) return;
  fetch(kForced);
  report_other_client();
  disable_activities(*library());
  disable_objects(*library());
  hold_records(false);
}

}  // namespace sonde::inject::cupti
