// Counts the heap calls of the current thread: new, malloc or Eigen.
#pragma once

namespace knuckleboom::test {

// Calls that allocate or free, from construction to calls(). In builds with EIGEN_RUNTIME_NO_MALLOC
// Eigen also stops at its first allocation meanwhile, which shows where it is.
class HeapCounter {
 public:
  HeapCounter();
  ~HeapCounter();
  HeapCounter(const HeapCounter&) = delete;
  HeapCounter& operator=(const HeapCounter&) = delete;

  long calls() const;
};

}  // namespace knuckleboom::test
