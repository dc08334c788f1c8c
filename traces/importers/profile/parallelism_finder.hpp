#pragma once

#include "traces/importers/import_report.hpp"
#include "traces/importers/profile/records.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// Fills Trace::parallelism with the ways of training, other than plain data-parallel DDP, that the
/// trace gives evidence of: "fsdp", "compiled-ddp", "no-sync", "tensor-parallel",
/// "pipeline-parallel", "point-to-point", "model-parallel-embeddings". Needs communications,
/// gradients and backward marks.
void find_parallelism(const ProfileRecords& records, Trace& trace);

}  // namespace gradwire
