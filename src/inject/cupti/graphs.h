#pragma once

#include "inject/cupti/library.h"

/// When CUDA graphs, clones of them and executable ones come to be, as CUPTI's callbacks for resources tell.
namespace sonde::inject::cupti {

/// After subscribe().
void watch_graphs(const Library& library) noexcept;

/// Whether there ever was one: then CUPTI is not taken out of the process (timeline.cc).
[[nodiscard]] bool saw_graphs() noexcept;

}  // namespace sonde::inject::cupti
