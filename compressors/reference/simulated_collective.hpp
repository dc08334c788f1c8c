#pragma once

#include <vector>

#include "base/collective_kind.hpp"
#include "compressors/reference/wire_message.hpp"

namespace gradwire {

/// What every rank gets from a collective to which rank r contributes `contributions[r]`, all of
/// one type. kAllReduce: the sum, element by element, of messages of one length (float32, float16
/// or bfloat16), added in the order of the ranks and rounded to the type after every addition. A
/// real all-reduce may add in another order. kAllGather: the messages in the order of the ranks.
WireMessage collective_result(CollectiveKind kind, const std::vector<WireMessage>& contributions);

}  // namespace gradwire
