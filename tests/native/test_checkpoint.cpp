#include <filesystem>
#include <variant>

#include "check.hpp"
#include "storage/checkpoint.hpp"
#include "storage/disk_file.hpp"
#include "storage/search_directory.hpp"

namespace assay::native_tests {
namespace {

using namespace storage;
using Words = std::vector<std::uint64_t>;

TEST("a checkpoint gives back what was written into it") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Folder folder;
    std::vector<std::variant<std::uint64_t, std::string, Words>> values;
    CheckpointWriter out;
    for (std::uint64_t left = random.below(60); left > 0; --left) {
      switch (random.below(3)) {
        case 0: {
          values.emplace_back(random.striking());
          out.number(std::get<std::uint64_t>(values.back()));
          break;
        }
        case 1: {
          std::string text(random.below(25), '\0');
          for (char& letter : text) letter = static_cast<char>(random.below(256));
          out.text(text);
          values.emplace_back(std::move(text));
          break;
        }
        default: {
          values.emplace_back(random.words(random.below(40)));
          out.words(std::get<Words>(values.back()));
        }
      }
    }
    out.save(folder.file("checkpoint"));
    CheckpointReader in(folder.file("checkpoint"));
    for (const auto& value : values) {
      if (const auto* number = std::get_if<std::uint64_t>(&value)) check_equal(in.number(), *number);
      if (const auto* text = std::get_if<std::string>(&value)) check_equal(in.text(), *text);
      if (const auto* words = std::get_if<Words>(&value)) check(in.words() == *words);
    }
    in.expect_end();
    check_throws<CheckpointProblem>([&] { in.number(); }, "is damaged");
  }
}

TEST("a checkpoint with any bit turned or any byte missing is refused") {
  const Folder folder;
  const std::string path = folder.file("checkpoint");
  CheckpointWriter out;
  write_identity(out, {{"program", "x.pml"}, {"", ""}});
  out.words({1, 2, 3});
  out.save(path);
  const std::uint64_t bytes = std::filesystem::file_size(path);
  for (std::uint64_t bit = 0; bit < bytes * 8; ++bit) {
    flip_bit(path, bit);
    check_throws<CheckpointProblem>([&] { CheckpointReader in(path); }, "");
    flip_bit(path, bit);
  }
  for (std::uint64_t length = 0; length < bytes; ++length) {
    out.save(path);
    set_length(path, length);
    check_throws<CheckpointProblem>([&] { CheckpointReader in(path); }, "");
  }
  out.save(path);
  set_length(path, bytes + 8);
  check_throws<CheckpointProblem>([&] { CheckpointReader in(path); }, "is damaged");
  out.save(path);
  CheckpointReader in(path);
  check(read_identity(in) == Identity{{"program", "x.pml"}, {"", ""}});
  check_throws<CheckpointProblem>([&] { in.expect_end(); }, "is damaged");
}

TEST("lengths in a checkpoint are not believed beyond its end") {
  const Folder folder;
  // Sealed properly, but with lengths that no content follows: whoever writes such a file is no accident.
  for (const std::uint64_t length :
       {std::uint64_t{1}, std::uint64_t{8}, std::uint64_t{9}, std::uint64_t{1} << 32,
        (std::uint64_t{1} << 61) + 1, ~std::uint64_t{0}}) {
    CheckpointWriter out;
    out.number(length);
    out.save(folder.file("checkpoint"));
    check_throws<CheckpointProblem>([&] { CheckpointReader(folder.file("checkpoint")).text(); },
                                    "is damaged");
    check_throws<CheckpointProblem>([&] { CheckpointReader(folder.file("checkpoint")).words(); },
                                    "is damaged");
    check_throws<CheckpointProblem>(
        [&] {
          CheckpointReader in(folder.file("checkpoint"));
          read_identity(in);
        },
        "is damaged");
    check_throws<CheckpointProblem>([&] { CheckpointReader(folder.file("checkpoint")).number(length - 1); },
                                    "is damaged");
    check_equal(CheckpointReader(folder.file("checkpoint")).number(length), length);
  }
}

TEST("a file that cannot be had is a sentence") {
  const Folder folder;
  check_throws<DiskProblem>([&] { DiskFile(folder.file("none"), DiskFile::Mode::kOpen); },
                            "could not be opened");
  check_throws<DiskProblem>([&] { DiskFile(folder.file("none/at/all"), DiskFile::Mode::kCreate); },
                            "could not be created");
  std::filesystem::create_symlink("/dev/null", folder.file("link"));
  check_throws<DiskProblem>([&] { DiskFile(folder.file("link"), DiskFile::Mode::kCreate); },
                            "could not be created");
  DiskFile file(folder.file("file"), DiskFile::Mode::kCreate);
  file.write("abc", 3, 5);
  check_equal(file.size(), 8u);
  char read[4] = {};
  file.read(read, 3, 5);
  check_equal(std::string(read), "abc");
  check_throws<DiskProblem>([&] { file.read(read, 4, 5); }, "shorter than it was written");
  file.truncate(2);
  check_equal(file.size(), 2u);
}

TEST("a directory is locked for one search, and only what is ours is swept from it") {
  const Folder folder;
  const std::string path = folder.file("search");
  SearchDirectory directory(path);
  check_throws<CheckpointProblem>([&] { SearchDirectory again(path); }, "another search is using");
  check(!directory.has_checkpoint());
  for (const char* const name : {"levels", "index", "edges", "lessons", "run-1", "run-2"})
    DiskFile(directory.file(name), DiskFile::Mode::kCreate);
  DiskFile(path + "/mine", DiskFile::Mode::kCreate);
  CheckpointWriter().save(directory.file("checkpoint"));
  check(directory.has_checkpoint());
  directory.sweep({directory.file("run-2"), directory.file("levels")});
  const auto exists = [&](const std::string& file) { return std::filesystem::exists(file); };
  check(exists(directory.file("run-2")) && exists(directory.file("levels")) &&
        exists(directory.file("checkpoint")));
  check(!exists(directory.file("run-1")) && !exists(directory.file("edges")) &&
        !exists(directory.file("index")));
  directory.clear();
  check(!exists(directory.file("run-2")) && !directory.has_checkpoint());
  check(exists(path + "/mine"));
}

}  // namespace
}  // namespace assay::native_tests
