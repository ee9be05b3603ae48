#pragma once

#include <span>

#include "importers/pytorch/rows.h"
#include "trace/trace.h"

namespace sonde::pytorch {

/// Appends the rows of all pieces to the tables of the trace's last rank, in the order of the text, with times from
/// `origin` on. Columns that the trace's fields do not ask for are left out.
void merge(std::span<Piece> pieces, const Fields& fields, int64_t origin, Trace& trace);

}  // namespace sonde::pytorch
