#pragma once

#include <cstddef>
#include <cstdint>

/// Memory of our own for what CUPTI fills: zeroed pages, apart from the program's heap.
namespace sonde::inject::gpu_metrics {

/// Null where there is none.
[[nodiscard]] uint8_t* take_pages(size_t bytes) noexcept;
void give_pages_back(uint8_t* pages, size_t bytes) noexcept;

}  // namespace sonde::inject::gpu_metrics
