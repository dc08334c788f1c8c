#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "tests/tracer/nvtx/recorded_events.hpp"
#include "tracer/cupti/nvtx_injection.hpp"
#include "tracer/cupti/nvtx_registry.hpp"

namespace gradwire {
namespace {

using test::begin_recording;
using test::recorded_events;
using test::RecordedEvent;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

/// Before NVTX's first call: this program has its tool linked in, which NVTX takes when no variable
/// names one, and all domains are recorded.
const bool kReady = [] {
  InitializeInjectionNvtx2_fnptr = InitializeInjectionNvtx2;
  unsetenv("NVTX_INJECTION64_PATH");
  return setenv("GRADWIRE_NVTX", "1", 1) == 0;
}();

nvtxEventAttributes_t attributes_of(const char* text) {
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text;
  return attributes;
}

template <typename Value>
std::string bytes_of(Value value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

RecordedEvent only_event() {
  const auto events = recorded_events();
  EXPECT_EQ(events.size(), 1U);
  return events.empty() ? RecordedEvent{} : events.front();
}

TEST(NvtxCalls, PlainRangesAndMarksAreRecordedInTheOrderOfTheCalls) {
  begin_recording();
  nvtxRangePushA("outer");
  nvtxMarkA("point");
  nvtxRangePushW(L"inner");
  EXPECT_EQ(nvtxRangePop(), NVTX_NO_PUSH_POP_TRACKING);
  nvtxRangePop();
  const auto events = recorded_events();
  ASSERT_THAT(events, SizeIs(5));
  EXPECT_EQ(events[0].kind, HostEventKind::kNvtxPush);
  EXPECT_EQ(events[0].text, "outer");
  EXPECT_EQ(events[1].kind, HostEventKind::kNvtxMark);
  EXPECT_EQ(events[1].text, "point");
  EXPECT_EQ(events[2].kind, HostEventKind::kNvtxPush);
  EXPECT_EQ(events[2].text, "inner");
  EXPECT_EQ(events[3].kind, HostEventKind::kNvtxPop);
  EXPECT_EQ(events[4].kind, HostEventKind::kNvtxPop);
  EXPECT_THAT(events, Each(Field(&RecordedEvent::domain, 0U)));
}

TEST(NvtxCalls, WideTextBecomesUtf8AndWhatIsNoCharacterItsReplacement) {
  begin_recording();
  nvtxMarkW(L"\u00e9\u20ac\U0001F600");
  EXPECT_EQ(only_event().text, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  begin_recording();
  const wchar_t lone_surrogate[] = {static_cast<wchar_t>(0xD800), L'!', L'\0'};
  nvtxMarkW(lone_surrogate);
  EXPECT_EQ(only_event().text, "\xef\xbf\xbd!");
}

TEST(NvtxCalls, LongTextIsCutAtTheBoundAndNotReadBeyond) {
  begin_recording();
  const std::string narrow(kMaxEventBytes + 500, 'x');
  nvtxMarkA(narrow.c_str());
  const std::wstring wide(kMaxEventBytes + 500, L'\u20ac');  // three bytes each
  nvtxMarkW(wide.c_str());
  const auto events = recorded_events();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].text, std::string(kMaxEventBytes, 'x'));
  EXPECT_EQ(events[1].text.size(), kMaxEventBytes / 3 * 3);
}

TEST(NvtxCalls, NoTextAtAllIsARangeWithoutText) {
  begin_recording();
  nvtxRangePushA(nullptr);
  nvtxRangePushW(nullptr);
  nvtxRangePushEx(nullptr);
  EXPECT_THAT(recorded_events(), SizeIs(3));
  EXPECT_THAT(recorded_events(), Each(Field(&RecordedEvent::text, "")));
}

TEST(NvtxCalls, AStartedRangeEndsByItsNumberOnAnotherThread) {
  begin_recording();
  const nvtxRangeId_t first = nvtxRangeStartA("first");
  const nvtxRangeId_t second = nvtxRangeStartW(L"second");
  EXPECT_NE(first, second);
  std::thread([&] { nvtxRangeEnd(first); }).join();
  nvtxRangeEnd(second);
  const auto events = recorded_events();
  ASSERT_THAT(events, SizeIs(4));
  EXPECT_EQ(events[0].kind, HostEventKind::kNvtxStart);
  EXPECT_EQ(events[2].kind, HostEventKind::kNvtxEnd);
  EXPECT_EQ(events[2].value, events[0].value);
  EXPECT_EQ(events[3].value, events[1].value);
  EXPECT_NE(events[0].value, events[1].value);
}

TEST(NvtxCalls, PlainPayloadsKeepTheirTypeAndTheirBytes) {
  begin_recording();
  auto attributes = attributes_of("payload");
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  attributes.payload.llValue = -7;
  nvtxMarkEx(&attributes);
  EXPECT_EQ(only_event().payload_kind, 2U);  // nvtxPayloadType_t
  EXPECT_EQ(only_event().payload, bytes_of(std::int64_t{-7}));

  begin_recording();
  attributes.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  attributes.payload.dValue = 0.25;
  nvtxRangePushEx(&attributes);
  EXPECT_EQ(only_event().payload_kind, 3U);
  EXPECT_EQ(only_event().payload, bytes_of(0.25));

  begin_recording();
  attributes.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
  attributes.payload.fValue = 0.5F;
  nvtxRangeStartEx(&attributes);
  EXPECT_EQ(only_event().payload_kind, 6U);
  EXPECT_EQ(only_event().payload, bytes_of(0.5F));
}

TEST(NvtxCalls, AnExtendedPayloadGivesItsSchemaAndItsBytes) {
  begin_recording();
  const struct {
    std::uint64_t a = 11;
    std::uint64_t b = 22;
  } content;
  const nvtxPayloadData_t payload = {NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5, sizeof content,
                                     &content};
  auto attributes = attributes_of("extended");
  attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
  attributes.reserved0 = 1;
  attributes.payload.ullValue = reinterpret_cast<std::uintptr_t>(&payload);
  nvtxMarkEx(&attributes);
  EXPECT_EQ(only_event().payload_kind, 16777221U);  // (1 << 24) + 5
  EXPECT_EQ(only_event().payload, bytes_of(content));
}

TEST(NvtxCalls, AnExtendedPayloadWithoutSizeOrSchemaGivesNoBytes) {
  const std::uint64_t content = 33;
  nvtxPayloadData_t payloads[2] = {
      {NVTX_PAYLOAD_ENTRY_TYPE_INT64, sizeof content, &content},  // a plain type, no schema
      {NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 1, SIZE_MAX, &content}};
  auto attributes = attributes_of("extended");
  attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
  attributes.reserved0 = 2;
  attributes.payload.ullValue = reinterpret_cast<std::uintptr_t>(&payloads);
  begin_recording();
  nvtxMarkEx(&attributes);
  EXPECT_EQ(only_event().payload_kind, 16777217U);
  EXPECT_EQ(only_event().payload, "");

  payloads[1].size = sizeof content;
  begin_recording();
  nvtxMarkEx(&attributes);
  EXPECT_EQ(only_event().payload, bytes_of(content));

  attributes.reserved0 = 1;
  begin_recording();
  nvtxMarkEx(&attributes);
  EXPECT_EQ(only_event().payload_kind, 0U);

  attributes.payload.ullValue = 0;
  begin_recording();
  nvtxMarkEx(&attributes);
  EXPECT_EQ(only_event().payload, "");
}

TEST(NvtxCalls, AttributesOfAnotherVersionOrSizeKeepTheRangeAndLoseWhatTheySay) {
  begin_recording();
  auto attributes = attributes_of("new");
  attributes.version = NVTX_VERSION + 1;
  nvtxRangePushEx(&attributes);
  attributes = attributes_of("short");
  attributes.size = sizeof attributes - 8;
  nvtxRangePushEx(&attributes);
  EXPECT_THAT(recorded_events(), SizeIs(2));
  EXPECT_THAT(recorded_events(), Each(Field(&RecordedEvent::text, "")));
  begin_recording();
  attributes = attributes_of("longer");
  attributes.size = sizeof attributes + 8;  // what is appended does not move what we know
  nvtxRangePushEx(&attributes);
  EXPECT_EQ(only_event().text, "longer");
}

TEST(NvtxCalls, ADomainIsNamedOnceInEachSession) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("once a session");
  const auto attributes = attributes_of("range");
  for (const std::uint64_t session : {3U, 4U}) {
    begin_recording(session);
    nvtxDomainRangePushEx(domain, &attributes);
    nvtxDomainRangePop(domain);
    nvtxDomainMarkEx(domain, &attributes);
    const auto events = recorded_events();
    ASSERT_THAT(events, SizeIs(4));
    EXPECT_EQ(events[0].kind, HostEventKind::kNvtxDomain);
    EXPECT_EQ(events[0].text, "once a session");
    EXPECT_GT(events[0].value, 0U);
    EXPECT_EQ(events[1].domain, events[0].value);
    EXPECT_EQ(events[2].domain, events[0].value);
    EXPECT_EQ(events[3].domain, events[0].value);
  }
}

TEST(NvtxCalls, ADomainOfTheSameNameIsTheSame) {
  const nvtxDomainHandle_t narrow = nvtxDomainCreateA("same name");
  const nvtxDomainHandle_t wide = nvtxDomainCreateW(L"same name");
  EXPECT_EQ(narrow, wide);
  EXPECT_NE(narrow, nvtxDomainCreateA("another name"));
  nvtxDomainDestroy(narrow);  // other libraries may still have it
  EXPECT_EQ(nvtxDomainCreateA("same name"), wide);
}

TEST(NvtxCalls, ARegisteredStringIsTextAgainWhereItIsUsed) {
  begin_recording(5);
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("strings");
  std::string text = "registered";
  const nvtxStringHandle_t handle = nvtxDomainRegisterStringA(domain, text.c_str());
  text = "overwritten";
  EXPECT_EQ(nvtxDomainRegisterStringW(domain, L"registered"), handle);
  auto attributes = attributes_of(nullptr);
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = handle;
  const nvtxRangeId_t range = nvtxDomainRangeStartEx(domain, &attributes);
  nvtxDomainRangeEnd(domain, range);
  int somewhere_else = 0;
  attributes.message.registered = reinterpret_cast<nvtxStringHandle_t>(&somewhere_else);
  nvtxDomainMarkEx(domain, &attributes);
  const auto events = recorded_events();
  ASSERT_THAT(events, SizeIs(4));
  EXPECT_EQ(events[1].text, "registered");
  EXPECT_EQ(events[2].kind, HostEventKind::kNvtxEnd);
  EXPECT_EQ(events[2].value, events[1].value);
  EXPECT_EQ(events[2].domain, events[1].domain);
  EXPECT_EQ(events[3].text, "") << "what is no string of ours is not read";
}

TEST(NvtxCalls, WithoutASessionNothingIsRecorded) {
  begin_recording(0);
  nvtxRangePushA("range");
  nvtxRangePop();
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("without a session");
  const auto attributes = attributes_of("range");
  nvtxDomainRangePushEx(domain, &attributes);
  nvtxDomainRangePop(domain);
  nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &attributes));
  EXPECT_THAT(recorded_events(), IsEmpty());
}

