// Runs the tests whose names have the argument in them, or all.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "check.hpp"

namespace assay::native_tests {

void flip_bit(const std::string& path, std::uint64_t bit) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(bit / 8));
  const int byte = file.get();
  if (byte < 0) throw std::runtime_error(path + " is shorter than the test thinks");
  file.seekp(static_cast<std::streamoff>(bit / 8));
  file.put(static_cast<char>(byte ^ (1 << (bit % 8))));
}

void set_length(const std::string& path, std::uint64_t bytes) { std::filesystem::resize_file(path, bytes); }

}  // namespace assay::native_tests

int main(int count, char** arguments) {
  const std::string wanted = count > 1 ? arguments[1] : "";
  int passed = 0, failed = 0;
  for (const auto& test : assay::native_tests::tests()) {
    if (std::string(test.name).find(wanted) == std::string::npos) continue;
    try {
      test.run();
      ++passed;
    } catch (const std::exception& problem) {
      ++failed;
      std::printf("FAILED: %s\n  %s\n", test.name, problem.what());
    }
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
