#ifndef SDA_DATA_TEXT_DOCUMENT_TIME_H_
#define SDA_DATA_TEXT_DOCUMENT_TIME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sda {

// A moment in milliseconds since 1970 (UTC), from one of the usual forms:
//
//   2026-01-31, 2026-01, 2026, 20260131, 2026/01/31
//   2026-01-31T12:30:05.25+01:00, 2026-01-31 12:30, 20260131T123005Z
//   1769862605, 1769862605.25, 1769862605250      seconds or milliseconds since 1970; those of more
//                                                 digits are micro- and nanoseconds
//   Sat, 31 Jan 2026 12:30:05 +0100               RFC 2822, which mail and HTTP have
//   January 31, 2026; Jan 31 2026 12:30           the month before the day
//   Sat Jan 31 12:30:05 2026                      of C and Unix; also with a zone before the year
//   31.01.2026, 31.1.2026 12:30                   points mean that the day comes first
//
// Without a zone, the zone is UTC. Nothing if it is none of these: 01/02/2026 is one day in Europe,
// another in the United States.
std::optional<int64_t> ParseTime(std::string_view text);

// 2026-01-31T11:30:05Z, with milliseconds if there are any.
std::string FormatTime(int64_t milliseconds);

}  // namespace sda

#endif  // SDA_DATA_TEXT_DOCUMENT_TIME_H_
