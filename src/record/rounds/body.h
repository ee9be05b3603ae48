#pragma once

#include <cstring>

#include "wire/cuda_record.h"
#include "wire/reader.h"

namespace sonde::record {

/// The body of a record of CUPTI's, which the reader has found to be whole.
template <typename Body>
[[nodiscard]] Body body_of(const wire::Record& record) {
  Body body{};
  std::memcpy(&body, record.body.data(), sizeof body);
  return body;
}

}  // namespace sonde::record
