#ifndef SDA_TOPICS_CURRENT_SAVER_H_
#define SDA_TOPICS_CURRENT_SAVER_H_

#include <mutex>

#include "sda/background_saver.h"

namespace sda {

// Lets other threads reach the saver of a run while there is one.
class CurrentSaver {
 public:
  void SaveNow() {
    std::lock_guard lock(mutex_);
    if (saver_ != nullptr) saver_->SaveNow();
  }

  // The saver (which may be null) is the current one as long as this exists.
  class Use {
   public:
    Use(CurrentSaver* current, BackgroundSaver* saver) : current_(*current) { Set(saver); }
    ~Use() { Set(nullptr); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    void Set(BackgroundSaver* saver) {
      std::lock_guard lock(current_.mutex_);
      current_.saver_ = saver;
    }
    CurrentSaver& current_;
  };

 private:
  std::mutex mutex_;
  BackgroundSaver* saver_ = nullptr;  // guarded by it
};

}  // namespace sda

#endif  // SDA_TOPICS_CURRENT_SAVER_H_
