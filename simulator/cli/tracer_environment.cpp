#include "simulator/cli/tracer_environment.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <string_view>

#include "base/errors.hpp"

namespace gradwire {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibraryName = "libgradwire_tracer.so";
constexpr const char* kLibraryVariable = "GRADWIRE_TRACER_LIB";
constexpr std::array kInjectionVariables = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"};

/// What the library reads and this command decides. GRADWIRE_CUPTI_LIB is the user's own.
constexpr std::array kOwnVariables = {"GRADWIRE_CAPTURE", "GRADWIRE_ITERATIONS", "GRADWIRE_SKIP",
                                      "GRADWIRE_DEVICE",  "GRADWIRE_KERNELS",    "GRADWIRE_NVTX",
                                      "GRADWIRE_PYTORCH"};

/// Without --pytorch only the module that a program imports by itself is on its path.
constexpr std::string_view kMarksModule = "gradwire_marks";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

bool is_readable(const fs::path& path) { return access(path.c_str(), R_OK) == 0; }

void write_text_file(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    throw EnvironmentError(
        fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
  }
}

}  // namespace

fs::path find_tracer_library() {
  if (const std::string given = variable(kLibraryVariable); !given.empty()) {
    if (is_readable(given)) return fs::canonical(given);
    throw EnvironmentError(
        fmt::format("{}: {}, the tracer's library, cannot be read: {}; without that variable it is "
                    "looked for beside the program",
                    kLibraryVariable, given, std::strerror(errno)));
  }
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path beside = folder / kLibraryName;
  const fs::path installed = (folder / "../lib/gradwire").lexically_normal() / kLibraryName;
  for (const fs::path& path : {beside, installed}) {
    if (is_readable(path)) return fs::canonical(path);
  }
  throw EnvironmentError(fmt::format(
      "the tracer's library is neither {} nor {}; build it (ninja gradwire_tracer), or name it by "
      "{}",
      beside.string(), installed.string(), kLibraryVariable));
}

void refuse_other_injection(const fs::path& library) {
  for (const char* name : kInjectionVariables) {
    const std::string value = variable(name);
    std::error_code ignored;
    if (value.empty() || fs::equivalent(value, library, ignored)) continue;
    throw EnvironmentError(fmt::format(
        "{0} is set to {1}: another tool is to be loaded there, and only one can be; run `env -u "
        "{0} gradwire trace ...` to do without it",
        name, value));
  }
}

RunFolder::RunFolder(const fs::path& output, bool pytorch) {
  const fs::path parent = fs::absolute(output).parent_path();
  std::string name = (parent / ".gradwire-trace.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {  // for this user alone
    throw EnvironmentError(fmt::format("{}: a folder for the captures cannot be made: {}",
                                       parent.string(), std::strerror(errno)));
  }
  path_ = name;
  try {
    fs::create_directory(python());
    for (const EmbeddedText& file : python_hook_texts()) {
      if (!pytorch && file.name != kMarksModule) continue;
      write_text_file(python() / fmt::format("{}.py", file.name), file.text);
    }
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    throw;
  }
}

RunFolder::~RunFolder() {
  if (abandoned_) return;
  std::error_code error;
  fs::remove_all(python(), error);
  fs::remove(path_, error);
  if (error) spdlog::warn("{}: was left behind: {}", path_.string(), error.message());
}

std::vector<fs::path> RunFolder::captures() const {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(path_)) {
    if (entry.path().extension() == ".gwc") result.push_back(entry.path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<std::string> tracer_environment(const TracerRequest& request, const RunFolder& folder,
                                            const fs::path& library, bool kernels) {
  std::map<std::string, std::string> variables = own_environment();
  for (const char* name : kOwnVariables) variables.erase(name);
  variables["GRADWIRE_CAPTURE"] = folder.prefix().string();
  variables[kLibraryVariable] = library.string();
  for (const char* name : kInjectionVariables) variables[name] = library.string();
  std::string& python_path = variables["PYTHONPATH"];
  python_path = folder.python().string() + (python_path.empty() ? "" : ":" + python_path);
  if (request.iterations) {
    variables["GRADWIRE_ITERATIONS"] = fmt::format("{}", *request.iterations);
  }
  if (request.skip) variables["GRADWIRE_SKIP"] = fmt::format("{}", *request.skip);
  if (!request.device.empty()) variables["GRADWIRE_DEVICE"] = request.device;
  if (request.pytorch) variables["GRADWIRE_PYTORCH"] = "1";
  if (request.nvtx) variables["GRADWIRE_NVTX"] = "1";
  if (!kernels) variables["GRADWIRE_KERNELS"] = "0";
  std::vector<std::string> result;
  for (const auto& [name, value] : variables) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

}  // namespace gradwire
