#pragma once

#include "record/record.h"

namespace sonde::record {

/// What a reader must know of the samples of Python.
void add_python_remarks(std::vector<Remark>& remarks, const PythonTally& tally, const PythonOptions& options);

}  // namespace sonde::record
