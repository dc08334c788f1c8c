#pragma once

#include <string>
#include <string_view>

#include "simulator/scenario/network_conditions.hpp"

namespace gradwire {

// What happens on a network as text. Every parser throws InputError: `what` names the option, the
// text says what was found and what is accepted.

/// "nic 3 at 12ms x0.5", "nic 3 out at 20ms fails", "link rack 0>core at 30ms recovers", "link
/// rack 0<>core at 0s x0.25" (both directions), "link 7 at 1ms fails".
LinkEvent parse_link_event(std::string_view text, std::string_view what);

/// "0->3", "0->3 4Gbps", "0->3 4Gbps on 10ms off 10ms".
BackgroundFlow parse_background_flow(std::string_view text, std::string_view what);

/// "sigma=20%", "sigma=20%,seed=7".
LatencyJitter parse_latency_jitter(std::string_view text, std::string_view what);

/// In the form that the parsers read; figures to six digits.
std::string to_text(const LinkEvent& event);
std::string to_text(const BackgroundFlow& flow);
std::string to_text(const LatencyJitter& jitter);

}  // namespace gradwire
