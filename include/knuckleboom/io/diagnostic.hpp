// An error in a file, with its place.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace knuckleboom::io {

struct Diagnostic {
  std::string file;
  int line = 0;    // from 1; 0: the file as a whole
  int column = 0;  // from 1, in characters; 0: the line as a whole
  std::string message;
};

// "file:line:column: message", "file:line: message" for a line or "file: message" for the file as a whole.
std::string to_string(const Diagnostic& diagnostic);

// Thrown by everything that reads or writes files. what() has one diagnostic per line.
class FileError : public std::runtime_error {
 public:
  explicit FileError(std::vector<Diagnostic> diagnostics);
  FileError(std::string file, std::string message);

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace knuckleboom::io
