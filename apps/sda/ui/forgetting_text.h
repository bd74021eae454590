#ifndef SDA_APPS_UI_FORGETTING_TEXT_H_
#define SDA_APPS_UI_FORGETTING_TEXT_H_

#include <string>

#include "sda/forgetting.h"

namespace sda {

// For people, whole lines: the half-life that was learnt, and where the stream changed. Items are
// documents or rows.
std::string ForgettingText(const ForgettingHistory& history, const std::string& items);

}  // namespace sda

#endif  // SDA_APPS_UI_FORGETTING_TEXT_H_
