#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gradwire {

/// Each adds its subcommand to `app` with complete help; the subcommand does its work in CLI11's
/// callback and throws InputError, EnvironmentError or IncompleteError. One file a command.
void add_import_command(CLI::App& app);
void add_inspect_command(CLI::App& app);
void add_simulate_command(CLI::App& app);
void add_breakeven_command(CLI::App& app);
void add_explain_command(CLI::App& app);
void add_collective_command(CLI::App& app);
void add_study_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_compressors_command(CLI::App& app);
void add_measure_compressors_command(CLI::App& app);
void add_validate_command(CLI::App& app);
void add_gradients_command(CLI::App& app);
void add_advise_command(CLI::App& app);
void add_calibrate_command(CLI::App& app);
void add_cluster_command(CLI::App& app);
void add_trace_merge_command(CLI::App& app);

/// `words` is what follows `--` on the command line. `status` becomes the exit status of the
/// program: the traced command's, or why there is no trace.
void add_trace_command(CLI::App& app, const std::vector<std::string>& words, int& status);

}  // namespace gradwire
