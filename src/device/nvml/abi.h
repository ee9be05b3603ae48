#pragma once

#include <array>
#include <cstdint>

/// What this program uses of NVML's binary interface (API 12, x86-64 and arm64 Linux), declared anew: sizes, orders and
/// numbers are those of the public nvml.h. Nothing of it is needed at build time.
namespace sonde::device::nvml {

enum class Return : int {
  success = 0,
  uninitialized = 1,
  invalid_argument = 2,
  not_supported = 3,
  no_permission = 4,
  not_found = 6,
  insufficient_size = 7,
  insufficient_power = 8,
  driver_not_loaded = 9,
  timeout = 10,
  irq_issue = 11,
  library_not_found = 12,
  function_not_found = 13,
  corrupted_inforom = 14,
  gpu_is_lost = 15,
  reset_required = 16,
  operating_system = 17,
  version_mismatch = 18,
  in_use = 19,
  memory = 20,
  no_data = 21,
  insufficient_resources = 23,
  argument_version_mismatch = 25,
  deprecated = 26,
  not_ready = 27,
  gpu_not_found = 28,
  invalid_state = 29,
  unknown = 999
};

/// Handles are pointers of the library.
using Device = struct DeviceHandle*;
using EventSet = struct EventSetHandle*;
using GpmSample = struct GpmSampleHandle*;

/// The first member of a versioned structure: its size, and its number in the highest byte.
template <typename T>
[[nodiscard]] constexpr unsigned version_of(unsigned number) {
  return static_cast<unsigned>(sizeof(T)) | (number << 24U);
}

struct Utilization {
  unsigned gpu;
  unsigned memory;
};

struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct MemoryV2 {
  unsigned version;  ///< 2
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};

struct Bar1Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct PciInfo {
  std::array<char, 16> bus_id_legacy;
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  std::array<char, 32> bus_id;
};

struct PciInfoExt {
  unsigned version;  ///< 1
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  unsigned base_class;
  unsigned sub_class;
  std::array<char, 32> bus_id;
};

struct ProcessInfo {
  unsigned pid;
  unsigned long long memory_used;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct Temperature {
  unsigned version;  ///< 1
  unsigned sensor;
  int celsius;
};

struct MarginTemperature {
  unsigned version;  ///< 1
  int celsius;
};

struct RowHistogram {
  unsigned max;
  unsigned high;
  unsigned partial;
  unsigned low;
  unsigned none;
};

struct SramErrors {
  unsigned version;  ///< 1
  unsigned long long aggregate_parity;
  unsigned long long aggregate_secded;
  unsigned long long aggregate_corrected;
  unsigned long long volatile_parity;
  unsigned long long volatile_secded;
  unsigned long long volatile_corrected;
  unsigned long long aggregate_l2;
  unsigned long long aggregate_sm;
  unsigned long long aggregate_pcie;
  unsigned long long aggregate_mcu;
  unsigned long long aggregate_other;
  unsigned threshold_exceeded;
};

struct FabricInfo {
  unsigned version;  ///< 2
  std::array<unsigned char, 16> cluster_uuid;
  Return status;
  unsigned clique_id;
  unsigned char state;
  unsigned health_mask;
};

struct PlatformInfo {
  unsigned version;  ///< 2
  std::array<unsigned char, 16> ib_guid;
  std::array<unsigned char, 16> chassis_serial;
  unsigned char slot_number;
  unsigned char tray_index;
  unsigned char host_id;
  unsigned char peer_type;
  unsigned char module_id;
};

union Value {
  double real;
  int signed_int;
  unsigned unsigned_int;
  unsigned long unsigned_long;
  unsigned long long unsigned_long_long;
  long long signed_long_long;
  unsigned short unsigned_short;
};

struct FieldValue {
  unsigned field;
  unsigned scope;
  long long moment_us;
  long long latency_us;
  unsigned type;
  Return status;
  Value value;
};

struct EventData {
  Device device;
  unsigned long long type;
  unsigned long long data;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct GpmSupport {
  unsigned version;  ///< 1, not a size
  unsigned supported;
};

struct GpmMetric {
  unsigned id;
  Return status;
  double value;
  const char* short_name;
  const char* long_name;
  const char* unit;
};

/// As many metrics as `count` says are read: the library's own structure is longer in newer versions.
inline constexpr size_t kGpmMetrics = 98;
struct GpmMetrics {
  unsigned version;  ///< 1, not a size
  unsigned count;
  GpmSample first;
  GpmSample second;
  std::array<GpmMetric, kGpmMetrics> metrics;
};

static_assert(sizeof(MemoryV2) == 40 && sizeof(PciInfo) == 68 && sizeof(PciInfoExt) == 64);
static_assert(sizeof(ProcessInfo) == 24 && sizeof(SramErrors) == 104 && sizeof(FabricInfo) == 36);
static_assert(sizeof(PlatformInfo) == 44 && sizeof(FieldValue) == 40 && sizeof(EventData) == 32);
static_assert(sizeof(GpmMetric) == 40);

enum : unsigned { kClockGraphics = 0, kClockSm = 1, kClockMemory = 2, kClockVideo = 3 };
enum : unsigned { kErrorCorrected = 0, kErrorUncorrected = 1 };
enum : unsigned { kEccVolatile = 0, kEccAggregate = 1 };
enum : unsigned {
  kLocationL1 = 0,
  kLocationL2 = 1,
  kLocationDeviceMemory = 2,  ///< also DRAM
  kLocationRegisters = 3,
  kLocationTexture = 4,
  kLocationCbu = 6,
  kLocationSram = 7
};
enum : unsigned { kNvLinkReplay = 0, kNvLinkRecovery = 1, kNvLinkCrcFlit = 2 };
enum : unsigned { kInforomOem = 0, kInforomEcc = 1, kInforomPower = 2 };
enum : unsigned { kPcieTx = 0, kPcieRx = 1 };
enum : unsigned { kRetiredSingleBit = 0, kRetiredDoubleBit = 1 };

/// Numbers of values for nvmlDeviceGetFieldValues.
enum Field : unsigned {
  kFieldSwPowerCapNs = 74,
  kFieldSyncBoostNs = 76,
  kFieldMemoryTemperature = 82,
  kFieldNvLinkSpeed = 164,
  kFieldPowerAverage = 185,
  kFieldPowerInstant = 186,
  kFieldShutdownMargin = 193,
  kFieldSlowdownMargin = 194,
  kFieldRecoveryAction = 230,
  // 269 to 271 were these in some headers; to drivers since 570 those are values of power smoothing.
  kFieldSwThermalNs = 251,
  kFieldHwThermalNs = 252,
  kFieldPowerBrakeNs = 253
};

/// Bits of events.
enum Event : unsigned long long {
  kEventSingleBitEcc = 0x1,
  kEventDoubleBitEcc = 0x2,
  kEventXid = 0x8,
  kEventMemoryRetired = 0x400,
  kEventRetirementFailed = 0x800,
  kEventGpuUnavailable = 0x4000,
  kEventRecoveryAction = 0x8000
};

inline constexpr unsigned kMaxNvLinks = 18;
inline constexpr unsigned kNoInstance = 0xFFFFFFFF;

}  // namespace sonde::device::nvml
