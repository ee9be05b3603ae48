#include "inject/metrics/attach.h"

#include <pthread.h>

#include <cstring>

#include "inject/attachment.h"
#include "inject/cupti/subscriber.h"
#include "inject/metrics/base_name.h"
#include "inject/metrics/driver.h"
#include "inject/metrics/launch.h"
#include "inject/metrics/range_filter.h"
#include "inject/metrics/session.h"
#include "inject/metrics/settings.h"
#include "inject/metrics/told.h"

namespace sonde::inject::metrics {
namespace {

using cupti::CallbackData;
using cupti::Domain;
using StreamId = Result (*)(void* context, void* stream, uint8_t per_thread, uint32_t* id);

constinit Profiler profiler;
constinit StreamId stream_id = nullptr;

/// One launch at a time: another thread's would be counted with the one that is measured. Held from the begin of a
/// launch to its end.
pthread_mutex_t launching = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

struct Context {
  void* context = nullptr;
  bool usable = false;
  Session session;
};
constexpr uint32_t kMostContexts = 64;  ///< programs have one a GPU

struct State {
  Context contexts[kMostContexts];
  uint32_t context_count = 0;
  uint64_t matching = 0;  ///< launches so far that are of the wanted kernels
  uint64_t measured = 0;
  bool told_graphs = false;
  bool told_capture = false;
  Session* running = nullptr;
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

/// Into a graph, which runs later.
bool is_captured(void* stream) noexcept {
  uint32_t status = 0;
  const Driver& driver = the_driver();
  if (driver.is_capturing == nullptr || driver.is_capturing(stream, &status) != 0 || status == 0) return false;
  if (!state.told_capture) tell(wire::MeasureState::captured);
  state.told_capture = true;
  return true;
}

bool is_chosen(const Settings& wanted, const Launch& launch, const char* mangled) noexcept {
  if (!records(wire::kWantMetrics) || !in_range() || !has_wanted_name(wanted, mangled)) return false;
  if (is_captured(launch.stream)) return false;
  return state.matching++ >= wanted.skip;
}

Context* context_of(const Settings& wanted, void* context) noexcept {
  for (uint32_t i = 0; i < state.context_count; ++i) {
    if (state.contexts[i].context == context) return &state.contexts[i];
  }
  if (state.context_count == kMostContexts) return nullptr;
  Context& fresh = state.contexts[state.context_count++];
  fresh.context = context;
  int device = 0;
  const Driver& driver = the_driver();
  if (driver.current_device != nullptr && driver.current_device(&device) != 0) device = 0;
  fresh.usable = fresh.session.open(profiler, wanted, context, device);
  return &fresh;
}

void describe(Launch& launch, const CallbackData& data) noexcept {
  add_function_facts(launch);
  int device = 0;
  const Driver& driver = the_driver();
  const bool known = driver.current_device != nullptr && driver.current_device(&device) == 0;
  launch.kernel.device = known ? static_cast<uint32_t>(device) : wire::kNotTold;
  launch.kernel.context = data.context_id;
  const bool told =
      stream_id != nullptr && stream_id(data.context, launch.stream, 0, &launch.kernel.stream) == Result::ok;
  if (!told) launch.kernel.stream = wire::kNotTold;
}

void begin(const Settings& wanted, uint32_t call, const CallbackData& data) noexcept {
  state.launch = launch_of(call, data.parameters);
  state.name = data.symbol == nullptr ? "" : data.symbol;
  if (!is_chosen(wanted, state.launch, state.name)) return;
  Context* const context = context_of(wanted, data.context);
  if (context == nullptr || !context->usable) return;
  describe(state.launch, data);
  state.time = now_ns();
  context->usable = context->session.start();
  if (context->usable) state.running = &context->session;
}

void end() noexcept {
  Session* const session = state.running;
  if (session == nullptr) return;
  state.running = nullptr;
  const double* const values = session->stop();
  if (values == nullptr) return;
  state.launch.kernel.id = state.measured++;
  tell_kernel(state.launch.kernel, state.name, state.time);
  tell_values(state.launch.kernel.id, session->plan().places, values, session->plan().count);
}

void note_graph() noexcept {
  if (!records(wire::kWantMetrics) || state.told_graphs) return;
  state.told_graphs = true;
  tell(wire::MeasureState::graphs);
}

bool is_launch(uint32_t call) noexcept {
  for (const uint32_t launch : kLaunches) {
    if (launch == call) return true;
  }
  return false;
}

void on_launch(const Settings& wanted, uint32_t call, const CallbackData& data) noexcept {
  *data.correlation_data = 0;
  if (state.measured >= wanted.count || pthread_mutex_lock(&launching) != 0) return;
  *data.correlation_data = 1;
  if (state.measured < wanted.count) begin(wanted, call, data);
}

void on_return(const CallbackData& data) noexcept {
  if (*data.correlation_data == 0) return;
  *data.correlation_data = 0;
  end();
  pthread_mutex_unlock(&launching);
}

/// Before and after each call that anything here watches, on the thread that calls.
void on_call(Domain domain, uint32_t call, const void* data) noexcept {
  if (domain != Domain::driver) return;
  const auto& details = *static_cast<const CallbackData*>(data);
  const bool returns = details.site != 0;
  if (is_graph_launch(call) && returns) return note_graph();
  if (!is_launch(call)) return;
  returns ? on_return(details) : on_launch(*settings(), call, details);
}

bool watch_launches(const cupti::Library& library) noexcept {
  const auto failed = [](const char* function, Result result) {
    if (result != Result::ok) tell_failure(function, static_cast<int32_t>(result));
    return result != Result::ok;
  };
  cupti::add_handler(on_call);
  InitializeParams params;
  if (failed("cuptiProfilerInitialize", profiler.initialize(&params))) return false;
  if (failed("cuptiSubscribe", cupti::subscribe(library))) return false;
  for (const uint32_t call : kLaunches) {
    static_cast<void>(cupti::watch(library, Domain::driver, call, true));
  }
  for (const uint32_t call : kGraphLaunches) {
    static_cast<void>(cupti::watch(library, Domain::driver, call, true));
  }
  return true;
}

void attach() noexcept {
  using wire::MeasureState;
  if (settings() == nullptr) return tell(MeasureState::no_settings);
  const cupti::Library* const library = cupti::open_library();
  if (library == nullptr) return tell(MeasureState::no_cupti, cupti::why_not_open());
  const auto version = static_cast<int32_t>(library->version);
  const char* const missing = find_functions(profiler, *library);
  if (missing != nullptr) return tell(MeasureState::too_old, missing, version);
  stream_id = reinterpret_cast<StreamId>(cupti::symbol(*library, "cuptiGetStreamIdEx"));
  if (watch_launches(*library)) tell(MeasureState::ready, library->path, version);
}

}  // namespace

void attach_metrics() noexcept {
  if (attachment.header == nullptr || (attachment.header->wanted & wire::kWantMetrics) == 0) return;
  static constinit pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, attach);
}

}  // namespace sonde::inject::metrics
