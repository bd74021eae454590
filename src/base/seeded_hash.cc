#include "base/seeded_hash.h"

#include <unistd.h>

#include "base/safe_file.h"
#include "sda/errors.h"

namespace sda {

const SeededHash::Key& SeededHash::KeyOfProcess() {
  static const Key key = [] {
    Key drawn;
    if (getentropy(drawn.data(), sizeof(drawn)) != 0) {
      throw IoError("the system gives no random numbers: " + ErrorText());
    }
    return drawn;
  }();
  return key;
}

}  // namespace sda
