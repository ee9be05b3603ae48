#include "importers/probe.h"

#include "base/files/file.h"
#include "base/files/sqlite.h"
#include "importers/files/gzip.h"
#include "importers/files/zstd.h"

namespace sonde {

Result<Probe> Probe::open(const std::string& path) {
  auto head = read_head(path, kHeadBytes);
  if (!head) return std::unexpected(head.error());
  return Probe(path, std::move(*head));
}

std::string_view Probe::plain_head() const {
  // A block of zstd has 128 KiB at most (RFC 8878, 3.1.1.2.4), and none of it can be had before all of it is there.
  constexpr size_t kZstdBlock = size_t{1} << 18;
  if (!plain_head_ && is_gzip(head_)) plain_head_ = gunzip_head(head_, kHeadBytes);
  if (!plain_head_ && is_zstd(head_))
    plain_head_ = unzstd_head(read_head(path_, kZstdBlock).value_or(head_), kHeadBytes);
  return plain_head_ ? std::string_view(*plain_head_) : head();
}

bool Probe::is_sqlite() const { return head_.starts_with(std::string_view("SQLite format 3\0", 16)); }

const Probe::Tables& Probe::read_tables() const {
  if (!tables_ && !is_sqlite()) tables_.emplace();
  if (!tables_) {
    const auto database = Database::open_read_only(path_);
    tables_ = database ? database->tables() : std::unexpected(database.error());
  }
  return *tables_;
}

std::span<const std::string> Probe::tables() const {
  const Tables& read = read_tables();
  return read ? std::span<const std::string>(*read) : std::span<const std::string>();
}

std::optional<Error> Probe::database_error() const {
  const Tables& read = read_tables();
  return read ? std::nullopt : std::optional(read.error());
}

}  // namespace sonde
