#pragma once

namespace sonde::inject {

/// To be called once this process is attached: from then on functions that there is no stub for are counted.
void count_lost_functions() noexcept;

}  // namespace sonde::inject
