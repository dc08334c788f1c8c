// A program with NVTX ranges of its own, of two libraries, and of several threads.
#include <nvtx3/nvToolsExt.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

extern "C" {
void first_object(int depth);
void second_object(int depth);
}

namespace {

void plain_ranges() {
  nvtxRangePushA("autograd::AccumulateGrad, op_id = 1, sizes = [[3, 4]]");
  nvtxMarkW(L"m\u00e4rk");
  nvtxRangePop();
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("somebody's");
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "in a domain";
  const nvtxRangeId_t range = nvtxDomainRangeStartEx(domain, &attributes);
  nvtxDomainRangeEnd(domain, range);
}

/// Each thread makes nested ranges in both libraries by turns.
void ranges_on_threads(int threads, int rounds) {
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([rounds] {
      for (int i = 0; i < rounds; ++i) {
        first_object(2);
        second_object(1);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "plain") {
    plain_ranges();
  } else if (what == "threads") {
    ranges_on_threads(4, 500);
  } else if (what == "objects") {
    first_object(1);
    second_object(0);
  } else {
    return 1;
  }
  return 0;
}
