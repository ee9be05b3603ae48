#pragma once

#include <cstddef>

namespace sonde {

/// Asks the system to give this memory, which nothing was written to yet, in huge pages: a fault for each 4 KiB takes
/// as long as reading the events that fill it. Without effect for less than a few huge pages and where there are none.
void prefer_huge_pages(void* memory, size_t bytes);

}  // namespace sonde
