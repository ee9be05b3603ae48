#pragma once

#include <vector>

#include "base/error.h"
#include "importers/files/archive_member.h"

namespace sonde {

[[nodiscard]] bool is_zip(std::string_view head);

/// The files that the central directory of a ZIP archive lists. The error ends a sentence that begins with the file.
[[nodiscard]] Result<std::vector<ArchiveMember>> read_zip(std::string_view bytes);

/// The unpacked bytes of a member. The error ends a sentence that begins with the file.
[[nodiscard]] Result<std::string> unpack(const ArchiveMember& member);

}  // namespace sonde
