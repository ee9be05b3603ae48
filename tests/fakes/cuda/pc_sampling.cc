#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <vector>

#include "parts.h"

// CUPTI's PC sampling, as CUDA 12.4 and later have it, of one context at a time. The order of calls is checked. A
// kernel's samples are known by construction: one each 2^(period - 3) nanoseconds that it runs. It has 4 + L % 5
// instructions of 16 bytes, L the length of its name; half of the samples lie in the third one, the rest is shared out
// evenly, what is left over in the first. Instruction k waits for reason (k + L) % 18 always; at half of these samples
// nothing was issued. Kernels that still run when sampling begins are sampled too, and samples of one that has not
// ended are not to be had.
#if FAKE_CUPTI_VERSION >= 22 && !defined(FAKE_WITHOUT_PC_SAMPLING)
namespace fake_cuda::cupti {
namespace {

constexpr uint32_t kOutOfMemory = 8, kUsualPeriod = 10, kMinPeriod = 5, kMaxPeriod = 31;
constexpr uint64_t kInstructionBytes = 16;

constexpr const char* kReasons[] = {
    "barrier",         "branch_resolving",   "dispatch_stall",   "drain",        "imc_miss",     "lg_throttle",
    "long_scoreboard", "math_pipe_throttle", "membar",           "mio_throttle", "misc",         "no_instructions",
    "not_selected",    "selected",           "short_scoreboard", "sleeping",     "tex_throttle", "wait"};
constexpr uint32_t kReasonCount = sizeof kReasons / sizeof kReasons[0];

struct StallReason {
  uint32_t index, samples;
};

/// CUpti_PCSamplingPCData
struct PcData {
  size_t size;
  uint64_t crc, offset;
  uint32_t function_index, pad;
  const char* name;
  size_t reasons;
  StallReason* reason;
  uint32_t correlation;
};
static_assert(sizeof(PcData) == 64);

/// CUpti_PCSamplingData
struct Data {
  size_t size, room;
  uint64_t total, dropped;
  size_t count, remaining;
  uint64_t range;
  PcData* pcs;
  uint64_t other_kernels;
  uint8_t full;
};
static_assert(sizeof(Data) == 80);

/// CUpti_PCSamplingConfigurationInfo
struct Info {
  uint32_t type;
  int32_t status;
  uint64_t data[3];
};
static_assert(sizeof(Info) == 32);

struct OfContext {
  size_t size;
  void* reserved;
  const void* context;
};
struct Configure {
  OfContext of;
  size_t count;
  Info* infos;
};
struct GetData {
  OfContext of;
  Data* data;
};
struct CountReasons {
  OfContext of;
  size_t* count;
};
struct NameReasons {
  OfContext of;
  size_t count;
  uint32_t* indices;
  char** names;
};
struct Crc {
  size_t size, bytes;
  const void* cubin;
  uint64_t crc;
};

struct Sample {
  const char* function;
  uint64_t offset;
  uint32_t reason;  ///< of kReasons
  uint64_t count;
  int64_t end;  ///< of the kernel
};

std::mutex mutex;
const void* enabled = nullptr;  ///< the context
ContextInfo sampled{};
bool configured = false, started = false;
uint32_t period = kUsualPeriod;
Data* buffer = nullptr;
std::vector<Operation> kernels;  ///< the latest
std::vector<Sample> samples;
uint64_t code = 0;

int64_t clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

uint32_t index_of(uint32_t reason, bool is_not_issued) {
  return 5 + sampled.device + 2 * reason + (is_not_issued ? 100 : 0);
}

void sample(const Operation& kernel) {
  const char* name = kernel.kernel->name;
  const size_t length = strlen(name);
  const uint64_t total = static_cast<uint64_t>(kernel.end - kernel.start) >> (period - 3);
  const uint64_t instructions = 4 + length % 5;
  const uint64_t each = (total - total / 2) / (instructions - 1);
  for (uint64_t k = 0; k < instructions; ++k) {
    const uint64_t rest = total - total / 2 - each * (instructions - 1);
    const uint64_t count = k == 2 ? total / 2 : each + (k == 0 ? rest : 0);
    samples.push_back(
        {name, k * kInstructionBytes, static_cast<uint32_t>((k + length) % kReasonCount), count, kernel.end});
  }
  if (faults().pc_elsewhere > 0) samples.push_back({"_Z6calledv", 0, 0, faults().pc_elsewhere, kernel.end});
}

bool is_sampled(const Operation& kernel) { return kernel.context == sampled.id; }

/// As many as there is room for.
void give(Data& into) {
  const int64_t now = clock_ns();
  const size_t most = faults().pc_piece == 0 ? into.room : std::min<size_t>(into.room, faults().pc_piece);
  const bool is_first = !samples.empty();
  while (into.count < most && !samples.empty() && samples.front().end <= now) {
    const Sample s = samples.front();
    samples.erase(samples.begin());
    if (s.count == 0) continue;
    PcData& pc = into.pcs[into.count++];
    if (pc.size < sizeof pc) abort();
    pc.crc = code;
    pc.offset = s.offset;
    pc.name = s.function;
    pc.reasons = s.count / 2 > 0 ? 2 : 1;
    pc.reason[0] = {index_of(s.reason, false), static_cast<uint32_t>(s.count)};
    pc.reason[1] = {index_of(s.reason, true), static_cast<uint32_t>(s.count / 2)};
    if (faults().pc_unnamed && s.offset == 0) pc.reason[0].index = 4000;
    into.total += s.count;
  }
  if (is_first) into.dropped += faults().pc_dropped;
  if (is_first) into.total += faults().pc_dropped;
  into.remaining = samples.size();
}

uint64_t crc_of(const void* bytes, size_t count) {
  uint64_t crc = 1469598103934665603ULL;
  for (size_t i = 0; i < count; ++i) crc = (crc ^ static_cast<const uint8_t*>(bytes)[i]) * 1099511628211ULL;
  return crc;
}

template <typename Params>
bool is_sound(const Params* p) {
  return p != nullptr && p->of.size == sizeof *p && p->of.reserved == nullptr && p->of.context != nullptr;
}
bool is_sound(const OfContext* p) {
  return p != nullptr && p->size == sizeof *p && p->reserved == nullptr && p->context != nullptr;
}

bool take(const Info& info) {
  switch (info.type) {
    case 1: period = static_cast<uint32_t>(info.data[0]); return period >= kMinPeriod && period <= kMaxPeriod;
    case 3:
    case 4: return info.data[0] > 0;
    case 5: return info.data[0] == 1;
    case 6: return info.data[0] == 1;
    case 8:
      buffer = reinterpret_cast<Data*>(info.data[0]);
      return buffer != nullptr && buffer->size >= sizeof(Data) - 7;
    default: return false;
  }
}

std::string cubin;

void read_code() {
  const char* path = getenv("SONDE_FAKE_CUBIN");
  FILE* file = path == nullptr ? nullptr : fopen(path, "rb");
  char part[4096];
  for (size_t got = 1; file != nullptr && got > 0;) {
    got = fread(part, 1, sizeof part, file);
    cubin.append(part, got);
  }
  if (file != nullptr) fclose(file);
}

}  // namespace

void note_for_pc_sampling(const Operation& operation) {
  if (operation.sort != Sort::kernel || operation.kernel == nullptr) return;
  const std::lock_guard lock(mutex);
  constexpr size_t kLatest = 64;
  if (kernels.size() == kLatest) kernels.erase(kernels.begin());
  kernels.push_back(operation);
  if (started && is_sampled(operation)) sample(operation);
}

void load_code(const void* context) {
  static const bool read = (read_code(), true);
  if (!read || cubin.empty()) return;
  // As CUPTI's: gone when the call is over.
  const std::string copy = cubin;
  struct {
    uint32_t module;
    size_t bytes;
    const char* cubin;
  } const loaded{1, copy.size(), copy.data()};
  code = crc_of(copy.data(), copy.size());
  tell_resource(6, context, nullptr, &loaded);
}

uint64_t loaded_code() { return code; }

EXPORT uint32_t cuptiPCSamplingEnable(OfContext* p) {
  const std::lock_guard lock(mutex);
  if (faults().pc_fails != 0) return faults().pc_fails;
  if (!is_sound(p)) return kInvalidParameter;
  Counters nobody = Counters::nobody;
  if (enabled != nullptr) return kInvalidOperation;
  if (!counters_of.compare_exchange_strong(nobody, Counters::pc_sampling)) return kNotCompatible;
  enabled = p->context;
  sampled = driver()->context_of(p->context);
  configured = started = false;
  period = kUsualPeriod;
  samples.clear();
  return kSuccess;
}

EXPORT uint32_t cuptiPCSamplingDisable(OfContext* p) {
  const std::lock_guard lock(mutex);
  if (!is_sound(p) || enabled != p->context) return kInvalidOperation;
  if (buffer != nullptr && faults().pc_late) give(*buffer);
  samples.clear();
  enabled = nullptr;
  buffer = nullptr;
  counters_of = Counters::nobody;
  return kSuccess;
}

EXPORT uint32_t cuptiPCSamplingSetConfigurationAttribute(Configure* p) {
  const std::lock_guard lock(mutex);
  if (!is_sound(p) || enabled != p->of.context || started) return kInvalidOperation;
  bool start_stop = false;
  for (size_t i = 0; i < p->count; ++i) {
    if (!take(p->infos[i])) return kInvalidParameter;
    start_stop = start_stop || p->infos[i].type == 6;
  }
  configured = start_stop && buffer != nullptr;
  return kSuccess;
}

EXPORT uint32_t cuptiPCSamplingGetConfigurationAttribute(Configure* p) {
  const std::lock_guard lock(mutex);
  if (!is_sound(p) || enabled != p->of.context || p->count != 1 || p->infos[0].type != 1) return kInvalidParameter;
  memcpy(p->infos[0].data, &period, sizeof period);
  return kSuccess;
}

/// Before sampling is switched on there are none, as users saw it.
EXPORT uint32_t cuptiPCSamplingGetNumStallReasons(CountReasons* p) {
  if (!is_sound(p)) return kInvalidParameter;
  const std::lock_guard lock(mutex);
  *p->count = enabled == p->of.context ? 2 * kReasonCount : 0;
  return kSuccess;
}

EXPORT uint32_t cuptiPCSamplingGetStallReasons(NameReasons* p) {
  const std::lock_guard lock(mutex);
  if (!is_sound(p) || enabled != p->of.context || p->count != 2 * kReasonCount) return kInvalidParameter;
  for (uint32_t i = 0; i < p->count; ++i) {
    const bool again = i >= kReasonCount;
    p->indices[i] = index_of(i % kReasonCount, again);
    snprintf(p->names[i], 128, "smsp__pcsamp_warps_issue_stalled_%s%s", kReasons[i % kReasonCount],
             again ? "_not_issued" : "");
  }
  return kSuccess;
}

EXPORT uint32_t cuptiPCSamplingStart(OfContext* p) {
  const std::lock_guard lock(mutex);
  if (!is_sound(p) || enabled != p->context || !configured || started) return kInvalidOperation;
  started = true;
  const int64_t now = clock_ns();
  for (const Operation& kernel : kernels) {
    if (is_sampled(kernel) && kernel.end > now) sample(kernel);
  }
  return kSuccess;
}

EXPORT uint32_t cuptiPCSamplingStop(OfContext* p) {
  const std::lock_guard lock(mutex);
  if (!is_sound(p) || enabled != p->context || !started) return kInvalidOperation;
  started = false;
  return kSuccess;
}

EXPORT uint32_t cuptiPCSamplingGetData(GetData* p) {
  const std::lock_guard lock(mutex);
  if (faults().pc_data_fails != 0) return faults().pc_data_fails;
  if (!is_sound(p) || enabled != p->of.context) return kInvalidOperation;
  Data& into = *p->data;
  if (into.count != 0) return kInvalidParameter;
  into.total = into.dropped = 0;
  into.full = faults().pc_full ? 1 : 0;
  if (faults().pc_full) return kOutOfMemory;
  if (!faults().pc_late) give(into);
  return kSuccess;
}

EXPORT uint32_t cuptiGetCubinCrc(Crc* p) {
  if (p == nullptr || p->size != sizeof *p || p->cubin == nullptr || p->bytes == 0) return kInvalidParameter;
  p->crc = crc_of(p->cubin, p->bytes);
  return kSuccess;
}

}  // namespace fake_cuda::cupti
#else
namespace fake_cuda::cupti {
void note_for_pc_sampling(const Operation&) {}
void load_code(const void*) {}
uint64_t loaded_code() { return 0; }
}  // namespace fake_cuda::cupti
#endif
