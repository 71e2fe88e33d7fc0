/// What can go wrong that is no mistake of ours, one type each: whoever catches them decides by type.
#pragma once

#include <stdexcept>
#include <string>

namespace assay {

/// The disk is full, broken or not ours. What it says is a sentence.
class DiskProblem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The graph that a search went through cannot be written down.
class GraphProblem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The program does what its front end does not model: `file:line: sentence`, or a sentence.
class UnsupportedProgram : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The front end assumed what does not hold; the text names the assumption. The search starts again without it.
class AssumptionFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bytes that came from another process, or from its file, are not what they should be.
class NotPortable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace assay
