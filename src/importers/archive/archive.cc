#include <algorithm>
#include <optional>

#include "base/files/file.h"
#include "importers/files/gzip.h"
#include "importers/files/tar.h"
#include "importers/files/zip.h"
#include "importers/files/zstd.h"
#include "importers/pytorch/pytorch_trace.h"
#include "trace/align.h"

/// Archives with PyTorch traces: each trace is a rank of one run, in the order of names.
namespace sonde {
namespace archive {
namespace {

/// A ZIP archive may be anything, such as a model: the names of its members tell.
bool may_be_trace(const ArchiveMember& member) {
  const std::string_view name = member.name;
  return name.ends_with(".json") || name.ends_with(".json.gz") || name.ends_with(".json.zst");
}

bool recognizes(const Probe& probe) {
  if (is_tar(probe.plain_head())) return true;
  if (!is_zip(probe.head())) return false;
  const auto file = MappedFile::open(probe.path());
  const auto members = file ? read_zip(file->bytes()) : std::unexpected(file.error());
  return members && std::ranges::any_of(*members, may_be_trace);
}

/// Beside an archive the files that it was made of are more likely to be what a folder is meant to hold.
bool picks(const Probe&) { return false; }

/// An archive while it is read: its bytes, unpacked where it is packed as a whole.
struct Archive {
  explicit Archive(MappedFile bytes) : file(std::move(bytes)) {}
  MappedFile file;
  std::optional<Inflated> inflated;
  std::optional<UnpackedZstd> unpacked;
  std::vector<ArchiveMember> members;
  bool whole = true;
};

Status read_members(Archive& archive) {
  std::string_view bytes = archive.file.bytes();
  if (is_zip(bytes)) {
    auto members = read_zip(bytes);
    if (!members) return std::unexpected(members.error());
    archive.members = std::move(*members);
    return {};
  }
  // Traces in a tar archive have never been seen to pack to a thousandth.
  constexpr size_t kMostGrowth = 1000;
  if (is_gzip(bytes)) bytes = archive.inflated.emplace(gunzip(bytes)).text();
  if (is_zstd(bytes))
    bytes = archive.unpacked.emplace(unzstd_as_far_as_possible(bytes, bytes.size() * kMostGrowth)).text;
  TarArchive tar = read_tar(bytes);
  archive.members = std::move(tar.members);
  archive.whole =
      tar.whole && (!archive.inflated || archive.inflated->whole) && (!archive.unpacked || archive.unpacked->whole);
  return {};
}

bool is_trace(std::string_view content) {
  if (is_gzip(content)) return pytorch::is_surely_a_trace(gunzip_head(content, kHeadBytes));
  if (is_zstd(content)) return pytorch::is_surely_a_trace(unzstd_head(content, kHeadBytes));
  return pytorch::is_surely_a_trace(content.substr(0, kHeadBytes));
}

/// Appends a trace as one more rank on the clock of the first one. Returns whether the member is one.
Result<bool> read_member(const ArchiveMember& member, const std::string& path, const ImportRequest& request,
                         Trace& trace) {
  std::string unpacked;
  std::string_view content = member.bytes;
  if (member.packing != ArchiveMember::Packing::none) {
    auto plain = unpack(member);
    if (!plain) return fail("{} {}", path, plain.error().message);
    content = unpacked = std::move(*plain);
  }
  if (!is_trace(content)) return false;
  const std::vector<size_t> rows = row_counts(trace);
  SONDE_TRY(pytorch::read_packed(content, member.name, request, trace));
  align_last_rank(trace, rows);
  return true;
}

Status read(const std::string& path, const ImportRequest& request, Trace& trace) {
  auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  Archive archive(std::move(*file));
  if (const Status read = read_members(archive); !read) return fail("{} {}", path, read.error().message);
  std::ranges::sort(archive.members, {}, &ArchiveMember::name);
  bool found = false;
  for (const ArchiveMember& member : archive.members) {
    if (!may_be_trace(member)) continue;
    const auto read = read_member(member, path, request, trace);
    if (!read) return std::unexpected(read.error());
    found = found || *read;
  }
  if (!found) return fail("{} is an archive without a PyTorch trace; unpack it and pass the profile in it", path);
  if (!archive.whole) trace.log.add(Issue::truncated, short_path(path));
  return {};
}

}  // namespace
}  // namespace archive

extern const Importer archive_importer;
constinit const Importer archive_importer{
    .name = "archive",
    .description = "PyTorch traces in a .zip, .tar, .tar.gz or .tar.zst archive: the ranks of one run",
    .recognizes = archive::recognizes,
    .picks = archive::picks,
    .read = archive::read,
    .aligns = true,
};

}  // namespace sonde
