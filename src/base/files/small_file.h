#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

/// Files that are read and written whole.
namespace sonde {

/// The whole of a regular file. Larger than `most` bytes, a pipe or a folder is an error.
[[nodiscard]] Result<std::string> read_small_file(const std::string& path, size_t most);

/// A new file, on the disk when this returns. One that is there is an error.
[[nodiscard]] Status write_new_file(const std::string& path, std::string_view text);

/// The same, in place of one that may be there: a reader sees the old text or the new one.
[[nodiscard]] Status replace_file(const std::string& path, std::string_view text);

/// What is named in the folder ("" is the working one) is still there after a power cut. A file system that cannot do
/// that keeps it all the same.
void sync_folder(const std::string& path);

/// A name that no other process and no other call uses now: "PREFIX-PROCESS-NUMBER".
[[nodiscard]] std::string unused_name(std::string_view prefix);

}  // namespace sonde
