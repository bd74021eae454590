#ifndef SDA_DATA_TEXT_STEMMER_H_
#define SDA_DATA_TEXT_STEMMER_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "data/text/word_table.h"

struct sb_stemmer;

namespace sda {

// Takes the endings of a language off words: connected and connection become connect. By libstemmer
// (Snowball); words recur, so their stems are remembered.
class Stemmer {
 public:
  // A name or code that libstemmer knows: english, en, eng. Throws UsageError, which lists them.
  explicit Stemmer(const std::string& language);
  ~Stemmer();

  // Of a folded word; valid until the next call.
  std::string_view Stem(std::string_view word);

 private:
  struct Delete {
    void operator()(sb_stemmer* stemmer) const;
  };

  std::unique_ptr<sb_stemmer, Delete> stemmer_;
  WordTable words_;
  std::deque<std::string> stems_;  // of each
  std::string not_remembered_;
};

}  // namespace sda

#endif  // SDA_DATA_TEXT_STEMMER_H_
