#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace sonde::api {

/// What a key may do; each may what those before it may.
enum class Role { none, read, submit, admin };
[[nodiscard]] std::string_view role_name(Role role);

/// A key without its secret.
struct Key {
  std::string id;    ///< first part of the secret: "k7f3a2c1"
  std::string name;  ///< of whom or what it is for
  Role role = Role::read;
  int64_t made_s = 0;  ///< since 1970
  std::optional<int64_t> expires_s;
};

/// A file of hashed keys: docs/schemas/keys.schema.json. Secrets are 256 bits of the system's randomness, shown once,
/// when they are made, and stand in the file as SHA-256 (they are random: a slow hash would add nothing). Written whole
/// and renamed, readable by its owner alone. A running service sees a changed file within a second.
class KeyFile {
 public:
  [[nodiscard]] static std::unique_ptr<KeyFile> at(const std::string& path);
  virtual ~KeyFile() = default;

  struct Made {
    Key key;
    std::string secret;  ///< "sonde_<id>_<43 characters>"
  };
  [[nodiscard]] virtual Result<Made> make(const std::string& name, Role role, std::optional<int64_t> expires_s) = 0;
  [[nodiscard]] virtual Status revoke(const std::string& id_or_name) = 0;
  [[nodiscard]] virtual Result<std::vector<Key>> list() = 0;
  /// The key of a secret; none where it is wrong, revoked or expired. Takes the same time whichever it is.
  [[nodiscard]] virtual std::optional<Key> check(std::string_view secret, int64_t now_s) = 0;
  /// Why the file cannot be read; empty when it can.
  [[nodiscard]] virtual std::string trouble() = 0;
};

}  // namespace sonde::api
