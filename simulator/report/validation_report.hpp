#pragma once

#include <iosfwd>

#include "simulator/study/validation.hpp"

namespace gradwire {

/// For people: measured beside predicted, case by case, then the errors against the aim and beside
/// the baseline.
void write_validation_text(const ValidationResult& result, std::ostream& out);

/// One line a case of every set (docs/formats/validation.md).
void write_validation_csv(const std::vector<ValidationResult>& results, std::ostream& out);

}  // namespace gradwire
