#pragma once

#include <string_view>
#include <vector>

#include "analyses/replay/without_recorder.h"
#include "findings/argument.h"

namespace sonde {

/// A text of the catalogue about the recorder's own cost.
struct RecorderNote {
  std::string_view id;  ///< its text is "<id>.says"
  std::vector<Argument> arguments;
};

/// What the recorder cost, and whether the answer depends on how much: of figures without that cost.
[[nodiscard]] std::vector<RecorderNote> recorder_notes(const RecordedStep& step);
/// What the recorder cost: beside figures as recorded.
[[nodiscard]] RecorderNote note_beside(const RecordedStep& step);

}  // namespace sonde
