#include "report/page_bundle.h"

namespace sda::report {

std::string_view PageBundle() { return {}; }

}  // namespace sda::report
