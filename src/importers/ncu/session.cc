#include <array>
#include <optional>

#include "base/files/file.h"
#include "base/files/protobuf.h"
#include "importers/ncu/messages.h"

namespace sonde::ncu {
namespace {

/// A device attribute that the model has a place for, and the factor to the model's unit.
struct Known {
  std::string_view name;  ///< without "device__attribute_"
  std::optional<int64_t> Device::* place;
  int64_t factor = 1;
};

constexpr int64_t kHzPerKhz = 1000;
constexpr std::array kKnown = {
    Known{"multiprocessor_count", &Device::sm_count},
    Known{"compute_capability_major", &Device::compute_major},
    Known{"compute_capability_minor", &Device::compute_minor},
    Known{"total_memory", &Device::total_memory_bytes},
    Known{"clock_rate", &Device::clock_hz, kHzPerKhz},
    Known{"l2_cache_size", &Device::l2_bytes},
    Known{"warp_size", &Device::threads_per_warp},
    Known{"max_threads_per_block", &Device::max_threads_per_block},
    Known{"max_warps_per_multiprocessor", &Device::max_warps_per_sm},
    Known{"max_blocks_per_multiprocessor", &Device::max_blocks_per_sm},
    Known{"max_registers_per_block", &Device::max_registers_per_block},
    Known{"max_registers_per_multiprocessor", &Device::max_registers_per_sm},
    Known{"max_shared_memory_per_block", &Device::max_shared_bytes_per_block},
    Known{"max_shared_memory_per_block_optin", &Device::max_shared_bytes_per_block_optin},
    Known{"max_shared_memory_per_multiprocessor", &Device::max_shared_bytes_per_sm},
    Known{"async_engine_count", &Device::copy_engines},
};

constexpr std::string_view kPrefix = "device__attribute_";

void place_attribute(std::string_view name, const MetricValue& value, Device& device) {
  if (!name.starts_with(kPrefix)) return;
  name.remove_prefix(kPrefix.size());
  for (const Known& known : kKnown) {
    const auto number = value.exact();
    if (known.name == name && number && *number <= INT64_MAX / kHzPerKhz) {
      device.*known.place = static_cast<int64_t>(*number) * known.factor;
    }
  }
}

/// { 1: name, 2: value } of one device.
void read_attribute(std::string_view message, DeviceId id, Device& device, const Report& report) {
  DeviceAttribute attribute;
  attribute.device = id;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) attribute.name = report.intern(field.bytes());
    if (field.number() == 2) attribute.value = value_of(field.bytes(), report.trace->names);
  });
  place_attribute(report.trace->name(attribute.name), attribute.value, device);
  report.trace->device_attributes.push_back(attribute);
}

/// { 1: index, 2: name, 3: repeated attribute }.
void read_device(std::string_view message, Report& report) {
  const auto id = static_cast<DeviceId>(report.trace->devices.size());
  Device device;
  device.rank = report.rank;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) device.id = field.signed_integer();
    if (field.number() == 2) device.name = field.bytes();
    if (field.number() == 3) read_attribute(field.bytes(), id, device, report);
  });
  device.cuda_ordinal = device.id;
  report.devices.try_emplace(device.id, id);
  report.trace->devices.push_back(std::move(device));
}

/// { 1: component, 2: version }. The tool itself is "Nsight Compute Target".
void read_version(std::string_view message, Rank& rank) {
  std::string_view component;
  std::string_view version;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) component = field.bytes();
    if (field.number() == 2) version = field.bytes();
  });
  if (component == "Nsight Compute Target") {
    rank.product_version = version.substr(0, version.find(' '));
  }
  rank.capture.emplace_back(component, version);
}

/// { 7: repeated { 1: address } }.
std::string addresses_of(std::string_view system) {
  std::string addresses;
  each_field(system, [&](const WireField& field) {
    if (field.number() != 7) return;
    each_field(field.bytes(), [&](const WireField& part) {
      if (part.number() == 1) addresses += fmt::format("{}{}", addresses.empty() ? "" : ", ", part.bytes());
    });
  });
  return addresses;
}

/// A message of a host or target system, or of the command: private, so shown only when asked for.
void read_texts(std::string_view message, std::string_view what, Rank& rank) {
  constexpr std::array<std::string_view, 6> kSystem = {"", "system", "build", "processor", "architecture", "computer"};
  each_field(message, [&](const WireField& field) {
    if (field.number() >= 1 && field.number() < kSystem.size()) {
      rank.capture.emplace_back(fmt::format("{} {}", what, kSystem[field.number()]), field.bytes());
    }
  });
  std::string addresses = addresses_of(message);
  if (!addresses.empty()) rank.capture.emplace_back(fmt::format("{} addresses", what), std::move(addresses));
}

void read_session(std::string_view message, Report& report) {
  constexpr int64_t kNsPerS = 1'000'000'000;
  constexpr int64_t kLatestUtcS = INT64_MAX / kNsPerS;
  Rank& rank = report.trace->ranks[report.rank];
  each_field(message, [&](const WireField& field) {
    switch (field.number()) {
      case 2:
        if (field.signed_integer() >= 0 && field.signed_integer() < kLatestUtcS) {
          rank.utc_ns = field.signed_integer() * kNsPerS;
        }
        break;
      case 3: read_texts(field.bytes(), "host", rank); break;
      case 4: read_texts(field.bytes(), "target", rank); break;
      case 6: read_device(field.bytes(), report); break;
      case 8: read_version(field.bytes(), rank); break;
      case 11: rank.capture.emplace_back("command line", field.bytes()); break;
      default: break;
    }
  });
}

/// Adds the metric names of a block. Only one block of a report has any; a second table that begins like the first is
/// taken to replace it, any other to go on where the first ends. Neither was ever seen, so the log says it.
void read_names(std::string_view message, Report& report) {
  std::vector<NameId> names;
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) names.push_back(report.trace->names.intern(field.bytes()));
  });
  if (names.empty()) return;
  auto& known = report.metric_names;
  if (!known.empty()) report.trace->log.add(Issue::metric_name_tables);
  if (!known.empty() && known.front() == names.front()) known.clear();
  known.insert(known.end(), names.begin(), names.end());
}

/// { 1: process id, 2: host, 3: executable }, repeated in every block.
void read_process(std::string_view message, Report& report) {
  auto& processes = report.trace->processes;
  Process process{.rank = report.rank};
  each_field(message, [&](const WireField& field) {
    if (field.number() == 1) process.pid = field.signed_integer();
    if (field.number() == 3) process.name = report.intern(short_path(field.bytes()));
  });
  process.global_id = static_cast<uint64_t>(process.pid);
  report.process = process.pid;
  const bool known = !processes.empty() && processes.back().rank == report.rank && processes.back().pid == process.pid;
  if (!known) processes.push_back(process);
}

}  // namespace

void read_block_header(std::string_view header, Report& report) {
  each_field(header, [&](const WireField& field) {
    if (field.number() == 3) read_session(field.bytes(), report);
    if (field.number() == 4) read_names(field.bytes(), report);
    if (field.number() == 6) read_process(field.bytes(), report);
  });
}

}  // namespace sonde::ncu
