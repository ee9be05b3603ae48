#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "analyses/calls/api_label.h"
#include "analyses/calls/os_call_kind.h"
#include "analyses/gpus/idle_totals.h"
#include "findings/evidence/call_rows.h"
#include "findings/evidence/claimed_idle_time.h"
#include "findings/evidence/most_of.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// Idle time of the GPUs, a finding for each cause. Each idle nanosecond of a GPU has one cause, so these ceilings add
/// up to its idle time at most. Idle time that other findings explain is theirs (Claims). Host time that ends in a copy
/// to the GPU is a finding of its own: the host prepares what it copies, as a data loader does.
namespace sonde {
namespace gpu_idle_finding {
namespace {

/// Smaller copies are flags and scalars.
constexpr int64_t kMinInputBytes = 4 << 10;

/// Idle time in which the host prepares what it copies to the GPU next: outside of ranges and CUDA calls, or in calls
/// of the operating system that do not sleep for a given time.
class InputPreparation {
 public:
  explicit InputPreparation(const Facts& facts) : facts_(facts), uploads_(row_count(facts.trace.api), false) {
    const Copies& c = facts.trace.copies;
    for (Row row = 0; row < c.launch.size(); ++row) {
      const bool up = c.kind[row] == static_cast<uint8_t>(CopyKind::host_to_device);
      if (up && c.launch[row] != kNone && c.bytes[row] >= kMinInputBytes) uploads_[c.launch[row]] = true;
    }
  }
  [[nodiscard]] bool holds(const IdlePiece& piece) const {
    if (piece.launch == kNone || !uploads_[piece.launch]) return false;
    if (piece.cause == IdleCause::host) return true;
    return piece.cause == IdleCause::os_call && os_call_kind(facts_.trace.name(piece.name)) != OsCallKind::sleep;
  }

