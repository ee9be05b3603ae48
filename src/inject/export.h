#pragma once

/// The library is built with hidden visibility; these alone are seen by the programs that it is loaded into.
#define SONDE_EXPORT __attribute__((visibility("default")))
