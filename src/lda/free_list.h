#ifndef SDA_LDA_FREE_LIST_H_
#define SDA_LDA_FREE_LIST_H_

#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace sda::lda {

// Things not in use, kept for their memory or threads until the list is destroyed. May be called
// from any thread.
template <class Thing>
class FreeList {
 public:
  struct GiveBack {
    FreeList* list;
    void operator()(Thing* thing) const { list->Keep(std::unique_ptr<Thing>(thing)); }
  };
  // Comes back to the list, which must still be there, at its end.
  using Lease = std::unique_ptr<Thing, GiveBack>;

  // One that was used before, or a new one made of these arguments.
  template <class... Arguments>
  Lease Take(Arguments&&... arguments) {
    {
      std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        Lease thing(free_.back().release(), GiveBack{this});
        free_.pop_back();
        return thing;
      }
    }
    auto made = std::make_unique<Thing>(std::forward<Arguments>(arguments)...);
    return Lease(made.release(), GiveBack{this});
  }

 private:
  // Called by destructors.
  void Keep(std::unique_ptr<Thing> thing) noexcept {
    std::lock_guard lock(mutex_);
    try {
      free_.push_back(std::move(thing));
    } catch (const std::bad_alloc&) {
      // It ends here.
    }
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Thing>> free_;
};

}  // namespace sda::lda

#endif  // SDA_LDA_FREE_LIST_H_
