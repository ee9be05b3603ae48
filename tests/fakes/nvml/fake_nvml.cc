// A stand-in for libnvidia-ml.so.1. The file that SONDE_FAKE_NVML names describes its GPUs. It is read again whenever
// it changes. Lines are `key = value`, # begins a comment:
//
//   gpus = 2
//   gpu.1.power_mw = 250000        a value; kDefaults lists them; - makes it absent (not supported)
//   gpu.1.fail.nvmlDeviceGetName = 4   a call's code; gpu.1.fail.* for all calls of the GPU
//   gpu.1.hang = nvmlDeviceGetName     the call blocks until the line is gone; * for all
//   gpu.1.delay_ms = 20            every call of the GPU takes this long
//   delay_us = 30                  every call for any GPU does
//   delay_us.nvmlDeviceGetPowerUsage = 500    one call for any GPU
//   fail.nvmlInit_v2 = 9           a call without a GPU
//   gpu.0.processes = 4242 1073741824 train; 4243 - other
//   event_poll_ms = 2              how often a wait for events looks at this file; the real one sleeps in the kernel
//   event.1 = 0 8 79               the first event: GPU, type, data; event.2 the next
//
// Clocks that were locked and unlocked are written to the file of the same name with .clocks behind it, a line a call:
// "0 4294967041 4294967041", "0 unlocked".
//
// Built with FAKE_NVML_OLD it lacks the functions of newer drivers.
#include <sys/stat.h>
#include <atomic>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "nvml_abi.h"

namespace {

using Text = std::string;
using Word = unsigned;
using Long = unsigned long long;

// Never destroyed, as all that a hanging call may still read while the program ends.
const std::map<Text, Text>& kDefaults = *new std::map<Text, Text>{
    {"name", "NVIDIA Stand-in"},
    {"serial", "1650000000001"},
    {"vbios", "96.00.A5.00.01"},
    {"inforom", "G520.0200.00.05"},
    {"inforom.0", "2.1"},
    {"inforom.1", "7.16"},
    {"major", "9"},
    {"minor", "0"},
    {"architecture", "9"},
    {"cores", "16896"},
    {"bus_bits", "5120"},
    {"utilization", "37"},
    {"memory_utilization", "21"},
    {"memory_total", "85520809984"},
    {"memory_reserved", "502267904"},
    {"memory_used", "4294967296"},
    {"memory_free", "80723574784"},
    {"bar1_total", "137438953472"},
    {"bar1_used", "1048576"},
    {"temperature", "41"},
    {"margin", "46"},
    {"power_mw", "45304"},
    {"power_limit_mw", "700000"},
    {"enforced_limit_mw", "650000"},
    {"default_limit_mw", "700000"},
    {"min_limit_mw", "200000"},
    {"max_limit_mw", "720000"},
    {"energy_mj", "123456789012"},
    {"pstate", "0"},
    {"clock.0", "1410"},
    {"clock.1", "1411"},
    {"clock.2", "2619"},
    {"clock.3", "765"},
    {"max_clock.0", "1980"},
    {"max_clock.1", "1981"},
    {"max_clock.2", "2620"},
    {"reasons", "4"},
    {"reasons_supported", "511"},
    {"field.74", "5000000"},
    {"field.76", "6000000"},
    {"field.82", "48"},
    {"field.164", "26562"},
    {"field.185", "45100"},
    {"field.186", "45200"},
    {"field.193", "-8"},
    {"field.194", "-2"},
    {"field.230", "0"},
    {"field.251", "7000000"},
    {"field.252", "8000000"},
    {"field.253", "9000000"},
    {"encoder", "1"},
    {"decoder", "2"},
    {"jpeg", "3"},
    {"ofa", "4"},
    {"compute_mode", "0"},
    {"persistence", "1"},
    {"display_attached", "1"},
    {"display_active", "0"},
    {"accounting", "0"},
    {"accounting_size", "4000"},
    {"pcie_max_gen", "5"},
    {"pcie_gpu_max_gen", "6"},
    {"pcie_max_width", "16"},
    {"pcie_gen", "4"},
    {"pcie_width", "8"},
    {"pcie_replays", "9"},
    {"pcie_kb.0", "352"},
    {"pcie_kb.1", "329"},
    {"ecc", "1"},
    {"ecc_pending", "1"},
    {"gsp", "1"},
    {"gsp_default", "1"},
    {"mig", "0"},
    {"mig_pending", "1"},
    {"fabric_state", "3"},
    {"links", "2"},
    {"gpm", "1"},
    {"processes", ""},
    {"events", "57351"},
};

struct Script {
  std::map<Text, Text> lines;

