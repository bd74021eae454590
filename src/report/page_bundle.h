#ifndef SDA_REPORT_PAGE_BUNDLE_H_
#define SDA_REPORT_PAGE_BUNDLE_H_

#include <string_view>

namespace sda::report {

// In the page, where the title and the data go.
inline constexpr std::string_view kTitlePlace = "@@SDA_TITLE@@";
inline constexpr std::string_view kDataPlace = "@@SDA_DATA@@";

// In the head of the page: that it is one.
inline constexpr std::string_view kPageMark = "<meta name=\"generator\" content=\"sda report\">";

// The page that web/ builds: HTML with its script and style in it, and a policy that permits
// nothing but these two, by their hashes. Empty in a build without Node.js.
std::string_view PageBundle();

}  // namespace sda::report

#endif  // SDA_REPORT_PAGE_BUNDLE_H_
