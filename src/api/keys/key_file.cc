#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <mutex>

#include "api/keys/key_json.h"
#include "api/keys/key_secret.h"
#include "api/keys/keys.h"
#include "api/keys/private_file.h"
#include "base/text/suggest.h"

namespace sonde::api {
namespace {

/// Ten thousands of keys; beside that it is some other file.
constexpr size_t kMaxBytes = 4 << 20;
constexpr int kTries = 100;

/// Distinguishes states of a file.
struct FileState {
  bool there = false;
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  int64_t modified_ns = 0;
  int64_t changed_ns = 0;

  bool operator==(const FileState&) const = default;
};

int64_t ns_of(const timespec& moment) { return moment.tv_sec * 1'000'000'000 + moment.tv_nsec; }

FileState state_of(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return {};
  return {.there = true,
          .device = info.st_dev,
          .inode = info.st_ino,
          .size = info.st_size,
          .modified_ns = ns_of(info.st_mtim),
          .changed_ns = ns_of(info.st_ctim)};
}

int64_t now_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// A file that is not there holds no keys; one that cannot be looked for is an error.
bool is_missing(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) != 0 && errno == ENOENT;
}

Result<std::vector<StoredKey>> read_keys(const std::string& path) {
  if (is_missing(path)) return std::vector<StoredKey>();
  const auto text = read_small_file(path, kMaxBytes);
  if (!text) return fail("cannot read the key file {}: {}", path, text.error().message);
  auto keys = parse_keys(*text);
  if (keys) return keys;
  return fail(
      "the key file {} is damaged: {}; restore a backup, or move it away and create new keys with `sonde keys add`",
      path, keys.error().message);
}

class HashedKeys final : public KeyFile {
 public:
  explicit HashedKeys(std::string path) : path_(std::move(path)) {}

  Result<Made> make(const std::string& name, Role role, std::optional<int64_t> expires_s) override {
    SONDE_TRY(check_key_name(name));
    const auto lock = FileLock::of(path_);
    if (!lock) return std::unexpected(lock.error());
    auto keys = read_keys(path_);
    if (!keys) return std::unexpected(keys.error());
    if (std::ranges::any_of(*keys, [&](const StoredKey& stored) { return stored.key.name == name; })) {
      return fail("{} already contains a key '{}'; revoke it first, or choose another name", path_, name);
    }
    Made made{.key = {.id = new_id(*keys), .name = name, .role = role, .made_s = now_s(), .expires_s = expires_s},
              .secret = {}};
    made.secret = random_secret(made.key.id);
    if (made.key.id.empty() || made.secret.empty())
      return fail("the system provides no random numbers; no key was created");
    keys->push_back({.key = made.key, .sha256 = sha256_hex(made.secret)});
    SONDE_TRY(write_private_file(path_, keys_json(*keys)));
    return made;
  }

  Status revoke(const std::string& id_or_name) override {
    const auto lock = FileLock::of(path_);
    if (!lock) return std::unexpected(lock.error());
    auto keys = read_keys(path_);
    if (!keys) return std::unexpected(keys.error());
    const auto revoked = std::erase_if(
        *keys, [&](const StoredKey& stored) { return stored.key.id == id_or_name || stored.key.name == id_or_name; });
    if (revoked == 0) return unknown(id_or_name, *keys);
    return write_private_file(path_, keys_json(*keys));
  }

  Result<std::vector<Key>> list() override {
    const auto stored = read_keys(path_);
    if (!stored) return std::unexpected(stored.error());
    std::vector<Key> keys;
    std::ranges::transform(*stored, std::back_inserter(keys), &StoredKey::key);
    return keys;
  }

  std::optional<Key> check(std::string_view secret, int64_t now_s) override {
    const std::string hash = sha256_hex(secret);
    const std::scoped_lock lock(mutex_);
    refresh();
    const StoredKey* found = nullptr;
    for (const StoredKey& stored : keys_) {
      if (same_secretly(stored.sha256, hash)) found = &stored;
    }
    if (found == nullptr || (found->key.expires_s && *found->key.expires_s <= now_s)) return std::nullopt;
    return found->key;
  }

  std::string trouble() override {
    const std::scoped_lock lock(mutex_);
    refresh();
    return trouble_;
  }

 private:
  static std::string new_id(const std::vector<StoredKey>& keys) {
    for (int i = 0; i < kTries; ++i) {
      std::string id = random_key_id();
      if (std::ranges::none_of(keys, [&](const StoredKey& stored) { return stored.key.id == id; })) return id;
    }
    return {};
  }

  [[nodiscard]] Status unknown(const std::string& id_or_name, const std::vector<StoredKey>& keys) const {
    std::vector<std::string_view> known;
    for (const StoredKey& stored : keys) {
      known.emplace_back(stored.key.name);
      known.emplace_back(stored.key.id);
    }
    const std::string suggestion = did_you_mean(id_or_name, known);
    return fail("{} contains no key '{}'{}", path_, id_or_name,
                suggestion.empty() ? "; `sonde keys list` shows the existing keys" : suggestion);
  }

  /// Looks at the file's state, which takes about a microsecond, and reads it where that changed. A file that cannot be
  /// read lets nobody in: it may be that a key in it was revoked.
  void refresh() {
    const FileState state = state_of(path_);
    if (looked_ && state == state_) return;
    looked_ = true;
    state_ = state;
    auto keys = read_keys(path_);
    trouble_ = keys ? std::string() : keys.error().message;
    keys_ = keys ? std::move(*keys) : std::vector<StoredKey>();
  }

  std::string path_;
  std::mutex mutex_;
  bool looked_ = false;
  FileState state_;
  std::vector<StoredKey> keys_;
  std::string trouble_;
};

}  // namespace

std::unique_ptr<KeyFile> KeyFile::at(const std::string& path) { return std::make_unique<HashedKeys>(path); }

}  // namespace sonde::api
