#pragma once

#include <vector>

#include "importers/files/archive_member.h"

namespace sonde {

/// True for the beginning of a tar archive (POSIX ustar and GNU, which both have the mark).
[[nodiscard]] bool is_tar(std::string_view head);

struct TarArchive {
  std::vector<ArchiveMember> members;  ///< regular files
  bool whole = false;                  ///< false where the archive breaks off or is damaged
};

/// The files of a tar archive in memory, as far as it can be read. Long names of GNU and POSIX are understood.
[[nodiscard]] TarArchive read_tar(std::string_view bytes);

}  // namespace sonde
