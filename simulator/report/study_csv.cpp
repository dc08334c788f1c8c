#include "simulator/report/csv_writer.hpp"
#include "simulator/report/study_columns.hpp"
#include "simulator/report/study_report.hpp"
#include "simulator/study/study_place.hpp"

namespace gradwire {

void write_study_csv(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out) {
  const std::vector<StudyColumn> columns = study_columns(spec, outcome);
  CsvWriter csv(out, names_of(columns));
  for (const StudyRow& row : outcome.rows) {
    for (const StudyColumn& column : columns) {
      if (column.text) {
        csv.cell(column.text(row));
      } else {
        csv.cell(column.number(row));
      }
    }
    csv.end_row();
  }
}

}  // namespace gradwire
