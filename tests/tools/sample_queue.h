#pragma once

#include "dispatch/dispatcher.h"

/// A queue of which everything is known.
[[nodiscard]] sonde::dispatch::QueueSnapshot sample_queue();
