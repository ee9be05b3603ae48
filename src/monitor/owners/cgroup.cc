#include "monitor/owners/cgroup.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <vector>

namespace sonde::monitor {
namespace {

constexpr size_t kIdDigits = 64;     // SHA-256 in hex: ids of Docker, containerd, CRI-O, podman
constexpr size_t kShownDigits = 12;  // as `docker ps` shows them
constexpr size_t kUuidSize = 36;
constexpr size_t kHashSize = 32;  // static pods have a hash of their manifest instead of a UID

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(at), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string_view without_ending(std::string_view text, std::string_view ending) {
  if (text.ends_with(ending)) text.remove_suffix(ending.size());
  return text;
}

/// "docker-ID.scope", "cri-containerd-ID.scope", "slice:cri-containerd:ID", "ID". Scopes of conmon hold what watches
/// over a container, not the container.
std::string_view container_id(std::string_view part) {
  part = without_ending(part, ".scope");
  if (part.size() < kIdDigits) return {};
  const std::string_view id = part.substr(part.size() - kIdDigits);
  const std::string_view before = part.substr(0, part.size() - kIdDigits);
  const bool apart = before.empty() || before.ends_with('-') || before.ends_with(':');
  if (!apart || before.contains("conmon") || !std::ranges::all_of(id, is_hex)) return {};
  return id.substr(0, kShownDigits);
}

bool is_uuid(std::string_view text) {
  if (text.size() != kUuidSize) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

/// "podUID", "kubepods-burstable-podUID_WITH_UNDERSCORES.slice".
std::string pod_uid(std::string_view part) {
  part = without_ending(part.substr(0, part.find(':')), ".slice");
  const size_t at = part.rfind("pod");
  if (at == std::string_view::npos || (at > 0 && part[at - 1] != '-')) return {};
  std::string uid(part.substr(at + 3));
  std::ranges::replace(uid, '_', '-');
  const bool hash = uid.size() == kHashSize && std::ranges::all_of(uid, is_hex);
  return is_uuid(uid) || hash ? uid : std::string();
}

/// "/lxc/NAME", "/lxc.payload/NAME", "/lxc.payload.NAME".
std::string_view lxc_name(const std::vector<std::string_view>& parts) {
  constexpr std::string_view kPayload = "lxc.payload.";
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].starts_with(kPayload)) return parts[i].substr(kPayload.size());
    if ((parts[i] == "lxc" || parts[i] == "lxc.payload") && i + 1 < parts.size()) return parts[i + 1];
  }
  return {};
}

/// "/slurm/uid_N/job_N", "/slurm_HOST/uid_N/job_N", "/system.slice/[HOST_]slurmstepd.scope/job_N".
std::string slurm_job(const std::vector<std::string_view>& parts) {
  bool slurm = false;
  for (const std::string_view part : parts) {
    slurm = slurm || part == "slurm" || part.starts_with("slurm_") || part.ends_with("slurmstepd.scope");
    const bool job = part.starts_with("job_") && part.size() > 4 && std::ranges::all_of(part.substr(4), is_digit);
    if (slurm && job) return "slurm:" + std::string(part.substr(4));
  }
  return {};
}

std::string systemd_unit(const std::vector<std::string_view>& parts) {
  for (const std::string_view ending : {".service", ".scope", ".slice"}) {
    // A scope within a service is systemd's own (init.scope) or a delegated part: the service is what people know.
    const auto ends_so = [&](std::string_view part) { return part.ends_with(ending); };
    const auto found = std::ranges::find_if(parts.rbegin(), parts.rend(), ends_so);
    const bool manager = found != parts.rend() && ending == ".service" && found->starts_with("user@");
    if (found != parts.rend() && !manager) return std::string(*found);
  }
  return {};
}

void take(const std::vector<std::string_view>& parts, bool systemd, CgroupOwner& owner) {
  for (const std::string_view part : std::ranges::reverse_view(parts)) {
    if (owner.container.empty()) owner.container = container_id(part);
    if (owner.pod.empty()) owner.pod = pod_uid(part);
  }
  if (owner.container.empty()) owner.container = lxc_name(parts);
  const std::string job = slurm_job(parts);
  if (!job.empty()) {
    owner.unit = job;
  } else if (systemd && owner.unit.empty()) {
    owner.unit = systemd_unit(parts);
  }
}

}  // namespace

CgroupOwner owner_by_cgroup(std::string_view text) {
  CgroupOwner owner;
  for (const std::string_view line : split(text, '\n')) {
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    take(split(line.substr(second + 1), '/'), controllers.empty() || controllers == "name=systemd", owner);
  }
  const bool contained = !owner.container.empty() || !owner.pod.empty();
  if (contained && !owner.unit.starts_with("slurm:")) owner.unit.clear();
  return owner;
}

}  // namespace sonde::monitor
