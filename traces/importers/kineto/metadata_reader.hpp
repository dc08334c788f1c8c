#pragma once

#include <vector>

#include "traces/importers/event_splitter.hpp"
#include "traces/importers/import_report.hpp"
#include "traces/importers/profile/records.hpp"

namespace gradwire {

/// Reads what stands beside the events: base time, schema, devices, rank, versions. Of the rest
/// (trace names, host and user names, job metadata) nothing is kept. Values that are not JSON are
/// counted and passed over.
void read_metadata(const std::vector<MetadataText>& metadata, ProfileRecords& records,
                   ImportReport& report);

}  // namespace gradwire
