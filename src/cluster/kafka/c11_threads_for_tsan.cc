// librdkafka uses the threads of C11, which GCC's thread sanitizer does not support. Here they are
// implemented by POSIX threads, which it does; being part of the program, they take precedence over
// those of the C library.
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>
#include <memory>

// The space that librdkafka has reserved is large enough.
static_assert(sizeof(mtx_t) >= sizeof(pthread_mutex_t));
static_assert(alignof(mtx_t) >= alignof(pthread_mutex_t));
static_assert(sizeof(cnd_t) >= sizeof(pthread_cond_t));
static_assert(alignof(cnd_t) >= alignof(pthread_cond_t));
static_assert(sizeof(once_flag) == sizeof(pthread_once_t));
static_assert(PTHREAD_ONCE_INIT == 0);  // as ONCE_FLAG_INIT
static_assert(sizeof(thrd_t) == sizeof(pthread_t));

namespace {

pthread_mutex_t* Posix(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* Posix(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

int Result(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    case ENOMEM:
      return thrd_nomem;
    default:
      return thrd_error;
  }
}

struct Start {
  thrd_start_t function;
  void* argument;
};

void* Run(void* start) {
  const std::unique_ptr<Start> owned(static_cast<Start*>(start));
  return reinterpret_cast<void*>(intptr_t{owned->function(owned->argument)});
}

}  // namespace

extern "C" {

// Atomic numbers of librdkafka are not seen, since it is not instrumented: so its reads, writes and
// frees through the C library are not checked. Neither is whether one of its locks was initialized
// before it is used: 2.0.2 looks at brokers that are being added. The order that its locks impose
// is seen.
const char* __tsan_default_suppressions() {
  return "called_from_lib:librdkafka.so\n"
         "race:^mtx_\n"
         "race:^cnd_\n";
}

int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  auto start = std::make_unique<Start>(Start{function, argument});
  const int error = pthread_create(thread, nullptr, Run, start.get());
  if (error == 0) static_cast<void>(start.release());
  return Result(error);
}

int thrd_join(thrd_t thread, int* result) {
  void* returned = nullptr;
  const int error = pthread_join(thread, &returned);
  if (result != nullptr) *result = static_cast<int>(reinterpret_cast<intptr_t>(returned));
  return Result(error);
}

int mtx_init(mtx_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  if ((type & mtx_recursive) != 0) {
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  }
  const int error = pthread_mutex_init(Posix(mutex), &attributes);
  pthread_mutexattr_destroy(&attributes);
  return Result(error);
}
int mtx_lock(mtx_t* mutex) { return Result(pthread_mutex_lock(Posix(mutex))); }
int mtx_unlock(mtx_t* mutex) { return Result(pthread_mutex_unlock(Posix(mutex))); }
void mtx_destroy(mtx_t* mutex) { pthread_mutex_destroy(Posix(mutex)); }

int cnd_init(cnd_t* condition) { return Result(pthread_cond_init(Posix(condition), nullptr)); }
int cnd_signal(cnd_t* condition) { return Result(pthread_cond_signal(Posix(condition))); }
int cnd_broadcast(cnd_t* condition) { return Result(pthread_cond_broadcast(Posix(condition))); }
int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return Result(pthread_cond_wait(Posix(condition), Posix(mutex)));
}
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return Result(pthread_cond_timedwait(Posix(condition), Posix(mutex), until));
}
void cnd_destroy(cnd_t* condition) { pthread_cond_destroy(Posix(condition)); }

void call_once(once_flag* flag, void (*function)()) {
  pthread_once(reinterpret_cast<pthread_once_t*>(flag), function);
}

}  // extern "C"
