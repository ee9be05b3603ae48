#include "inject/capture.h"

#include "inject/attachment.h"
#include "inject/cupti/worker.h"

namespace sonde::inject {
namespace {

void change_phase(wire::Trigger trigger, wire::Phase from, wire::Phase to) noexcept {
  wire::Header* header = attachment.header;
  if (header == nullptr || header->trigger != trigger) return;
  auto found = static_cast<uint32_t>(from);
  if (header->phase.compare_exchange_strong(found, static_cast<uint32_t>(to), std::memory_order_relaxed)) {
    cupti::wake_worker();  // CUPTI begins and ends with the rest
  }
}

}  // namespace

void begin_capture(wire::Trigger trigger) noexcept {
  change_phase(trigger, wire::Phase::waiting, wire::Phase::recording);
}

void end_capture(wire::Trigger trigger) noexcept { change_phase(trigger, wire::Phase::recording, wire::Phase::ended); }

}  // namespace sonde::inject
