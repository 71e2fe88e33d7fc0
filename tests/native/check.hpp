/// What the tests below the bindings are written with: sentences that name tests, checks, random values.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <source_location>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::native_tests {

struct Test {
  const char* name;
  void (*run)();
};
/// All tests of the executable, in the order in which the files happen to be linked.
inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}
struct Registered {
  Registered(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

/// A check that failed: the test ends here, the others run.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] inline void fail(const std::string& what, std::source_location where) {
  std::ostringstream text;
  text << where.file_name() << ":" << where.line() << ": " << what;
  throw Failed(text.str());
}
inline void check(bool holds, std::source_location where = std::source_location::current()) {
  if (!holds) fail("this does not hold", where);
}
template <class Got, class Expected>
void check_equal(const Got& got, const Expected& expected,
                 std::source_location where = std::source_location::current()) {
  if (got == expected) return;
  if constexpr (requires(std::ostringstream& text) { text << got << expected; }) {
    std::ostringstream text;
    text << "got " << got << ", expected " << expected;
    fail(text.str(), where);
  } else {
    fail("these two differ", where);
  }
}
/// `action` must throw a `Problem` whose sentence has `part` in it.
template <class Problem, class Action>
void check_throws(Action action, const std::string& part,
                  std::source_location where = std::source_location::current()) {
  try {
    action();
  } catch (const Problem& problem) {
    if (std::string(problem.what()).find(part) != std::string::npos) return;
    fail(std::string("another sentence: ") + problem.what(), where);
  }
  fail("nothing was thrown", where);
}

/// Seeded, so that a failure can be seen again.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t word() { return engine_(); }
  std::uint64_t below(std::uint64_t range) { return engine_() % range; }
  bool one_in(std::uint64_t range) { return below(range) == 0; }
  /// Small numbers, numbers with few bits, and the ends of the range, more often than their share.
  std::uint64_t striking() {
    switch (below(4)) {
      case 0: return below(4);
      case 1: return std::uint64_t{1} << below(64);
      case 2: return ~std::uint64_t{0} - below(3);
      default: return word();
    }
  }
  std::vector<std::uint64_t> words(std::size_t count) {
    std::vector<std::uint64_t> all(count);
    for (std::uint64_t& one : all) one = striking();
    return all;
  }

 private:
  std::mt19937_64 engine_;
};

/// A directory that goes with the object.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "assay-native-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory could be made");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Turns one bit of a file.
void flip_bit(const std::string& path, std::uint64_t bit);
/// Cuts or lengthens (with zeros) a file.
void set_length(const std::string& path, std::uint64_t bytes);

}  // namespace assay::native_tests

#define ASSAY_JOIN_NOW(a, b) a##b
#define ASSAY_JOIN(a, b) ASSAY_JOIN_NOW(a, b)
/// TEST("a sentence") { checks }
#define TEST(sentence)                                                              \
  static void ASSAY_JOIN(test_, __LINE__)();                                        \
  static const ::assay::native_tests::Registered ASSAY_JOIN(registered_, __LINE__)( \
      sentence, ASSAY_JOIN(test_, __LINE__));                                       \
  static void ASSAY_JOIN(test_, __LINE__)()
