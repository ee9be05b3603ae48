#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "analyses/memory/memory_peak.h"
#include "findings/evidence/memory_holders.h"
#include "findings/rule.h"
#include "trace/memory_shortage.h"

/// What holds a GPU's memory where it is nearly full or ran out, and what frees it. None of it takes time: the ceiling
/// is 0.
namespace sonde {
namespace memory_peak_finding {
namespace {

constexpr double kFull = 0.9;
/// Reserved memory above this part of the GPU's leaves little for anything else.
constexpr double kReservedPart = 0.8;
/// The allocator always keeps some memory of freed tensors.
constexpr double kUnusedPart = 0.25;
/// What a CUDA context and libraries take beside the allocator, on the largest GPUs.
constexpr int64_t kOutsideBytes = int64_t{2} << 30;

/// At least `part` of the whole; false where either is unknown.
bool is_part(int64_t bytes, double part, int64_t whole) {
  return bytes != kUnknown && whole != kUnknown && whole > 0 &&
         static_cast<double>(bytes) >= part * static_cast<double>(whole);
}

void add(Diagnosis& diagnosis, std::string id, std::vector<Argument> arguments) {
  diagnosis.findings.push_back({.id = std::move(id), .arguments = std::move(arguments), .takes_time = false});
}

/// Peaks that were there before the first event are those of the run's start.
std::vector<Argument> arguments_of(const Facts& facts, const MemoryAtPeak& peak) {
  std::vector<Argument> arguments = peak_arguments(peak);
  const int64_t time =
      peak.time_ns == kUnknown ? 0 : facts.recorded_time(peak.time_ns) - facts.recorded_time(facts.run.first);
  arguments.push_back(duration_argument("time", std::max<int64_t>(time, 0)));
  return arguments;
}

/// Why an allocation was refused.
struct Refusal {
  std::string id;
  std::vector<Argument> arguments;
};

/// Of an allocator whose state at the refusal is known: `unused` is what it held and had not given out.
Refusal refusal_of(const MemoryShortage& s, int64_t capacity) {
  std::vector<Argument> arguments = {bytes_argument("requested", s.requested_bytes)};
  if (!s.gpu_free_bytes || !s.allocated_bytes || !s.reserved_bytes) return {"out_of_memory", std::move(arguments)};
  const int64_t unused = std::max<int64_t>(*s.reserved_bytes - *s.allocated_bytes, 0);
  arguments.push_back(bytes_argument("gpu_free", *s.gpu_free_bytes));
  arguments.push_back(bytes_argument("allocated", *s.allocated_bytes));
  arguments.push_back(bytes_argument("unused", unused));
  if (*s.gpu_free_bytes >= s.requested_bytes) return {"out_of_memory_limit", std::move(arguments)};
  if (unused + *s.gpu_free_bytes >= s.requested_bytes) {
    const int64_t largest = std::min(s.largest_free_piece_bytes.value_or(unused), unused);
    arguments.push_back(bytes_argument("largest", largest));
    return {"out_of_memory_fragmented", std::move(arguments)};
  }
  arguments.push_back(bytes_argument("short", s.requested_bytes - unused - *s.gpu_free_bytes));
  const int64_t outside = capacity == kUnknown ? 0 : capacity - *s.reserved_bytes - *s.gpu_free_bytes;
  if (outside >= kOutsideBytes && outside >= s.requested_bytes - unused - *s.gpu_free_bytes) {
    arguments.push_back(bytes_argument("outside", outside));
    return {"out_of_memory_outside", std::move(arguments)};
  }
  return {"out_of_memory_too_large", std::move(arguments)};
}

bool is_of(const MemoryShortage& s, const MemoryAtPeak& peak, const Trace& trace) {
  return s.device == peak.ordinal && trace.processes[s.process].rank == peak.rank;
}

/// The last refusal of a GPU: a program that goes on after one has freed memory and tried again.
std::optional<Refusal> last_refusal(const Trace& trace, const std::vector<MemoryShortage>& shortages,
                                    const MemoryAtPeak& peak) {
  const MemoryShortage* last = nullptr;
  int64_t count = 0;
  for (const MemoryShortage& shortage : shortages) {
    if (!is_of(shortage, peak, trace)) continue;
    last = &shortage;
    ++count;
  }
  if (last == nullptr) return std::nullopt;
  Refusal refusal = refusal_of(*last, peak.capacity_bytes);
  refusal.arguments.push_back(count_argument("refusals", count));
  return refusal;
}

void judge_peak(const Facts& facts, const MemoryAtPeak& peak, bool has_refusal, Diagnosis& diagnosis) {
  const bool is_full = is_part(peak.bytes, kFull, peak.capacity_bytes);
  const bool is_reserved = is_part(peak.peak_reserved_bytes, kReservedPart, peak.capacity_bytes);
  // A snapshot has nothing else to say, and the GPU's size is not in it.
  const bool is_asked_for = !facts.has_gpu_work() && peak.capacity_bytes == kUnknown && peak.bytes > 0;
  if (is_full) {
    add(diagnosis, "memory_full", arguments_of(facts, peak));
  } else if (is_reserved && is_part(peak.unused_bytes(), kUnusedPart, peak.reserved_bytes)) {
    add(diagnosis, "memory_unused", arguments_of(facts, peak));
  } else if (is_asked_for && !has_refusal) {
    add(diagnosis, "memory_peak", arguments_of(facts, peak));
  }
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (facts.trace.allocations.start.empty()) return;
  const std::vector<MemoryShortage> shortages = memory_shortages(facts.trace);
  for (const MemoryAtPeak& peak : memory_at_peaks(facts.trace)) {
    std::optional<Refusal> refusal = last_refusal(facts.trace, shortages, peak);
    const bool has_refusal = refusal.has_value();
    if (refusal) {
      std::vector<Argument> arguments = arguments_of(facts, peak);
      std::erase_if(arguments, [](const Argument& a) { return a.name == "unused"; });
      arguments.insert(arguments.end(), refusal->arguments.begin(), refusal->arguments.end());
      add(diagnosis, refusal->id, std::move(arguments));
    }
    judge_peak(facts, peak, has_refusal, diagnosis);
  }
}

constexpr std::string_view kFree = "What frees memory at the peak: {free}.";

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"memory_full.says",
     "Memory in use on {gpu} reaches {peak} of {total} at {time}. At that time it is {held}. A slightly larger demand "
     "fails with "
     "out of memory, or makes PyTorch's allocator free memory and allocate it again."},
    {"memory_full.do", kFree},
    {"memory_unused.says",
     "PyTorch's allocator reserves {reserved} of {total} on {gpu} when most memory is in use, at {time}, and {unused} "
     "of "
     "it are not in use. The memory in use is {held}."},
    {"memory_unused.do",
     "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, keep tensor sizes constant from step to step, or round "
     "sizes up (roundup_power2_divisions): at most {unused}. torch.cuda.empty_cache() frees whole unused segments "
     "only. "
     "Other ways: {free}."},
    {"memory_peak.says", "Memory in use on {gpu} reaches {peak} at {time}. At that time it is {held}."},
    {"memory_peak.do", kFree},
    {"out_of_memory.says",
     "An allocation of {requested} on {gpu} failed with out of memory ({refusals:such failure}). The profile does not "
     "show the free memory at that time. The most in use is {peak}, at {time}: {held}."},
    {"out_of_memory.do", kFree},
    {"out_of_memory_too_large.says",
     "An allocation of {requested} on {gpu} failed with out of memory: {gpu_free} were free on the GPU and {unused} in "
     "PyTorch's allocator, which is {short} too little ({refusals:such failure}). The most in use is {peak}, at "
     "{time}: {held}."},
    {"out_of_memory_too_large.do", kFree},
    {"out_of_memory_fragmented.says",
     "An allocation of {requested} on {gpu} failed with out of memory although enough is free in total: {gpu_free} on "
     "the "
     "GPU and {unused} in PyTorch's allocator, in pieces of at most {largest} ({refusals:such failure}). The memory "
     "is "
     "fragmented. The most in use is {peak}, at {time}: {held}."},
    {"out_of_memory_fragmented.do",
     "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, allocate large tensors first, or keep tensor sizes "
     "constant. "
     "What frees memory at the peak: {free}."},
    {"out_of_memory_outside.says",
     "An allocation of {requested} on {gpu} failed with out of memory: it is {short} too large. {outside} of the GPU's "
     "{total} are held outside of the program's allocator, by other processes, CUDA contexts or libraries "
     "({refusals:such failure}). The most in use is {peak}, at {time}: {held}."},
    {"out_of_memory_outside.do",
     "List the other processes with nvidia-smi or sonde gpus, and end those that are not needed. What frees memory at "
     "the "
     "peak: {free}."},
    {"out_of_memory_limit.says",
     "An allocation of {requested} on {gpu} failed with out of memory although {gpu_free} were free on the GPU "
     "({refusals:such failure}). The most in use is {peak}, at {time}: {held}."},
    {"out_of_memory_limit.do",
     "Check torch.cuda.set_per_process_memory_fraction() and limits of the container or MIG instance. What frees "
     "memory "
     "at the peak: {free}."},
});

