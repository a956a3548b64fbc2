#include "heap_counter.hpp"

#include <cerrno>
#include <cstddef>

#include <Eigen/Core>

// Sanitizers bring their own malloc, which has hooks; elsewhere the C library's is wrapped.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KNUCKLEBOOM_MALLOC_HOOKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KNUCKLEBOOM_MALLOC_HOOKS 1
#endif
#endif

namespace {

// Constant-initialised: malloc runs before any constructor does.
thread_local bool counting = false;
thread_local long count = 0;

void note() {
  if (counting) ++count;
}

}  // namespace

#ifdef KNUCKLEBOOM_MALLOC_HOOKS

// From sanitizer/allocator_interface.h, which g++ does not provide.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*,
                                                                             std::size_t),
                                                         void (*free_hook)(const volatile void*));

namespace {
[[maybe_unused]] const int kInstalled = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { note(); }, [](const volatile void*) { note(); });
}  // namespace

#else

// NOLINTBEGIN(bugprone-reserved-identifier): the names are glibc's.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* block);

void* malloc(std::size_t size) {
  note();
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  note();
  return __libc_calloc(n, size);
}
void* realloc(void* block, std::size_t size) {
  note();
  return __libc_realloc(block, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  note();
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  note();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  note();
  *block = __libc_memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}
void free(void* block) {
  note();
  __libc_free(block);
}
}
// NOLINTEND(bugprone-reserved-identifier)

#endif

namespace knuckleboom::test {

HeapCounter::HeapCounter() {
#ifdef EIGEN_RUNTIME_NO_MALLOC
  Eigen::internal::set_is_malloc_allowed(false);
#endif
  count = 0;
  counting = true;
}

HeapCounter::~HeapCounter() {
  counting = false;
#ifdef EIGEN_RUNTIME_NO_MALLOC
  Eigen::internal::set_is_malloc_allowed(true);
#endif
}

long HeapCounter::calls() const { return count; }

}  // namespace knuckleboom::test