  Text get(const Text& key, const Text& otherwise = "") const {
    const auto found = lines.find(key);
    return found == lines.end() ? otherwise : found->second;
  }
};

Text trimmed(const Text& text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == Text::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

Script read_script(const char* path) {
  Script script;
  std::ifstream file(path);
  for (Text line; std::getline(file, line);) {
    line = line.substr(0, line.find('#'));
    const size_t equals = line.find('=');
    if (equals != Text::npos) script.lines[trimmed(line.substr(0, equals))] = trimmed(line.substr(equals + 1));
  }
  return script;
}

std::mutex mutex;
std::shared_ptr<const Script>& current = *new std::shared_ptr<const Script>(new Script);
bool initialized = false;
size_t events_given = 0;
std::set<void*>& listened = *new std::set<void*>;

/// The script, read again where the file has changed.
std::shared_ptr<const Script> script() {
  static struct stat seen{};
  const std::scoped_lock lock(mutex);
  const char* const path = std::getenv("SONDE_FAKE_NVML");
  struct stat now{};
  if (path == nullptr || stat(path, &now) != 0) return current;
  if (now.st_ino != seen.st_ino || now.st_size != seen.st_size || now.st_mtim.tv_nsec != seen.st_mtim.tv_nsec ||
      now.st_mtim.tv_sec != seen.st_mtim.tv_sec) {
    current = std::make_shared<const Script>(read_script(path));
    seen = now;
  }
  return current;
}

// Handles: an address a GPU, and one beside it for its MIG device.
char handles[64][2];
int index_of(nvml_dev device) {
  const auto offset = static_cast<char*>(device) - &handles[0][0];
  return offset >= 0 && offset < 128 ? static_cast<int>(offset / 2) : -1;
}
bool is_mig(nvml_dev device) { return (static_cast<char*>(device) - &handles[0][0]) % 2 == 1; }

Text key(int gpu, const Text& what) { return "gpu." + std::to_string(gpu) + "." + what; }

bool names(const Text& list, const Text& call) {
  std::istringstream words(list);
  for (Text word; words >> word;) {
    if (word == "*" || word == call) return true;
  }
  return false;
}

/// What happens before a call for a GPU gives anything: it takes its time, hangs, fails.
nvml_ret enter(int gpu, const char* call) {
  if (!initialized) return RET_UNINITIALIZED;
  auto s = script();
  if (gpu < 0 || gpu >= std::stoi(s->get("gpus", "1"))) return RET_INVALID_ARGUMENT;
  const int delay = std::stoi(s->get(key(gpu, "delay_ms"), "0"));
  if (delay > 0) std::this_thread::sleep_for(std::chrono::milliseconds(delay));
  const int delay_us = std::stoi(s->get(Text("delay_us.") + call, s->get("delay_us", "0")));
  if (delay_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
  while (names(s->get(key(gpu, "hang")), call)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    s = script();
  }
  return std::stoi(s->get(key(gpu, Text("fail.") + call), s->get(key(gpu, "fail.*"), "0")));
}

/// A value of a GPU; "-" is one that it does not give.
nvml_ret value(int gpu, const Text& what, Text& text) {
  const auto found = kDefaults.find(what);
  text = script()->get(key(gpu, what), found == kDefaults.end() ? "-" : found->second);
  return text == "-" ? RET_NOT_SUPPORTED : RET_OK;
}

nvml_ret value(int gpu, const Text& what, long long& number) {
  Text text;
  const nvml_ret code = value(gpu, what, text);
  if (code == RET_OK) number = std::stoll(text);
  return code;
}

template <typename T>
void put(void* structure, size_t offset, T what) {
  std::memcpy(static_cast<char*>(structure) + offset, &what, sizeof what);
}

template <typename T>
T at(const void* structure, size_t offset) {
  T what;
  std::memcpy(&what, static_cast<const char*>(structure) + offset, sizeof what);
  return what;
}

nvml_ret give(const Text& text, char* out, Word length) {
  if (text.size() + 1 > length) return RET_INSUFFICIENT_SIZE;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return RET_OK;
}

nvml_ret word(nvml_dev device, const char* call, const Text& what, Word* out) {
  const int gpu = index_of(device);
  if (const nvml_ret code = enter(gpu, call)) return code;
  long long number = 0;
  const nvml_ret code = value(gpu, what, number);
  if (code == RET_OK) *out = static_cast<Word>(number);
  return code;
}

nvml_ret longs(nvml_dev device, const char* call, const Text& what, Long* out) {
  const int gpu = index_of(device);
  if (const nvml_ret code = enter(gpu, call)) return code;
  long long number = 0;
  const nvml_ret code = value(gpu, what, number);
  if (code == RET_OK) *out = static_cast<Long>(number);
  return code;
}

nvml_ret words(nvml_dev device, const char* call, const Text& what, char* out, Word length) {
  const int gpu = index_of(device);
  if (const nvml_ret code = enter(gpu, call)) return code;
  Text text;
  const nvml_ret code = value(gpu, what, text);
  return code == RET_OK ? give(text, out, length) : code;
}

long long number_of(int gpu, const Text& what) {
  long long number = 0;
  value(gpu, what, number);
  return number;
}

struct Process {
  Word pid;
  Long memory;
  Text name;
};

std::vector<Process> processes_of(int gpu) {
  std::vector<Process> all;
  Text text;
  value(gpu, "processes", text);
  std::istringstream parts(text);
  for (Text part; std::getline(parts, part, ';');) {
    std::istringstream fields(part);
    Process process{};
    Text memory;
    if (!(fields >> process.pid >> memory >> process.name)) continue;
    process.memory = memory == "-" ? ~0ULL : std::stoull(memory);
    all.push_back(process);
  }
  return all;
}

nvml_ret list(int gpu, Word* count, char* out, const std::vector<Process>& all) {
  const Word room = *count;
  *count = static_cast<Word>(all.size());
  if (all.empty()) return RET_OK;
  if (out == nullptr || room < all.size()) return RET_INSUFFICIENT_SIZE;
  for (size_t i = 0; i < all.size(); ++i) {
    char* const entry = out + i * PROC_SIZE;
    put(entry, PROC_PID, all[i].pid);
    put(entry, PROC_MEMORY, all[i].memory);
    put(entry, PROC_GI, number_of(gpu, "mig") != 0 ? 1U : 0xFFFFFFFFU);
    put(entry, PROC_CI, number_of(gpu, "mig") != 0 ? 2U : 0xFFFFFFFFU);
  }
  return RET_OK;
}

nvml_ret plain(const char* call) {
  if (!initialized && Text(call) != "nvmlInit_v2") return RET_UNINITIALIZED;
  while (names(script()->get("hang"), call)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return std::stoi(script()->get(Text("fail.") + call, "0"));
}

}  // namespace

#define API extern "C" __attribute__((visibility("default"))) nvml_ret
#define ONE(symbol, what) \
  API symbol(nvml_dev d, Word* out) { return word(d, #symbol, what, out); }
#define TWO(symbol, first, second)                              \
  API symbol(nvml_dev d, Word* a, Word* b) {                    \
    const nvml_ret code = word(d, #symbol, first, a);           \
    return code != RET_OK ? code : word(d, #symbol, second, b); \
  }
#define TEXT(symbol, what) \
  API symbol(nvml_dev d, char* out, Word length) { return words(d, #symbol, what, out, length); }
#define OF(symbol, what) \
  API symbol(nvml_dev d, Word kind, Word* out) { return word(d, #symbol, Text(what ".") + std::to_string(kind), out); }
#define LONG(symbol, what) \
  API symbol(nvml_dev d, Long* out) { return longs(d, #symbol, what, out); }

API nvmlInit_v2() {
  const nvml_ret code = plain("nvmlInit_v2");
  if (code == RET_OK) {
    const std::scoped_lock lock(mutex);
    initialized = true;
    events_given = 0;
    listened.clear();
  }
  return code;
}
API nvmlShutdown() {
  initialized = false;
  return RET_OK;
}
API nvmlSystemGetDriverVersion(char* out, Word length) {
  const nvml_ret code = plain("nvmlSystemGetDriverVersion");
  return code != RET_OK ? code : give(script()->get("driver", "590.48.01"), out, length);
}
API nvmlSystemGetNVMLVersion(char* out, Word length) { return give("13.590.48.01", out, length); }
API nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 13010;
  return RET_OK;
}
API nvmlSystemGetProcessName(Word pid, char* out, Word length) {
  const int gpus = std::stoi(script()->get("gpus", "1"));
  for (int gpu = 0; gpu < gpus; ++gpu) {
    for (const Process& process : processes_of(gpu)) {
      if (process.pid == pid) return give(process.name, out, length);
    }
  }
  return RET_NOT_FOUND;
}
API nvmlDeviceGetCount_v2(Word* count) {
  const nvml_ret code = plain("nvmlDeviceGetCount_v2");
  if (code == RET_OK) *count = static_cast<Word>(std::stoul(script()->get("gpus", "1")));
  return code;
}
API nvmlDeviceGetHandleByIndex_v2(Word index, nvml_dev* device) {
  const nvml_ret code = enter(static_cast<int>(index), "nvmlDeviceGetHandleByIndex_v2");
  if (code == RET_OK) *device = &handles[index][0];
  return code;
}
namespace {
// As nvml.h says: names of limits are not mixed with clocks.
nvml_ret change_clocks(nvml_dev d, const char* call, const Text& line, bool valid) {
  const int gpu = index_of(d);
  if (const nvml_ret code = enter(gpu, call)) return code;
  if (is_mig(d)) return RET_NOT_SUPPORTED;
  if (!valid) return RET_INVALID_ARGUMENT;
  const char* const description = std::getenv("SONDE_FAKE_NVML");
  std::ofstream(Text(description) + ".clocks", std::ios::app) << gpu << ' ' << line << '\n';
  return RET_OK;
}
}  // namespace
API nvmlDeviceSetGpuLockedClocks(nvml_dev d, Word lowest, Word highest) {
  constexpr Word kLimits = 0xffffff00;
  const bool valid = lowest > kLimits ? highest > kLimits : highest < kLimits && lowest <= highest;
  return change_clocks(d, "nvmlDeviceSetGpuLockedClocks", std::to_string(lowest) + " " + std::to_string(highest),
                       valid);
}
API nvmlDeviceResetGpuLockedClocks(nvml_dev d) {
  return change_clocks(d, "nvmlDeviceResetGpuLockedClocks", "unlocked", true);
}
API nvmlDeviceGetUUID(nvml_dev d, char* out, Word length) {
  const int gpu = index_of(d);
  if (const nvml_ret code = enter(gpu, "nvmlDeviceGetUUID")) return code;
  char text[64];
  std::snprintf(text, sizeof text, "%s-0000000%d-1111-2222-3333-444444444444", is_mig(d) ? "MIG" : "GPU", gpu);
  return give(text, out, length);
}
API nvmlDeviceGetName(nvml_dev d, char* out, Word length) {
  const int gpu = index_of(d);
  if (const nvml_ret code = enter(gpu, "nvmlDeviceGetName")) return code;
  Text text;
  if (const nvml_ret code = value(gpu, "name", text)) return code;
  return give(is_mig(d) ? text + " MIG 1g.10gb" : text, out, length);
}
TEXT(nvmlDeviceGetSerial, "serial")
TEXT(nvmlDeviceGetVbiosVersion, "vbios")
TEXT(nvmlDeviceGetInforomImageVersion, "inforom")
API nvmlDeviceGetInforomVersion(nvml_dev d, Word kind, char* out, Word length) {
  return words(d, "nvmlDeviceGetInforomVersion", "inforom." + std::to_string(kind), out, length);
}
API nvmlDeviceGetPciInfo_v3(nvml_dev d, void* out) {
  const int gpu = index_of(d);
  if (const nvml_ret code = enter(gpu, "nvmlDeviceGetPciInfo_v3")) return code;
  char id[32] = {};
  std::snprintf(id, sizeof id, "00000000:%02X:00.0", 0x19 + gpu);
  std::memset(out, 0, 68);
  std::memcpy(out, id + 4, 13);
  put(out, PCI_DOMAIN, 0U);
  put(out, PCI_BUS, static_cast<Word>(0x19 + gpu));
  put(out, PCI_DEVICE, 0U);
  put(out, PCI_DEVICE_ID, 0x233010DEU);
  put(out, PCI_SUBSYSTEM, 0x16C110DEU);
  std::memcpy(static_cast<char*>(out) + PCI_BUS_ID, id, sizeof id);
  return RET_OK;
}
API nvmlDeviceGetCudaComputeCapability(nvml_dev d, int* major, int* minor) {
  const int gpu = index_of(d);
  if (const nvml_ret code = enter(gpu, "nvmlDeviceGetCudaComputeCapability")) return code;
  *major = static_cast<int>(number_of(gpu, "major"));
  *minor = static_cast<int>(number_of(gpu, "minor"));
  return RET_OK;
}
ONE(nvmlDeviceGetArchitecture, "architecture")
ONE(nvmlDeviceGetNumGpuCores, "cores")
ONE(nvmlDeviceGetMemoryBusWidth, "bus_bits")
API nvmlDeviceGetMinorNumber(nvml_dev d, Word* out) {
  if (const nvml_ret code = enter(index_of(d), "nvmlDeviceGetMinorNumber")) return code;
  *out = static_cast<Word>(index_of(d));
  return RET_OK;
}
OF(nvmlDeviceGetMaxClockInfo, "max_clock")
OF(nvmlDeviceGetClockInfo, "clock")
OF(nvmlDeviceGetApplicationsClock, "application_clock")
ONE(nvmlDeviceGetPowerManagementDefaultLimit, "default_limit_mw")
TWO(nvmlDeviceGetPowerManagementLimitConstraints, "min_limit_mw", "max_limit_mw")
ONE(nvmlDeviceGetPowerManagementLimit, "power_limit_mw")
ONE(nvmlDeviceGetEnforcedPowerLimit, "enforced_limit_mw")
ONE(nvmlDeviceGetPowerUsage, "power_mw")
LONG(nvmlDeviceGetTotalEnergyConsumption, "energy_mj")
ONE(nvmlDeviceGetMaxPcieLinkGeneration, "pcie_max_gen")
ONE(nvmlDeviceGetMaxPcieLinkWidth, "pcie_max_width")
ONE(nvmlDeviceGetCurrPcieLinkGeneration, "pcie_gen")
ONE(nvmlDeviceGetCurrPcieLinkWidth, "pcie_width")
ONE(nvmlDeviceGetPcieReplayCounter, "pcie_replays")
OF(nvmlDeviceGetPcieThroughput, "pcie_kb")
API nvmlDeviceGetUtilizationRates(nvml_dev d, void* out) {
  const int gpu = index_of(d);
  if (const nvml_ret code = enter(gpu, "nvmlDeviceGetUtilizationRates")) return code;
  long long use = 0;
  if (const nvml_ret code = value(gpu, "utilization", use)) return code;
  put(out, UTIL_GPU, static_cast<Word>(use));
  put(out, UTIL_MEM, static_cast<Word>(number_of(gpu, "memory_utilization")));
  return RET_OK;
}
#define ENGINE(symbol, what)                               \
  API symbol(nvml_dev d, Word* percent, Word* period_us) { \
    *period_us = 167000;                                   \
    return word(d, #symbol, what, percent);                \
  }
ENGINE(nvmlDeviceGetEncoderUtilization, "encoder")
ENGINE(nvmlDeviceGetDecoderUtilization, "decoder")
API nvmlDeviceGetMemoryInfo(nvml_dev d, void* out) {
  const int gpu = index_of(d);
  if (const nvml_ret code = enter(gpu, "nvmlDeviceGetMemoryInfo")) return code;
  put(out, MEM1_TOTAL, static_cast<Long>(number_of(gpu, "memory_total")));
  put(out, MEM1_FREE, static_cast<Long>(number_of(gpu, "memory_free")));
  put(out, MEM1_USED, static_cast<Long>(number_of(gpu, "memory_used") + number_of(gpu, "memory_reserved")));
  return RET_OK;
}
API nvmlDeviceGetBAR1MemoryInfo(nvml_dev d, void* out) {
  const int gpu = index_of(d);
  if (const nvml_ret code = enter(gpu, "nvmlDeviceGetBAR1MemoryInfo")) return code;
  put(out, MEM1_TOTAL, static_cast<Long>(number_of(gpu, "bar1_total")));
  put(out, MEM1_FREE, static_cast<Long>(number_of(gpu, "bar1_total") - number_of(gpu, "bar1_used")));
  put(out, MEM1_USED, static_cast<Long>(number_of(gpu, "bar1_used")));
  return RET_OK;
}
API nvmlDeviceGetTemperature(nvml_dev d, Word sensor, Word* out) {
  return sensor != 0 ? RET_INVALID_ARGUMENT : word(d, "nvmlDeviceGetTemperature", "temperature", out);
}
ONE(nvmlDeviceGetFanSpeed, "fan")
ONE(nvmlDeviceGetPerformanceState, "pstate")
API nvmlDeviceGetFieldValues(nvml_dev d, int count, void* out) {
  const int gpu = index_of(d);
  if (const nvml_ret code = enter(gpu, "nvmlDeviceGetFieldValues")) return code;
  for (int i = 0; i < count; ++i) {
    char* const field = static_cast<char*>(out) + i * FIELD_SIZE;
    long long number = 0;
    const nvml_ret code = value(gpu, "field." + std::to_string(at<Word>(field, FIELD_ID)), number);
    put(field, FIELD_RET, code);
    if (number < 0) {
      put(field, FIELD_TYPE, TYPE_INT);
      put(field, FIELD_VALUE, static_cast<int>(number));
    } else if (number > 1000000) {
      put(field, FIELD_TYPE, TYPE_ULL);
      put(field, FIELD_VALUE, static_cast<Long>(number));
    } else {
      put(field, FIELD_TYPE, TYPE_UINT);
      put(field, FIELD_VALUE + 4, 0xDEADBEEFU);  // the rest of the union is not the value
      put(field, FIELD_VALUE, static_cast<Word>(number));
    }
  }
  return RET_OK;
}
ONE(nvmlDeviceGetComputeMode, "compute_mode")
ONE(nvmlDeviceGetPersistenceMode, "persistence")
ONE(nvmlDeviceGetDisplayMode, "display_attached")
ONE(nvmlDeviceGetDisplayActive, "display_active")
ONE(nvmlDeviceGetAccountingMode, "accounting")
ONE(nvmlDeviceGetAccountingBufferSize, "accounting_size")
API nvmlDeviceGetEncoderStats(nvml_dev d, Word* sessions, Word* fps, Word* latency) {
  if (const nvml_ret code = enter(index_of(d), "nvmlDeviceGetEncoderStats")) return code;
  *sessions = 11;
  *fps = 12;
  *latency = 13;
  return RET_OK;
}
TWO(nvmlDeviceGetEccMode, "ecc", "ecc_pending")
// Each counter has a number that tells which it is: 1000 * (type + 1) + 100 * (counter + 1) + location.
API nvmlDeviceGetMemoryErrorCounter(nvml_dev d, Word type, Word counter, Word location, Long* out) {
  if (const nvml_ret code = enter(index_of(d), "nvmlDeviceGetMemoryErrorCounter")) return code;
  if (location == 3) return RET_NOT_SUPPORTED;
  *out = 1000ULL * (type + 1) + 100ULL * (counter + 1) + location;
  return RET_OK;
}
API nvmlDeviceGetTotalEccErrors(nvml_dev d, Word type, Word counter, Long* out) {
  if (const nvml_ret code = enter(index_of(d), "nvmlDeviceGetTotalEccErrors")) return code;
  *out = 1000ULL * (type + 1) + 100ULL * (counter + 1) + 99;
  return RET_OK;
}
API nvmlDeviceGetRetiredPages(nvml_dev d, Word cause, Word* count, Long* addresses) {
  if (const nvml_ret code = enter(index_of(d), "nvmlDeviceGetRetiredPages")) return code;
  *count = cause + 5;
  return addresses == nullptr ? RET_INSUFFICIENT_SIZE : RET_OK;
}
ONE(nvmlDeviceGetRetiredPagesPendingStatus, "retired_pending")
TWO(nvmlDeviceGetMigMode, "mig", "mig_pending")
API nvmlDeviceGetMaxMigDeviceCount(nvml_dev d, Word* count) {
  if (const nvml_ret code = enter(index_of(d), "nvmlDeviceGetMaxMigDeviceCount")) return code;
  *count = 7;
  return RET_OK;
}
API nvmlDeviceGetMigDeviceHandleByIndex(nvml_dev d, Word index, nvml_dev* mig) {
  const int gpu = index_of(d);
  if (const nvml_ret code = enter(gpu, "nvmlDeviceGetMigDeviceHandleByIndex")) return code;
  if (index != 3 || number_of(gpu, "mig") == 0) return RET_NOT_FOUND;
  *mig = &handles[gpu][1];
  return RET_OK;
}
API nvmlDeviceGetGpuInstanceId(nvml_dev, Word* out) {
  *out = 1;
  return RET_OK;
}
API nvmlDeviceGetComputeInstanceId(nvml_dev, Word* out) {
  *out = 2;
  return RET_OK;
}
API nvmlDeviceGetNvLinkState(nvml_dev d, Word link, Word* active) {
  const int gpu = index_of(d);
  if (const nvml_ret code = enter(gpu, "nvmlDeviceGetNvLinkState")) return code;
  if (link >= number_of(gpu, "links")) return link == 0 ? RET_NOT_SUPPORTED : RET_INVALID_ARGUMENT;
  *active = link == 0 ? 1 : 0;
  return RET_OK;
}
API nvmlDeviceGetNvLinkErrorCounter(nvml_dev d, Word link, Word counter, Long* out) {
  if (const nvml_ret code = enter(index_of(d), "nvmlDeviceGetNvLinkErrorCounter")) return code;
  *out = 10ULL * link + counter + 1;
  return RET_OK;
}
API nvmlDeviceGetComputeRunningProcesses_v3(nvml_dev d, Word* count, void* out) {
  const int gpu = index_of(d);
  if (const nvml_ret code = enter(gpu, "nvmlDeviceGetComputeRunningProcesses_v3")) return code;
  return list(gpu, count, static_cast<char*>(out), processes_of(gpu));
}
API nvmlDeviceGetGraphicsRunningProcesses_v3(nvml_dev d, Word* count, void* out) {
  const int gpu = index_of(d);
  if (const nvml_ret code = enter(gpu, "nvmlDeviceGetGraphicsRunningProcesses_v3")) return code;
  return list(gpu, count, static_cast<char*>(out), {});
}
API nvmlEventSetCreate(nvml_set* set) {
  static char one;
  *set = &one;
  return plain("nvmlEventSetCreate");
}
API nvmlEventSetFree(nvml_set) { return RET_OK; }
LONG(nvmlDeviceGetSupportedEventTypes, "events")
API nvmlDeviceRegisterEvents(nvml_dev d, Long types, nvml_set) {
  const int gpu = index_of(d);
  if (const nvml_ret code = enter(gpu, "nvmlDeviceRegisterEvents")) return code;
  if ((types & ~static_cast<Long>(number_of(gpu, "events"))) != 0) return RET_NOT_SUPPORTED;
  const std::scoped_lock lock(mutex);
  listened.insert(d);
  return RET_OK;
}
API nvmlEventSetWait_v2(nvml_set, void* out, Word timeout_ms) {
  if (const nvml_ret code = plain("nvmlEventSetWait_v2")) return code;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    const Text line = script()->get("event." + std::to_string(events_given + 1));
    std::istringstream fields(line);
    Word gpu = 0;
    Long type = 0;
    Long data = 0;
    if (fields >> gpu >> type >> data) {
      const std::scoped_lock lock(mutex);
      ++events_given;
      if (!listened.contains(&handles[gpu][0])) continue;
      put(out, EVENT_DEVICE, static_cast<void*>(&handles[gpu][0]));
      put(out, EVENT_TYPE, type);
      put(out, EVENT_DATA, data);
      put(out, EVENT_GI, 0xFFFFFFFFU);
      put(out, EVENT_CI, 0xFFFFFFFFU);
      return RET_OK;
    }
    if (std::chrono::steady_clock::now() >= end) return RET_TIMEOUT;
    std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(script()->get("event_poll_ms", "2"))));
  }
}

#ifdef FAKE_NVML_OLD

LONG(nvmlDeviceGetSupportedClocksThrottleReasons, "reasons_supported")
LONG(nvmlDeviceGetCurrentClocksThrottleReasons, "reasons")

#else

LONG(nvmlDeviceGetSupportedClocksEventReasons, "reasons_supported")
LONG(nvmlDeviceGetCurrentClocksEventReasons, "reasons")
ONE(nvmlDeviceGetGpuMaxPcieLinkGeneration, "pcie_gpu_max_gen")
ENGINE(nvmlDeviceGetJpgUtilization, "jpeg")
ENGINE(nvmlDeviceGetOfaUtilization, "ofa")
TWO(nvmlDeviceGetGspFirmwareMode, "gsp", "gsp_default")

// A versioned structure that does not begin with the right word is refused, as the library does.
#define VERSIONED(symbol, version, ...)                                      \
  API symbol(nvml_dev d, void* out) {                                        \
    const int gpu = index_of(d);                                             \
    if (const nvml_ret code = enter(gpu, #symbol)) return code;              \
    if (at<Word>(out, 0) != (version)) return RET_ARGUMENT_VERSION_MISMATCH; \
    __VA_ARGS__                                                              \
    return RET_OK;                                                           \
  }
VERSIONED(nvmlDeviceGetPciInfoExt, PCI_INFO_EXT_V1, put(out, PCIX_BASE_CLASS, 3U); put(out, PCIX_SUB_CLASS, 2U);)
VERSIONED(nvmlDeviceGetMemoryInfo_v2, MEMORY_V2, long long total = 0;
          if (const nvml_ret code = value(gpu, "memory_total", total)) return code;
          put(out, MEM2_TOTAL, static_cast<Long>(total));
          put(out, MEM2_RESERVED, static_cast<Long>(number_of(gpu, "memory_reserved")));
          put(out, MEM2_FREE, static_cast<Long>(number_of(gpu, "memory_free")));
          put(out, MEM2_USED, static_cast<Long>(number_of(gpu, "memory_used")));)
VERSIONED(nvmlDeviceGetTemperatureV, TEMPERATURE_V1, if (at<Word>(out, TEMP_SENSOR) != 0) return RET_INVALID_ARGUMENT;
          long long celsius = 0; if (const nvml_ret code = value(gpu, "temperature", celsius)) return code;
          put(out, TEMP_VALUE, static_cast<int>(celsius));)
VERSIONED(nvmlDeviceGetMarginTemperature, MARGIN_TEMPERATURE_V1, long long celsius = 0;
          if (const nvml_ret code = value(gpu, "margin", celsius)) return code;
          put(out, MARGIN_VALUE, static_cast<int>(celsius));)
VERSIONED(nvmlDeviceGetSramEccErrorStatus, ECC_SRAM_V1, put(out, SRAM_AGG_PARITY, 31ULL);
          put(out, SRAM_AGG_SECDED, 32ULL); put(out, SRAM_AGG_CORRECTED, 33ULL); put(out, SRAM_VOL_PARITY, 34ULL);
          put(out, SRAM_VOL_SECDED, 35ULL); put(out, SRAM_VOL_CORRECTED, 36ULL); put(out, SRAM_L2, 37ULL);
          put(out, SRAM_SM, 38ULL); put(out, SRAM_PCIE, 39ULL); put(out, SRAM_MCU, 40ULL); put(out, SRAM_OTHER, 41ULL);
          put(out, SRAM_EXCEEDED, 1U);)
VERSIONED(nvmlDeviceGetGpuFabricInfoV, FABRIC_V2, for (unsigned char i = 0; i < 16; ++i) put(out, FABRIC_UUID + i, i);
          put(out, FABRIC_STATUS, RET_OK); put(out, FABRIC_CLIQUE, 7U);
          put(out, FABRIC_STATE, static_cast<unsigned char>(number_of(gpu, "fabric_state")));
          put(out, FABRIC_HEALTH, 0U);)
VERSIONED(nvmlDeviceGetPlatformInfo, PLATFORM_V2,
          std::memcpy(static_cast<char*>(out) + PLATFORM_CHASSIS, "CHASSIS-16-BYTES", 16);
          put(out, PLATFORM_SLOT, static_cast<unsigned char>(21));
          put(out, PLATFORM_TRAY, static_cast<unsigned char>(22));
          put(out, PLATFORM_HOST, static_cast<unsigned char>(23));
          put(out, PLATFORM_PEER, static_cast<unsigned char>(1));
          put(out, PLATFORM_MODULE, static_cast<unsigned char>(24));)
API nvmlDeviceGetRemappedRows(nvml_dev d, Word* correctable, Word* uncorrectable, Word* pending, Word* failed) {
  if (const nvml_ret code = enter(index_of(d), "nvmlDeviceGetRemappedRows")) return code;
  *correctable = 1;
  *uncorrectable = 2;
  *pending = 1;
  *failed = 0;
  return RET_OK;
}
API nvmlDeviceGetRowRemapperHistogram(nvml_dev d, Word* banks) {
  if (const nvml_ret code = enter(index_of(d), "nvmlDeviceGetRowRemapperHistogram")) return code;
  for (Word i = 0; i < 5; ++i) banks[i] = 2560 - i;
  return RET_OK;
}
API nvmlGpmQueryDeviceSupport(nvml_dev d, Word* support) {
  if (support[0] != GPM_V1) return RET_ARGUMENT_VERSION_MISMATCH;
  return word(d, "nvmlGpmQueryDeviceSupport", "gpm", &support[1]);
}
API nvmlGpmSampleAlloc(nvml_sample* sample) {
  *sample = new int(0);
  return RET_OK;
}
API nvmlGpmSampleFree(nvml_sample sample) {
  delete static_cast<int*>(sample);
  return RET_OK;
}
API nvmlGpmSampleGet(nvml_dev d, nvml_sample sample) {
  static std::atomic<int> taken = 0;
  if (const nvml_ret code = enter(index_of(d), "nvmlGpmSampleGet")) return code;
  *static_cast<int*>(sample) = ++taken;
  return RET_OK;
}
// Each metric is its own number and a half; the second sample has to be the later one.
API nvmlGpmMetricsGet(void* get) {
  if (at<Word>(get, 0) != GPM_V1) return RET_ARGUMENT_VERSION_MISMATCH;
  if (*at<int*>(get, GPM_SAMPLE1) >= *at<int*>(get, GPM_SAMPLE2)) return RET_INVALID_ARGUMENT;
  const Word count = at<Word>(get, GPM_COUNT);
  for (Word i = 0; i < count; ++i) {
    char* const metric = static_cast<char*>(get) + GPM_METRICS + i * GPM_METRIC_SIZE;
    const Word id = at<Word>(metric, 0);
    put(metric, GPM_METRIC_RET, id == 11 ? RET_NOT_SUPPORTED : RET_OK);
    put(metric, GPM_METRIC_VALUE, id + 0.5);
  }
  return RET_OK;
}

#endif