FindingDoc doc(std::vector<std::string> ids, std::string reports, std::string when, std::string not_when) {
  return {.ids = std::move(ids),
          .reports = std::move(reports),
          .when = std::move(when),
          .not_when = std::move(not_when),
          .ceiling =
              "0: it costs no time yet. The bytes that a fix can free are bounds: memory that is held for two "
              "reasons counts for both.",
          .evidence = {},
          .min_percent = 0};
}

std::vector<FindingDoc> docs() {
  return {doc({"memory_full"}, "Memory in use nearly fills a GPU. The finding names what holds it, by role and module.",
              fmt::format("Memory in use reaches {:g} % of the GPU's memory.", 100 * kFull),
              "The finding needs the GPU's memory size."),
          doc({"memory_unused"},
              "PyTorch's allocator holds much of a GPU's memory without using it, because it is fragmented or cached.",
              fmt::format(
                  "It reserves {:g} % of the GPU's memory, and {:g} % of what it reserves is not in use when most is "
                  "in use.",
                  100 * kReservedPart, 100 * kUnusedPart),
              "The finding needs the GPU's memory size, and the allocator's own totals (torch.profiler with "
              "profile_memory=True). Not reported with `memory_full`."),
          doc({"memory_peak"}, "What holds the memory of a GPU when most is in use.",
              "The profile is a memory snapshot: it has no GPU work, and does not show the GPU's memory size.", ""),
          doc({"out_of_memory", "out_of_memory_too_large", "out_of_memory_fragmented", "out_of_memory_outside",
               "out_of_memory_limit"},
              "PyTorch raised an out-of-memory error. The finding says why the last one of a GPU was raised.",
              fmt::format(
                  "A memory snapshot has the event. `out_of_memory_limit`: more than was requested is free on the GPU. "
                  "`out_of_memory_fragmented`: enough is free on the GPU and in the allocator together. "
                  "`out_of_memory_outside`: otherwise, and at least {:g} GiB, and enough for the request, are in use "
                  "outside of the allocator; this needs the GPU's memory size. `out_of_memory_too_large`: otherwise. "
                  "`out_of_memory`: the free memory is unknown.",
                  static_cast<double>(kOutsideBytes) / (1 << 30)),
              "")};
}

}  // namespace
}  // namespace memory_peak_finding

extern const Rule memory_peak_rule;
const Rule memory_peak_rule{
    .name = "memory_peak",
    .description = "what holds GPU memory that is nearly full, reserved and not used, or ran out",
    .fields = kMemoryPeakFields | Fields{Field::marks},
    .checks = {},
    .judge = &memory_peak_finding::judge,
    .texts = memory_peak_finding::kTexts,
    .docs = &memory_peak_finding::docs};

}  // namespace sonde
