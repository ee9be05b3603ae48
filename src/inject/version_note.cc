#include "wire/version_note.h"

namespace sonde::inject {

[[gnu::section(".note.sonde"), gnu::used, gnu::aligned(4)]] static const wire::VersionNote kNote =
    wire::kLibraryVersion;

}  // namespace sonde::inject
