#include "tests/tracer/marks/run_program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

extern char** environ;

namespace gradwire::test {
namespace {

std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> result = variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string entry = *each;
    const bool ours = entry.rfind("GRADWIRE_", 0) == 0 ||
                      entry.rfind("CUDA_INJECTION64_PATH=", 0) == 0 ||
                      entry.rfind("NVTX_INJECTION64_PATH=", 0) == 0;
    if (!ours) result.push_back(entry);
  }
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

ProgramEnd run_program(const std::vector<std::string>& command,
                       const std::vector<std::string>& variables) {
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = environment_with(variables);
  const std::vector<char*> argv = pointers_to(arguments);
  const std::vector<char*> envp = pointers_to(environment);
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  close(ends[1]);
  ProgramEnd result;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(ends[0], buffer, sizeof buffer)) > 0;) {
    result.output.append(buffer, static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace gradwire::test
