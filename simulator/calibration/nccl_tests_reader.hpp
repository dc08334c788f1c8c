#pragma once

#include <string>
#include <vector>

#include "simulator/calibration/collective_table.hpp"

namespace gradwire {

/// The tables of one output of nccl-tests, as the program prints them (any number of jobs one after
/// the other, with whatever else they wrote between; prefixes of mpirun --tag-output and srun
/// --label) or as comma-separated values with the same column names. Which columns there are is
/// read from the line that names them. Rows of size 0 are left out, so are rows without a time and
/// a last row that the end of the file cuts; each is noted. `file` is for messages. Throws
/// InputError with file and line: a row before its column names, with too few or too many columns,
/// with what is no number, with a time that is not above zero; no table with a row.
std::vector<CollectiveTable> read_nccl_tests(const std::string& text, const std::string& file);

}  // namespace gradwire
