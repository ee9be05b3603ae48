#include "monitor/xid/catalogue.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "monitor/text.h"

namespace sonde::monitor {
namespace {

constexpr auto kXids = std::to_array<Xid>({
#define SONDE_XID(code, bucket, severity, role) {code, XidBucket::bucket, Severity::severity, XidRole::role},
#include "monitor/xid/catalogue.inc"
});

struct BucketRow {
  std::string_view name;
  std::string_view nvidia;
  bool needs_reset = false;
};

/// In the order of XidBucket.
constexpr auto kBuckets = std::to_array<BucketRow>({{"ignore", "IGNORE"},
                                                    {"restart_app", "RESTART_APP"},
                                                    {"workflow_45", "WORKFLOW_XID_45"},
                                                    {"update_swfw", "UPDATE_SWFW"},
                                                    {"check_uvm", "CHECK_UVM"},
                                                    {"contact_support", "CONTACT_SUPPORT"},
                                                    {"nvlink5", "WORKFLOW_NVLINK5_ERR"},
                                                    {"recovery", "XID_154_EVAL"},
                                                    {"restart_vm", "RESTART_VM", true},
                                                    {"check_mechanicals", "CHECK_MECHANICALS", true},
                                                    {"nvlink", "WORKFLOW_NVLINK_ERR", true},
                                                    {"workflow_48", "WORKFLOW_XID_48", true},
                                                    {"reset_gpu", "RESET_GPU", true},
                                                    {"restart_bm", "RESTART_BM", true},
                                                    {"drain_p2p", "DRAIN_P2P", true},
                                                    {"drain_and_reset", "DRAIN_AND_RESET", true}});
static_assert(kBuckets.size() == static_cast<size_t>(XidBucket::drain_and_reset) + 1);

const BucketRow& row_of(XidBucket bucket) { return kBuckets.at(static_cast<size_t>(bucket)); }

}  // namespace

std::string_view bucket_name(XidBucket bucket) { return row_of(bucket).name; }
std::string_view nvidia_bucket_name(XidBucket bucket) { return row_of(bucket).nvidia; }
bool needs_reset(XidBucket bucket) { return row_of(bucket).needs_reset; }

std::span<const Xid> xids() { return kXids; }

Xid find_xid(int64_t code) {
  const auto* const found = std::ranges::find(kXids, code, &Xid::code);
  return found == kXids.end() ? Xid{.code = code} : *found;
}

std::string_view xid_meaning(int64_t code) {
  const std::string_view text = incident_text(fmt::format("xid_{}", code));
  return text.empty() ? incident_text("xid.unknown") : text;
}

}  // namespace sonde::monitor
