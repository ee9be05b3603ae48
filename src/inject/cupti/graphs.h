#pragma once

#include "inject/cupti/library.h"

/// When CUDA graphs, clones of them and executable ones come to be, as CUPTI's callbacks for resources tell.
namespace sonde::inject::cupti {

/// While the recording runs; after subscribe().
void watch_graphs(const Library& library, bool on) noexcept;

}  // namespace sonde::inject::cupti
