#include "doctor/facts.h"

namespace sonde::doctor {
namespace folders {
namespace {

// Profiles of minutes take gigabytes; below the lower one, nsys fails before it has written anything.
constexpr int64_t kSmall_bytes = 5'000'000'000;
constexpr int64_t kFull_bytes = 500'000'000;
constexpr int64_t kSmallShared_bytes = 1'000'000'000;  // docker gives 64 MB

void look_at(const Host& host, const std::string& folder, std::string_view denied, Findings& found) {
  const Host::Room room = host.room(folder);
  if (!room.writable) {
    found.say(Outcome::wrong, denied, {folder});
  } else if (!room.free_bytes) {
    found.say(Outcome::good, "folder_unknown", {folder});
  } else if (*room.free_bytes < kFull_bytes) {
    found.say(Outcome::wrong, "folder_full", {folder, bytes_in_words(*room.free_bytes)});
  } else {
    const bool small = *room.free_bytes < kSmall_bytes;
    found.say(small ? Outcome::note : Outcome::good, small ? "folder_small" : "folder",
              {folder, bytes_in_words(*room.free_bytes)});
  }
}

void look(const Host& host, Findings& found) {
  look_at(host, "/tmp", "folder_denied", found);  // nsys and ncu keep locks and sockets there whatever TMPDIR says
  const auto scratch = host.variable("TMPDIR");
  if (scratch && !scratch->empty() && *scratch != "/tmp" && *scratch != "/tmp/") {
    look_at(host, *scratch, "folder_denied", found);
  }
  look_at(host, ".", "folder_output_denied", found);
  const Host::Room shared = host.room("/dev/shm");
  if (shared.free_bytes && *shared.free_bytes < kSmallShared_bytes) {
    found.say(Outcome::note, "shm_small", {bytes_in_words(*shared.free_bytes)});
  }
}

}  // namespace
}  // namespace folders

extern constinit const Check folders_check{"folders", "temporary and output folders, shared memory", folders::look};

}  // namespace sonde::doctor
