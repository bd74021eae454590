# The stop words of languages: the file stopwords-iso.json of the package stopwordsiso (MIT license),
# which ./dev build fetches. It becomes a part of the library; without it there is only English.
set(SDA_STOP_WORDS_ISO "${PROJECT_SOURCE_DIR}/build/stop_words/stopwords-iso.json" CACHE FILEPATH
    "The file stopwords-iso.json of the package stopwordsiso; without it no stop words but English")
set(stop_words "")
if(EXISTS "${SDA_STOP_WORDS_ISO}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${SDA_STOP_WORDS_ISO}")
  file(READ "${SDA_STOP_WORDS_ISO}" stop_words)
else()
  message(STATUS "No stop words of languages: ${SDA_STOP_WORDS_ISO} is not there")
endif()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/stop_words_iso.cc" @ONLY CONTENT
  [[#include "data/text/stop_words_iso.h"

namespace sda {

const std::string_view kStopWordsIso = R"stopwords(@stop_words@)stopwords";

}  // namespace sda
]])
