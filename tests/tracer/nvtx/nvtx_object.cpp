// Compiled into two shared objects, each with an NVTX of its own, as libraries have it.
#include <nvtx3/nvToolsExt.h>

#define GRADWIRE_TEXT_OF(name) #name
#define GRADWIRE_TEXT(name) GRADWIRE_TEXT_OF(name)

extern "C" __attribute__((visibility("default"))) void GRADWIRE_OBJECT(int depth) {
  static const nvtxDomainHandle_t domain = nvtxDomainCreateA("gradwire");
  static const nvtxStringHandle_t name =
      nvtxDomainRegisterStringA(domain, GRADWIRE_TEXT(GRADWIRE_OBJECT));
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = name;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  attributes.payload.llValue = depth;
  nvtxDomainRangePushEx(domain, &attributes);
  if (depth > 0) GRADWIRE_OBJECT(depth - 1);
  nvtxDomainRangePop(domain);
}
