#include "tracer/cupti/nvtx_event.hpp"

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <cstring>

#include "tracer/cupti/nvtx_registry.hpp"

namespace gradwire {
namespace {

constexpr std::uint16_t kNewestVersion = 3;  // all have had one layout: NVTX's own headers, 1 to 3
constexpr std::uint64_t kFirstSchema = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START;

/// UTF-8 of one character; how many bytes. What is no character becomes U+FFFD.
std::size_t encode(std::uint32_t character, char (&out)[4]) {
  if (character > 0x10FFFFU || (character >= 0xD800U && character < 0xE000U)) character = 0xFFFDU;
  if (character < 0x80U) {
    out[0] = static_cast<char>(character);
    return 1;
  }
  const auto tail = [&](unsigned shift) {
    return static_cast<char>(0x80U | ((character >> shift) & 0x3FU));
  };
  if (character < 0x800U) {
    out[0] = static_cast<char>(0xC0U | (character >> 6U));
    out[1] = tail(0);
    return 2;
  }
  if (character < 0x10000U) {
    out[0] = static_cast<char>(0xE0U | (character >> 12U));
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xF0U | (character >> 18U));
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

EventBytes bytes_of(const char* message) {
  if (message == nullptr) return {};
  return {message, strnlen(message, kMaxEventBytes)};
}

}  // namespace

NvtxEvent::NvtxEvent(const char* message) : text_(bytes_of(message)) {}

NvtxEvent::NvtxEvent(const wchar_t* message) { convert(message); }

NvtxEvent::NvtxEvent(const nvtxEventAttributes_v2* attributes) {
  if (attributes == nullptr || attributes->version == 0 || attributes->version > kNewestVersion ||
      attributes->size < sizeof(nvtxEventAttributes_t)) {
    return;
  }
  read_message(*attributes);
  read_payload(*attributes);
}

void NvtxEvent::put_into(HostEvent& event) const {
  event.text = text_;
  event.payload_kind = payload_kind_;
  event.payload = payload_;
}

void NvtxEvent::read_message(const nvtxEventAttributes_v2& attributes) {
  switch (attributes.messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      text_ = bytes_of(attributes.message.ascii);
      break;
    case NVTX_MESSAGE_TYPE_UNICODE:
      convert(attributes.message.unicode);
      break;
    case NVTX_MESSAGE_TYPE_REGISTERED:
      if (const auto* text = nvtx_registry().find_text(attributes.message.registered)) {
        text_ = text->bytes();
      }
      break;
    default:
      break;
  }
}

void NvtxEvent::read_payload(const nvtxEventAttributes_v2& attributes) {
  const auto& payload = attributes.payload;
  switch (attributes.payloadType) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
    case NVTX_PAYLOAD_TYPE_INT64:
    case NVTX_PAYLOAD_TYPE_DOUBLE:
      payload_ = {&payload, sizeof payload.ullValue};
      break;
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
    case NVTX_PAYLOAD_TYPE_INT32:
    case NVTX_PAYLOAD_TYPE_FLOAT:
      payload_ = {&payload, sizeof payload.uiValue};
      break;
    case NVTX_PAYLOAD_TYPE_EXT: {
      // NVTX passes it so. NOLINTNEXTLINE(performance-no-int-to-ptr)
      const auto* extended = reinterpret_cast<const nvtxPayloadData_t*>(payload.ullValue);
      for (std::int32_t i = 0; extended != nullptr && i < attributes.reserved0; ++i) {
        if (extended[i].schemaId < kFirstSchema) continue;  // a plain type, not a schema
        payload_kind_ = extended[i].schemaId;
        const bool sized = extended[i].payload != nullptr && extended[i].size != SIZE_MAX;
        if (sized) payload_ = {extended[i].payload, extended[i].size};
        break;
      }
      return;
    }
    default:
      return;
  }
  payload_kind_ = static_cast<std::uint64_t>(attributes.payloadType);
}

void NvtxEvent::convert(const wchar_t* message) {
  if (message == nullptr) return;
  std::size_t size = 0;
  for (; *message != L'\0'; ++message) {
    char bytes[4];
    const std::size_t count = encode(static_cast<std::uint32_t>(*message), bytes);
    if (size + count > sizeof converted_) break;
    std::memcpy(converted_ + size, bytes, count);
    size += count;
  }
  text_ = {converted_, size};
}

}  // namespace gradwire