TEST(NvtxCalls, ThreadsThatMakeTheSameDomainGetTheSameAndItsNameOnce) {
  constexpr int kThreads = 8;
  begin_recording(6);
  std::vector<nvtxDomainHandle_t> handles(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&handles, t] {
      const auto attributes = attributes_of("work");
      for (int i = 0; i < 20; ++i) {
        const nvtxDomainHandle_t domain = nvtxDomainCreateA(("raced " + std::to_string(i)).c_str());
        nvtxDomainRangePushEx(domain, &attributes);
        nvtxDomainRangePop(domain);
        handles[static_cast<std::size_t>(t)] = domain;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(handles, Each(handles.front()));
  const auto events = recorded_events();
  const auto names = std::count_if(events.begin(), events.end(), [](const RecordedEvent& event) {
    return event.kind == HostEventKind::kNvtxDomain;
  });
  EXPECT_EQ(names, 20);
  EXPECT_THAT(events, SizeIs(20 + 2 * 20 * kThreads));
}

// Tables as an object of another NVTX would offer them.

struct OtherObject {
  std::uint32_t version = 3;
  std::size_t callbacks_size = sizeof(NvtxExportTableCallbacks);
  unsigned core_entries = NVTX_CBID_CORE_SIZE;
  unsigned core2_entries = NVTX_CBID_CORE2_SIZE;
};

OtherObject other;
NvtxFunctionPointer functions[+NVTX_CBID_CORE_SIZE + +NVTX_CBID_CORE2_SIZE];
NvtxFunctionPointer* core_table[NVTX_CBID_CORE_SIZE];
NvtxFunctionPointer* core2_table[NVTX_CBID_CORE2_SIZE];

int table_of(NvtxCallbackModule module, NvtxFunctionTable* table, unsigned* entries) {
  const bool core = module == NVTX_CB_MODULE_CORE;
  *table = core ? core_table : core2_table;
  *entries = core ? other.core_entries : other.core2_entries;
  return *entries > 0 ? 1 : 0;
}

const void* other_table(std::uint32_t id) {
  static NvtxExportTableCallbacks callbacks;
  static NvtxExportTableVersionInfo version;
  callbacks = {other.callbacks_size, table_of};
  version = {sizeof version, other.version, 0, nullptr};
  if (id == NVTX_ETID_CALLBACKS) return &callbacks;
  return id == NVTX_ETID_VERSIONINFO ? &version : nullptr;
}

/// How many slots of the object were taken.
std::ptrdiff_t slots_taken(const OtherObject& object, int& answer) {
  other = object;
  std::fill(std::begin(functions), std::end(functions), nullptr);
  for (std::size_t i = 0; i < NVTX_CBID_CORE_SIZE; ++i) core_table[i] = &functions[i];
  for (std::size_t i = 0; i < NVTX_CBID_CORE2_SIZE; ++i) {
    core2_table[i] = &functions[NVTX_CBID_CORE_SIZE + i];
  }
  core_table[0] = core2_table[0] = nullptr;  // as in NVTX's own tables
  answer = InitializeInjectionNvtx2(other_table);
  return std::count_if(std::begin(functions), std::end(functions),
                       [](NvtxFunctionPointer function) { return function != nullptr; });
}

TEST(NvtxInjection, TakesTheSlotsOfKnownTables) {
  int answer = 0;
  EXPECT_EQ(slots_taken({}, answer), 11 + 9);  // core: 3 marks, 4 of starts, 4 of pushes
  EXPECT_EQ(answer, 1);
}

TEST(NvtxInjection, LeavesAnUnknownObjectAlone) {
  int answer = 1;
  EXPECT_EQ(slots_taken({.version = 2}, answer), 0);
  EXPECT_EQ(answer, 0);
  EXPECT_EQ(slots_taken({.version = 4}, answer), 0);
  EXPECT_EQ(answer, 0);
  EXPECT_EQ(slots_taken({.callbacks_size = 8}, answer), 0);
  EXPECT_EQ(answer, 0);
  EXPECT_EQ(slots_taken({.core2_entries = 3}, answer), 0);
  EXPECT_EQ(answer, 0);
  EXPECT_EQ(InitializeInjectionNvtx2(nullptr), 0);
}

TEST(NvtxInjection, WithoutTheWishForAllDomainsTheDefaultDomainStaysFree) {
  ASSERT_EQ(setenv("GRADWIRE_NVTX", "0", 1), 0);
  int answer = 0;
  EXPECT_EQ(slots_taken({}, answer), 1 + 9);  // core: the end of a range, which has no domain
  EXPECT_EQ(answer, 1);
  begin_recording(7);
  const auto attributes = attributes_of("range");
  const nvtxDomainHandle_t muted = nvtxDomainCreateA("somebody else's");
  nvtxDomainRangePushEx(muted, &attributes);
  nvtxDomainRangePop(muted);
  nvtxDomainMarkEx(muted, &attributes);
  nvtxRangeEnd(nvtxDomainRangeStartEx(muted, &attributes));
  EXPECT_THAT(recorded_events(), IsEmpty());
  nvtxDomainMarkEx(nvtxDomainCreateA("gradwire"), &attributes);
  nvtxDomainMarkEx(nvtxDomainCreateA("NCCL"), &attributes);
  EXPECT_THAT(recorded_events(), SizeIs(4));
  ASSERT_EQ(setenv("GRADWIRE_NVTX", "1", 1), 0);
  slots_taken({}, answer);
}

}  // namespace
}  // namespace gradwire
