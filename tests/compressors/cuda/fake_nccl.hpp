#pragma once

#include <cstddef>

/// One call of a collective that the fake NCCL saw, in the order of each rank.
struct FakeNcclCall {
  int rank = 0;
  bool gathers = false;
  bool in_group = false;
  bool in_place = false;
  int type = 0;
  std::size_t elements = 0;
  const void* stream = nullptr;
};

extern "C" {
/// Copies up to `most` calls of all ranks since the last time to `to`; returns how many there were.
int fakeNcclTakeCalls(FakeNcclCall* to, int most);
}