 private:
  const Facts& facts_;
  std::vector<bool> uploads_;  ///< by row of `api`
};

/// A kernel behind a launch or another kernel starts within microseconds. The driver's slices of time are some
/// milliseconds (about 2 ms on current GPUs).
constexpr int64_t kMinForeignNs = 500'000;
constexpr size_t kMinForeignTimes = 5;

/// GPUs of which all recorded work is on one stream that waits for no event: queued work there waits for nothing that
/// the profile has.
std::vector<bool> gpus_of_one_stream(const Facts& facts) {
  std::vector<bool> has_work(facts.trace.streams.size(), false);
  for_each_gpu_table(facts.trace, [&](const GpuOps& ops) {
    for (const StreamId stream : ops.stream) has_work[stream] = true;
  });
  std::vector<int> streams(facts.gpus.gpus.size(), 0);
  for (StreamId stream = 0; stream < has_work.size(); ++stream) {
    if (has_work[stream]) ++streams[facts.gpus.of_stream[stream]];
  }
  std::vector<bool> one(streams.size());
  for (size_t gpu = 0; gpu < streams.size(); ++gpu) one[gpu] = streams[gpu] == 1;
  const Syncs& syncs = facts.trace.syncs;
  for (Row row = 0; row < row_count(syncs); ++row) {
    const bool waits = syncs.kind[row] == static_cast<uint8_t>(SyncKind::stream_waits_event);
    const uint32_t gpu = waits && syncs.stream[row] != kNone ? facts.gpus.of_stream[syncs.stream[row]] : kNone;
    if (gpu < one.size()) one[gpu] = false;  // a stream without work is on no GPU
  }
  for (Row row = 0; row < row_count(facts.trace.kernels); ++row) {
    if (facts.communication[row] == CommunicationKind::none) continue;
    one[facts.gpus.of_stream[facts.trace.kernels.stream[row]]] = false;
  }
  return one;
}

/// Idle time that no finding has claimed.
struct Unclaimed {
  IdleTotals totals;                ///< but for `input`
  std::vector<IdlePiece> input;     ///< before copies to the GPU
  std::vector<IdlePiece> own_code;  ///< in a step, outside any range and call within it
  std::vector<int64_t> foreign_ns;  ///< of pieces of `queued` that nothing in the profile explains
};

/// Whether the host is in a step's range and in nothing within it: there runs the program's own code.
bool in_step_itself(const Facts& facts, const IdlePiece& piece) {
  if (piece.cause != IdleCause::range || piece.name == kNone || !facts.has_named_steps()) return false;
  return without_numbers(facts.trace.name(piece.name)) == facts.steps->range;
}

Unclaimed unclaimed(const Facts& facts, const Claims& claims) {
  const ClaimedIdleTime claimed(claims);
  const InputPreparation prepares(facts);
  const std::vector<bool> one_stream = gpus_of_one_stream(facts);
  Unclaimed idle;
  idle.totals = idle_totals(facts.trace, facts.gpus, facts.extent, [&](const IdlePiece& piece) {
    if (claimed.holds(piece.gpu, piece.start_ns)) return false;
    if (prepares.holds(piece)) {
      idle.input.push_back(piece);
      return false;
    }
    if (in_step_itself(facts, piece)) {
      idle.own_code.push_back(piece);
      return false;
    }
    const int64_t ns = piece.end_ns - piece.start_ns;
    if (piece.cause == IdleCause::queued && one_stream[piece.gpu] && ns >= kMinForeignNs) idle.foreign_ns.push_back(ns);
    return true;
  });
  return idle;
}

/// What the thread was in most.
std::string calls_of(const Facts& facts, const IdleTotals& idle, IdleCause cause) {
  std::map<std::string, int64_t> by_label;
  for (const IdleWhile& part : idle.by_name) {
    if (part.cause == cause && part.name != kNone) {
      by_label[without_numbers(api_label(facts.trace.name(part.name)))] += part.ns;
    }
  }
  const std::string text = most_of(by_label, idle.total(cause));
  return text.empty() ? "no call or range has a name" : text;
}

std::vector<Evidence> evidence_of(const Facts& facts, const std::vector<IdlePiece>& pieces) {
  std::vector<Evidence> evidence;
  for (const IdlePiece& piece : pieces) {
    evidence.push_back({piece.start_ns, piece.end_ns, facts.gpus.gpus[piece.gpu].place,
                        std::string(api_label(facts.trace.name(piece.name)))});
  }
  return evidence;
}

/// The longest of these pieces.
std::vector<Evidence> longest_of(const Facts& facts, std::vector<IdlePiece> pieces) {
  std::ranges::stable_sort(pieces, std::greater(), [](const IdlePiece& p) { return p.end_ns - p.start_ns; });
  pieces.resize(std::min(pieces.size(), kMaxEvidence));
  return evidence_of(facts, pieces);
}

/// Host time before copies to the GPU.
void judge_input(const Facts& facts, std::vector<IdlePiece> pieces, Diagnosis& diagnosis) {
  int64_t ns = 0;
  std::map<std::string, int64_t> by_label;
  for (const IdlePiece& piece : pieces) {
    const int64_t length = piece.end_ns - piece.start_ns;
    ns += length;
    by_label[piece.name == kNone ? "outside traced calls" : std::string(api_label(facts.trace.name(piece.name)))] +=
        length;
  }
  const int64_t time = facts.per_gpu(ns);
  if (facts.percent_of_wall(time) < kWorthPercent) return;
  diagnosis.findings.push_back(
      {.id = "gpu_idle_input",
       .arguments = {duration_argument("time", time), text_argument("most", most_of(by_label, ns))},
       .ceiling_ns = time,
       .fix = FixKind::host_wait,
       .evidence = longest_of(facts, std::move(pieces))});
}

/// The innermost operator around a call, else the call.
std::string operator_of(const Facts& facts, Row call) {
  const Row range = operator_around(facts.trace, call);
  if (range != kNone) return std::string(facts.trace.name(facts.trace.ranges.name[range]));
  return std::string(api_label(facts.trace.name(facts.trace.api.name[call])));
}

/// The last call of the thread before the piece that waited for the GPU.
Row wait_before(const Facts& facts, const IdlePiece& piece) {
  const Calls& api = facts.trace.api;
  constexpr Row kMaxCallsBack = 64;
  for (Row row = piece.launch, back = 0; row > 0 && back < kMaxCallsBack; ++back) {
    --row;
    const ApiKind kind = facts.api_kinds[row];
    const bool waits = kind == ApiKind::synchronize || kind == ApiKind::copy_blocking;
    if (api.thread[row] == piece.thread && waits) return row;
  }
  return kNone;
}

/// The program's own code in a step, between a wait for the GPU and the next launch.
void judge_own_code(const Facts& facts, std::vector<IdlePiece> pieces, Diagnosis& diagnosis) {
  int64_t ns = 0;
  int64_t waited_ns = 0;
  std::map<std::string, int64_t> behind;
  std::map<std::string, int64_t> before;
  for (const IdlePiece& piece : pieces) {
    const int64_t length = piece.end_ns - piece.start_ns;
    ns += length;
    const Row wait = piece.launch == kNone ? kNone : wait_before(facts, piece);
    if (wait != kNone) behind[operator_of(facts, wait)] += length;
    waited_ns += wait == kNone ? 0 : length;
    if (piece.launch != kNone) before[operator_of(facts, piece.launch)] += length;
  }
  const int64_t time = facts.per_gpu(ns);
  if (facts.percent_of_wall(time) < kWorthPercent) return;
  diagnosis.findings.push_back(
      {.id = 2 * waited_ns >= ns ? "gpu_idle_own_code" : "gpu_idle_step_code",
       .arguments = {duration_argument("time", time), text_argument("step", facts.steps->range),
                     text_argument("behind", most_of(behind, ns)), text_argument("before", most_of(before, ns))},
       .ceiling_ns = time,
       .fix = FixKind::host_wait,
       .evidence = longest_of(facts, std::move(pieces))});
}

/// Calls that make a stream wait for the host or for a value in memory.
bool streams_wait_for_host(const Facts& facts) {
  const Calls& api = facts.trace.api;
  const std::set<NameId> names(api.name.begin(), api.name.end());
  return std::ranges::any_of(names, [&](NameId name) {
    const std::string_view text = facts.trace.name(name);
    return text.contains("LaunchHostFunc") || text.contains("StreamAddCallback") || text.contains("StreamWaitValue");
  });
}

/// Most of the queued time passes in pieces that nothing in the profile explains.
void name_foreign_work(const Facts& facts, std::vector<int64_t> foreign, int64_t queued_ns, Finding& finding) {
  const int64_t sum = std::accumulate(foreign.begin(), foreign.end(), int64_t{0});
  if (foreign.size() < kMinForeignTimes || 2 * sum < queued_ns || streams_wait_for_host(facts)) return;
  std::ranges::nth_element(foreign, foreign.begin() + static_cast<std::ptrdiff_t>(foreign.size() / 2));
  finding.id = "gpu_idle_queued_elsewhere";
  finding.arguments.push_back(count_argument("count", foreign.size()));
  finding.arguments.push_back(duration_argument("median", foreign[foreign.size() / 2]));
}

/// Most of the time passes between nodes of graphs: one launch of them all is what the program has already.
bool is_within_graphs(const Facts& facts, const IdleTotals& idle) {
  int64_t within = 0;
  for (const IdleWhile& part : idle.by_name) {
    const bool graph = part.name != kNone && facts.trace.name(part.name).contains("GraphLaunch");
    if (part.cause == IdleCause::start && graph) within += part.ns;
  }
  return 2 * within > idle.total(IdleCause::start);
}

/// Time that threads spend blocked in synchronization: without it the host gains no more than that.
int64_t blocked_ns(const Facts& facts, const Claims& claims) {
  const std::set<Row> claimed(claims.waits.begin(), claims.waits.end());
  const Calls& api = facts.trace.api;
  int64_t blocked = 0;
  for (Row row = 0; row < row_count(api); ++row) {
    if (facts.api_kinds[row] == ApiKind::synchronize && facts.judged_on_host(api.start[row]) && !claimed.contains(row))
      blocked += api.end[row] - api.start[row];
  }
  return facts.per_gpu(blocked);
}

/// All but the time outside the GPU's first and last work.
std::vector<IdleCause> reported_causes() {
  std::vector<IdleCause> causes;
  for (size_t c = 0; c < static_cast<size_t>(IdleCause::count_); ++c) {
    const auto cause = static_cast<IdleCause>(c);
    if (cause != IdleCause::before_first && cause != IdleCause::after_last) causes.push_back(cause);
  }
  return causes;
}

/// What the host does not decide was not measured.
FixKind fix_of(IdleCause cause) {
  constexpr std::array kOthers = {IdleCause::profiler, IdleCause::queued, IdleCause::start, IdleCause::migration,
                                  IdleCause::unknown};
  return std::ranges::find(kOthers, cause) == kOthers.end() ? FixKind::host_wait : FixKind::unmeasured;
}

std::string id_of(IdleCause cause) { return fmt::format("gpu_idle_{}", info_of(cause).name); }

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (facts.gpus.gpus.empty()) {
    diagnosis.abstentions.push_back({"gpu_idle", "gpu_idle.no_gpu_work", {}});
    return;
  }
  auto [idle, input, own_code, foreign] = unclaimed(facts, *diagnosis.earlier);
  judge_input(facts, std::move(input), diagnosis);
  judge_own_code(facts, std::move(own_code), diagnosis);
  for (const IdleCause cause : reported_causes()) {
    const int64_t time = facts.per_gpu(idle.total(cause));
    const int64_t ceiling =
        cause == IdleCause::synchronization ? std::min(time, blocked_ns(facts, *diagnosis.earlier)) : time;
    if (facts.percent_of_wall(ceiling) < kWorthPercent) continue;
    diagnosis.findings.push_back(
        {.id = id_of(cause),
         .arguments = {duration_argument("time", time), text_argument("most", calls_of(facts, idle, cause))},
         .ceiling_ns = ceiling,
         .fix = fix_of(cause),
         .evidence = evidence_of(facts, idle.longest[static_cast<size_t>(cause)])});
    if (cause == IdleCause::start && is_within_graphs(facts, idle))
      diagnosis.findings.back().id = "gpu_idle_start_graph";
    if (cause == IdleCause::queued) name_foreign_work(facts, foreign, idle.total(cause), diagnosis.findings.back());
  }
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"gpu_idle.no_gpu_work.says", "the profile contains no GPU work, so GPU idle time cannot be analyzed"},
    {"gpu_idle_profiler.says", "The GPU is idle for {time} while the profiler writes its buffers."},
    {"gpu_idle_profiler.do",
     "The profiler causes this time, not the program. Record a shorter part (--capture-range of sonde record and nsys "
     "profile, torch.profiler schedule), or trace less."},
    {"gpu_idle_queued.says",
     "The GPU is idle for {time} although work is queued. The work waits for other streams, other GPUs, graphics on "
     "the same GPU, or its own start."},
    {"gpu_idle_queued.do",
     "Check the waits between streams (cudaStreamWaitEvent) directly before these places. If many short kernels follow "
     "each other, launch them as one CUDA graph."},
    {"gpu_idle_queued_elsewhere.says",
     "The GPU is idle for {time} although work is queued, {count} times for {median} or about that. The profile has "
     "one "
     "stream and no event that the work could wait for: another process or graphics probably uses the GPU in turns "
     "(time slices)."},
    {"gpu_idle_queued_elsewhere.do",
     "Check which processes use the GPU while this program runs (nvidia-smi pmon). Run it alone, or share the GPU with "
     "MPS. The times of kernels in this profile may contain the turns of others, too."},
    {"gpu_idle_start.says", "The GPU is idle for {time} between queued operations that only had to start."},
    {"gpu_idle_start.do",
     "Short operations take as long to start as to run. Launch them as one CUDA graph, or fuse them."},
    {"gpu_idle_start_graph.says", "The GPU is idle for {time} between nodes of CUDA graphs that only had to start."},
    {"gpu_idle_start_graph.do",
     "The nodes take about as long to start as to run. Fuse them, for example with torch.compile, or give each more "
     "work (a larger batch)."},
    {"gpu_idle_migration.says",
     "The GPU is idle for {time} before unified memory migrations: the host or a GPU accesses pages in the memory of "
     "the other."},
    {"gpu_idle_migration.do",
     "Prefetch the pages (cudaMemPrefetchAsync), set their preferred location (cudaMemAdvise), or use device memory "
     "and explicit copies."},
    {"gpu_idle_data_loading.says", "The GPU is idle for {time} while the host loads data: {most}."},
    {"gpu_idle_data_loading.do",
     "Load data ahead of the step: use more workers (DataLoader num_workers, prefetch_factor, persistent_workers), use "
     "pin_memory, or decode on the GPU."},
    {"gpu_idle_input.says",
     "The GPU is idle for {time} while the host prepares the data that it copies to the GPU next, as in data loading "
     "({most})."},
    {"gpu_idle_input.do",
     "Prepare the next input while the GPU computes. In PyTorch: more data loading workers (DataLoader num_workers, "
     "prefetch_factor, persistent_workers), pin_memory, or decoding on the GPU. Elsewhere: another thread. An NVTX "
     "range "
     "around the loader shows which part is slow."},
    {"gpu_idle_synchronization.says",
     "The GPU is idle for {time} because the host synchronizes with it and prepares the next work only then: {most}."},
    {"gpu_idle_synchronization.do",
     "Remove the synchronization from the loop. Do not call .item() or .cpu(), or print a tensor, in each step. Do not "
     "call cudaDeviceSynchronize for timing. Wait for an event where the host needs a result."},
    {"gpu_idle_copy.says",
     "The GPU is idle for {time} around copies and memsets that return only when they are done: {most}."},
    {"gpu_idle_copy.do",
     "Use asynchronous copies from pinned memory (cudaMemcpyAsync; pin_memory and non_blocking=True), and launch more "
     "work while they run."},
    {"gpu_idle_load.says", "The GPU is idle for {time} while device code is loaded or compiled: {most}."},
    {"gpu_idle_load.do",
     "Load device code before the loop: warm up every kernel once, set CUDA_MODULE_LOADING=EAGER, or keep the "
     "compiler's cache. If new input shapes are compiled again (torch.compile): dynamic=True, or pad inputs to a few "
     "shapes."},
    {"gpu_idle_allocation.says", "The GPU is idle for {time} during memory allocation or deallocation: {most}."},
    {"gpu_idle_allocation.do",
     "Allocate before the loop, or from a pool (cudaMallocAsync, PyTorch's caching allocator). cudaFree waits for the "
     "whole GPU."},
    {"gpu_idle_initialization.says", "The GPU is idle for {time} while CUDA is initialized: {most}."},
    {"gpu_idle_initialization.do", "Initialize once, before the loop."},
    {"gpu_idle_launch.says",
     "The GPU is idle for {time} while the host launches work: it submits work more slowly than the GPU finishes it."},
    {"gpu_idle_launch.do",
     "Launch less often: use CUDA graphs (torch.cuda.graph, torch.compile mode=\"reduce-overhead\"), fused kernels, or "
     "larger batches. A single launch that takes milliseconds loads its code: warm up every kernel before the loop, or "
     "set CUDA_MODULE_LOADING=EAGER."},
    {"gpu_idle_api.says", "The GPU is idle for {time} while the host is in other CUDA calls: {most}."},
    {"gpu_idle_api.do", "Move these calls out of the loop, or to another thread."},
    {"gpu_idle_os_call.says", "The GPU is idle for {time} while the host is in operating system calls: {most}."},
    {"gpu_idle_os_call.do",
     "Find what the thread waits for in these calls: files, network, locks or other threads. Let another thread do "
     "this work in advance."},
    {"gpu_idle_library.says", "The GPU is idle for {time} while the host works in libraries: {most}."},
    {"gpu_idle_library.do", "Plan or initialize the library once, before the loop."},
    {"gpu_idle_range.says", "The GPU is idle for {time} while the host works: {most}."},
    {"gpu_idle_range.do",
     "Make the host faster than the GPU in these ranges: less Python per step, CUDA graphs or torch.compile, work on "
     "another thread, or a larger batch."},
    {"gpu_idle_own_code.says",
     "The GPU is idle for {time} while the host runs the program's own code in {step}, outside any operator and CUDA "
     "call. It runs after the host has waited for the GPU (in {behind}) and before the next work is launched "
     "({before})."},
    {"gpu_idle_own_code.do",
     "Run this code while the GPU computes: prepare the next step before you wait for a result of this one, read "
     "results later (non_blocking copies and an event), or use another thread. Name its parts "
     "(torch.profiler.record_function, NVTX ranges) or record with_stack=True to see which lines it is."},
    {"gpu_idle_step_code.says",
     "The GPU is idle for {time} while the host runs the program's own code in {step}, outside any operator and CUDA "
     "call, before the next work is launched ({before})."},
    {"gpu_idle_step_code.do",
     "Make this code shorter, or run it on another thread. Name its parts (torch.profiler.record_function, NVTX "
     "ranges) "
     "or record with_stack=True to see which lines it is. A CUDA graph of the whole step leaves none of it between "
     "launches."},
    {"gpu_idle_host.says", "The GPU is idle for {time} while the host does work that no range or traced call covers."},
    {"gpu_idle_host.do",
     "Name the parts of the loop with NVTX ranges (torch.cuda.nvtx.range, nvtx.annotate), or sample the host "
     "(--sample=process-tree of sonde record and nsys profile). Then record again."},
    {"gpu_idle_unknown.says",
     "The GPU is idle for {time}, and the profile does not contain the calls that launched the next work."},
    {"gpu_idle_unknown.do",
     "Record the CUDA API calls too (-t cuda,nvtx,osrt of sonde record and nsys profile; ProfilerActivity.CPU of "
     "torch.profiler)."},
});

