#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

namespace gradwire {

/// CUPTI's functions that the tracer calls. Without an optional one something is done in another
/// way or left out; without a mandatory one a library is not CUPTI to us.
#define GRADWIRE_CUPTI_FUNCTIONS(MANDATORY, OPTIONAL)                    \
  MANDATORY(get_version, cuptiGetVersion)                                \
  MANDATORY(subscribe, cuptiSubscribe)                                   \
  MANDATORY(unsubscribe, cuptiUnsubscribe)                               \
  MANDATORY(activity_register_callbacks, cuptiActivityRegisterCallbacks) \
  MANDATORY(activity_enable, cuptiActivityEnable)                        \
  MANDATORY(activity_disable, cuptiActivityDisable)                      \
  MANDATORY(activity_flush_all, cuptiActivityFlushAll)                   \
  MANDATORY(activity_get_next_record, cuptiActivityGetNextRecord)        \
  MANDATORY(activity_get_dropped, cuptiActivityGetNumDroppedRecords)     \
  OPTIONAL(subscribe_v2, cuptiSubscribe_v2)                              \
  OPTIONAL(get_result_string, cuptiGetResultString)                      \
  OPTIONAL(set_thread_id_type, cuptiSetThreadIdType)                     \
  OPTIONAL(enable_callback, cuptiEnableCallback)                         \
  OPTIONAL(activity_enable_runtime_api, cuptiActivityEnableRuntimeApi)   \
  OPTIONAL(activity_enable_driver_api, cuptiActivityEnableDriverApi)

/// CUPTI as it is loaded: nothing links it, so that the tracer starts on any machine.
struct CuptiApi {
// A declaration takes no parentheses. NOLINTNEXTLINE(bugprone-macro-parentheses)
#define GRADWIRE_MEMBER(member, function) decltype(&::function) member = nullptr;
  GRADWIRE_CUPTI_FUNCTIONS(GRADWIRE_MEMBER, GRADWIRE_MEMBER)
#undef GRADWIRE_MEMBER

  std::uint32_t version = 0;         ///< cuptiGetVersion; see is_known_cupti
  char path[512] = "";               ///< the file that it was loaded from
  char missing_functions[256] = "";  ///< optional ones that it does not have, spaces between

  /// Null, or why there is none; the sentence lives for ever. `driver_version` as
  /// cuDriverGetVersion tells it (13000), 0 if unknown: a driver older than CUDA 13 is asked for
  /// CUPTI 12 first.
  ///
  /// The library is $GRADWIRE_CUPTI_LIB alone where that is set; else one that the process has
  /// loaded already (two copies would fight over the driver's hooks), else the loader's, else that
  /// of a toolkit in $CUDA_HOME or /usr/local/cuda.
  const char* load(std::uint32_t driver_version);

 private:
  const char* take(void* library);
};

/// True for CUPTI of CUDA 12 and 13, whose records begin alike (activity_decoder.cpp). Versions:
/// cupti_version.h, 18 is CUDA 11.8, 19 is 12.0, from 13.0 on 130000.
constexpr bool is_known_cupti(std::uint32_t version) {
  return (version >= 19 && version < 1000) || (version >= 130000 && version < 140000);
}

}  // namespace gradwire
