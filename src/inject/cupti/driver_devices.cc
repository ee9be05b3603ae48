#include "inject/cupti/driver_devices.h"

#include "inject/cupti/text_numbers.h"
#include "inject/cupti/worker_record.h"
#include "inject/driver.h"
#include "wire/cuda_record.h"

namespace sonde::inject::cupti {
namespace {

using wire::DeviceBody;

/// A CUdevice_attribute (cuda.h) and its place.
struct Fact {
  int attribute;
  uint32_t DeviceBody::* place;
};
constexpr Fact kFacts[] = {
    {1, &DeviceBody::max_threads_per_block},
    {8, &DeviceBody::max_shared_bytes_per_block},
    {9, &DeviceBody::constant_bytes},
    {10, &DeviceBody::threads_per_warp},
    {12, &DeviceBody::max_registers_per_block},
    {13, &DeviceBody::clock_khz},
    {16, &DeviceBody::sm_count},
    {38, &DeviceBody::l2_bytes},
    {40, &DeviceBody::copy_engines},
    {75, &DeviceBody::compute_major},
    {76, &DeviceBody::compute_minor},
    {81, &DeviceBody::max_shared_bytes_per_sm},
    {82, &DeviceBody::max_registers_per_sm},
    {106, &DeviceBody::max_blocks_per_sm},
};
constexpr int kMaxBlockX = 2;
constexpr int kMaxGridX = 5;
constexpr int kMemoryClockKhz = 36;
constexpr int kMemoryBusBits = 37;
constexpr int kMaxThreadsPerSm = 39;

/// Two transfers a clock, as CUPTI counts it.
uint64_t bandwidth_kb_per_s(int device) noexcept {
  constexpr uint64_t kBitsPerByte = 8;
  return 2 * attribute_of(device, kMemoryClockKhz) * attribute_of(device, kMemoryBusBits) / kBitsPerByte;
}

DeviceBody device_of(int device) noexcept {
  DeviceBody body{};
  body.id = static_cast<uint32_t>(device);
  for (const Fact& fact : kFacts) body.*fact.place = static_cast<uint32_t>(attribute_of(device, fact.attribute));
  for (int axis = 0; axis < 3; ++axis) {
    body.max_block[axis] = static_cast<uint32_t>(attribute_of(device, kMaxBlockX + axis));
    body.max_grid[axis] = static_cast<uint32_t>(attribute_of(device, kMaxGridX + axis));
  }
  if (body.threads_per_warp != 0)
    body.max_warps_per_sm = static_cast<uint32_t>(attribute_of(device, kMaxThreadsPerSm)) / body.threads_per_warp;
  body.memory_bandwidth_kb_per_s = bandwidth_kb_per_s(device);
  size_t bytes = 0;
  if (the_driver().device_memory(&bytes, device) == 0) body.memory_bytes = bytes;
  char name[256] = {};
  if (the_driver().device_name(name, sizeof name, device) == 0) body.name = number_of(name);
  static_cast<void>(the_driver().device_uuid(body.uuid, device));
  return body;
}

}  // namespace

void tell_devices() noexcept {
  static constinit bool told = false;
  int count = 0;
  if (told || the_driver().device_count(&count) != 0) return;
  told = true;
  for (int device = 0; device < count; ++device)
    static_cast<void>(write_body(wire::Kind::cuda_device, device_of(device)));
}

}  // namespace sonde::inject::cupti