std::vector<FindingDoc> docs() {
  FindingDoc doc{
      .ids = {},
      .reports =
          "The GPU does nothing. The next work on the GPU identifies the thread that it waits for, and the cause is "
          "what that thread does. Each idle nanosecond has one cause:",
      .when = "The GPU is idle for this cause between its first and its last work.",
      .not_when =
          "Idle time that another finding explains does not count. Waits within steps are `sync_in_loop`'s and "
          "`sync_copy`'s, and allocation and loading in steps are `steady_*`'s. No conclusion is drawn without "
          "GPU work.",
      .ceiling = "The idle time of the cause. For `synchronization`, at most the time in which threads were blocked.",
      .evidence = "The longest idle pieces."};
  for (const IdleCause cause : reported_causes()) {
    doc.ids.push_back(id_of(cause));
    doc.reports += fmt::format("\n  - `{}`: {}", info_of(cause).name, info_of(cause).meaning);
  }
  doc.ids.emplace_back("gpu_idle_queued_elsewhere");
  doc.reports += fmt::format(
      "\n  - `queued_elsewhere`: `queued`, if most of it passes in at least {} pieces of at least {} us on a GPU whose "
      "recorded work is on one stream that waits for no event",
      kMinForeignTimes, kMinForeignNs / 1000);
  doc.ids.emplace_back("gpu_idle_start_graph");
  doc.reports += "\n  - `start_graph`: `start`, if most of it passes between nodes of CUDA graphs";
  doc.ids.emplace_back("gpu_idle_own_code");
  doc.reports +=
      "\n  - `own_code`: time of `range` in a step's own range, outside any range within it: the program's code "
      "between a wait for the GPU and the next launch"
      "\n  - `step_code`: the same without a wait before most of it";
  doc.ids.emplace_back("gpu_idle_step_code");
  doc.ids.emplace_back("gpu_idle_input");
  doc.reports += fmt::format(
      "\n  - `input`: time of `host`, or of `os_call` without sleeping, whose next operation is a copy of at least {} "
      "KiB to the GPU",
      kMinInputBytes >> 10);
  return {doc};
}

}  // namespace
}  // namespace gpu_idle_finding

extern const Rule gpu_idle_rule;
const Rule gpu_idle_rule{.name = "gpu_idle",
                         .description = "GPU idle time by cause",
                         .fields = kIdleFields | Fields{Field::syncs},
                         .checks = {Check::records_complete, Check::launches_free},
                         .judge = &gpu_idle_finding::judge,
                         .texts = gpu_idle_finding::kTexts,
                         .docs = &gpu_idle_finding::docs,
                         .claims = ClaimUse::reads};

}  // namespace sonde
