#pragma once

#include <string_view>
#include <utility>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "base/error.h"

namespace sonde {

/// The bytes of one protobuf message: https://protobuf.dev/programming-guides/encoding/
using Message = protozero::pbf_reader;

/// Runs `walk`, which reads messages of `what`. protozero throws where bytes are not what they claim to be (a length
/// past the end, a wire type that does not exist, a varint without end); that becomes an error here and goes no
/// further.
template <typename Walk>
[[nodiscard]] Status walk_messages(std::string_view what, Walk&& walk) {
  try {
    return std::forward<Walk>(walk)();
  } catch (const protozero::exception& e) {
    return fail("{} is damaged: {}", what, e.what());
  }
}

}  // namespace sonde
