#pragma once

namespace sonde {

/// Values of Stream::flags (CUpti_ActivityStreamFlag).
enum StreamFlag : int { kStreamBlocking = 1, kStreamNonBlocking = 2, kStreamNull = 3 };

}  // namespace sonde
