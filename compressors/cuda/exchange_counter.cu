#include "compressors/cuda/exchange_counter.hpp"

#include "compressors/cuda/spmd.hpp"

namespace gradwire {
namespace {

GW_KERNEL add_one(std::uint32_t* count) {
  if (thread_index() == 0) ++*count;
}

}  // namespace

void ExchangeCounter::advance(Stream stream) { launch(add_one, 1, kWarp, stream, count_.get()); }

}  // namespace gradwire
