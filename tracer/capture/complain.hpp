#pragma once

namespace gradwire {

/// Writes "gradwire: <sentence>" and a line end to standard error by one write(2); longer than a
/// kilobyte is cut. Any thread.
[[gnu::format(printf, 1, 2)]] void complain(const char* format, ...);

}  // namespace gradwire
