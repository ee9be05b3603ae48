#pragma once

#include "dispatch/dispatcher.h"

/// A queue with all values.
[[nodiscard]] sonde::dispatch::QueueSnapshot sample_queue();
