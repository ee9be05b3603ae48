#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "base/text/command_words.h"
#include "base/text/secrets.h"
#include "monitor/owner.h"
#include "monitor/owners/cgroup.h"

namespace sonde::monitor {
namespace {

constexpr size_t kLongestText = 16384;  // command lines of launchers reach some kilobytes
constexpr size_t kMaxKept = 4096;       // processes; the next one begins anew
constexpr int64_t kNs = 1'000'000'000;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kLongestText, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::vector<std::string> found;
  for (std::string word; words >> word;) found.push_back(word);
  return found;
}

/// Fields of /proc/PID/stat, see proc(5).
struct Stat {
  std::string name;
  char state = '?';
  int64_t threads = 0;
  int64_t start_ticks = 0;  ///< since the boot
  bool operator==(const Stat&) const = default;
};

std::optional<Stat> parse_stat(std::string_view text) {
  // The name is in parentheses and may hold some itself.
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  const std::vector<std::string> fields = words_of(text.substr(close + 1));
  constexpr size_t kThreads = 17;  // field 20; the first one here is field 3
  constexpr size_t kStart = 19;
  if (fields.size() <= kStart) return {};
  const auto threads = number(fields[kThreads]);
  const auto start = number(fields[kStart]);
  if (!threads || !start) return {};
  return Stat{std::string(text.substr(open + 1, close - open - 1)), fields[0][0], *threads, *start};
}

/// A value behind "NAME:" in status or "NAME " in /proc/stat.
std::vector<std::string> line_of(std::string_view text, std::string_view name) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(name)) return words_of(line.substr(name.size()));
    at = end + 1;
  }
  return {};
}

std::string user_name(int64_t uid) {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  const int code = getpwuid_r(static_cast<uid_t>(uid), &entry, buffer.data(), buffer.size(), &found);
  return code == 0 && found != nullptr ? printable(found->pw_name) : std::to_string(uid);
}

/// As people would type it; a kernel's name in brackets where the process has no command line, as ps shows it.
std::string command_of(std::string_view cmdline, const std::string& name) {
  while (cmdline.ends_with('\0') || cmdline.ends_with(' ')) cmdline.remove_suffix(1);
  if (cmdline.empty()) return "[" + printable(name) + "]";
  std::vector<std::string> words(1);
  for (const char c : cmdline) {
    if (c == '\0') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  words = without_secrets(words);
  const bool title = words.size() == 1;  // setproctitle() writes one text over all words
  return printable(title ? words[0] : command_line(words));
}

class OwnersOfProc : public ProcessOwners {
 public:
  explicit OwnersOfProc(std::string root) : root_(std::move(root)), sees_all_(is_first_namespace()) {
    const std::vector<std::string> boot = line_of(text_of(root_ + "/stat"), "btime ");
    if (!boot.empty()) boot_s_ = number(boot[0]);
  }

  ProcessOwner owner(int64_t pid) override {
    const std::scoped_lock lock(mutex_);
    const std::string folder = fmt::format("{}/{}", root_, pid);
    const std::optional<Stat> stat = parse_stat(text_of(folder + "/stat"));
    if (!stat) return unreadable(pid, folder);
    // The state changes all the time; start time and name tell a process from the next one with its number, and a
    // program from the one that it became by exec.
    const auto kept = kept_.find(pid);
    const bool same =
        kept != kept_.end() && kept->second.start_ticks == stat->start_ticks && kept->second.name == stat->name;
    if (!same) keep(pid, *stat, folder);
    ProcessOwner owner = kept_.at(pid).owner;
    owner.alive = !is_dead(*stat);
    return owner;
  }

  [[nodiscard]] bool sees_all() const override { return sees_all_; }

 private:
  struct Kept {
    int64_t start_ticks = 0;
    std::string name;
    ProcessOwner owner;
  };

  /// A zombie has given its memory back, unless it is the first thread of a process whose others go on.
  static bool is_dead(const Stat& stat) { return (stat.state == 'Z' || stat.state == 'X') && stat.threads <= 1; }

  /// Whether a process that is not in /proc is no more. That is so only where this service sees all processes of the
  /// host: in its first PID namespace, whose inode is fixed (PROC_PID_INIT_INO in linux/proc_ns.h; a count of one in
  /// NSpid tells nothing, since a container's own /proc shows one too), and where /proc shows other users' processes
  /// (mount option hidepid and systemd's ProtectProc=invisible take even /proc/1 away).
  [[nodiscard]] bool is_first_namespace() const {
    constexpr std::string_view kFirstNamespace = "pid:[4026531836]";
    std::error_code error;
    const auto name_space = std::filesystem::read_symlink(root_ + "/self/ns/pid", error);
    if (error || name_space.string() != kFirstNamespace) return false;
    return std::filesystem::exists(root_ + "/1/stat", error) && !error;
  }

  ProcessOwner unreadable(int64_t pid, const std::string& folder) {
    kept_.erase(pid);
    std::error_code error;
    ProcessOwner owner;
    owner.alive = !sees_all_ || std::filesystem::exists(folder, error) || static_cast<bool>(error);
    return owner;
  }

  void keep(int64_t pid, const Stat& stat, const std::string& folder) {
    if (kept_.size() >= kMaxKept) kept_.clear();
    kept_[pid] = {stat.start_ticks, stat.name, read(stat, folder)};
  }

  [[nodiscard]] ProcessOwner read(const Stat& stat, const std::string& folder) const {
    ProcessOwner owner;
    CgroupOwner group = owner_by_cgroup(text_of(folder + "/cgroup"));
    owner.container = printable(group.container);
    owner.pod = std::move(group.pod);
    owner.unit = printable(group.unit);
    const std::vector<std::string> uids = line_of(text_of(folder + "/status"), "Uid:");
    const std::optional<int64_t> uid = uids.empty() ? std::nullopt : number(uids[0]);
    // Users of a container are its own: the host's name for the same number would be somebody else's.
    if (uid) owner.user = owner.container.empty() && owner.pod.empty() ? user_name(*uid) : std::to_string(*uid);
    owner.command = command_of(text_of(folder + "/cmdline"), stat.name);
    const int64_t ticks_per_s = sysconf(_SC_CLK_TCK);
    if (boot_s_ && ticks_per_s > 0) {
      owner.started_ns =
          *boot_s_ * kNs + stat.start_ticks / ticks_per_s * kNs + stat.start_ticks % ticks_per_s * (kNs / ticks_per_s);
    }
    return owner;
  }

  std::string root_;
  bool sees_all_ = false;
  std::optional<int64_t> boot_s_;
  std::mutex mutex_;
  std::map<int64_t, Kept> kept_;
};

}  // namespace

std::unique_ptr<ProcessOwners> ProcessOwners::of_proc(const std::string& root) {
  return std::make_unique<OwnersOfProc>(root);
}

}  // namespace sonde::monitor
