#pragma once

namespace gradwire {

/// The life of a recording in this process. Every function may be called from any thread at any
/// time; none throws, and what fails is one sentence on stderr.

/// Starts recording into PREFIX...gwc; a null `prefix` stands for $GRADWIRE_CAPTURE. True when a
/// session is on afterwards. The profiler is claimed at once, or, where the driver will call us
/// ($CUDA_INJECTION64_PATH), when it does.
bool start_session(const char* prefix);

/// The same from the environment, without a word when it asks for nothing: the first call of the
/// process alone does it, and none in a child of fork.
void start_session_once();

/// cuInit is running (InitializeInjection): starts a session if the environment asks for one, and
/// claims the profiler if a session is on.
void driver_is_coming();

/// Ends the session; what was recorded is in the file when this returns, unless the writer does not
/// come to an end within kStopPatienceMs.
void stop_session();

inline constexpr int kStopPatienceMs = 20'000;
inline constexpr int kFlushIntervalMs = 200;

}  // namespace gradwire
