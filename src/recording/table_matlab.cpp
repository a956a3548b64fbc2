// Arrays of MATLAB files of versions 5 to 7.2, by libmatio.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <matio.h>

#include "table_unfold.hpp"

// The library wants to open its file by name, and nothing can be opened here any more: linked in its place.
namespace {
std::span<char> image_to_open;
}
// NOLINTNEXTLINE(bugprone-reserved-identifier): the linker's name
extern "C" std::FILE* __wrap_fopen64(const char*, const char*);
extern "C" std::FILE* __wrap_fopen64(const char* /*name*/, const char* /*mode*/) {
  return ::fmemopen(image_to_open.data(), image_to_open.size(), "rb");
}

namespace knuckleboom::io {
namespace {

constexpr std::uint32_t kMatrix = 14, kCompressed = 15;  // elements that are variables
constexpr std::size_t kHeaderBytes = 128;

struct FreeMat {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};

// The first thing that the library found wrong. It goes on after that, with numbers that are none.
std::string first_fault;
void take_fault(int /*level*/, char* message) {
  if (first_fault.empty() && message != nullptr) first_fault = message;
}

std::uint32_t word_at(std::span<const char> image, std::size_t at, bool swapped) {
  std::uint32_t word = 0;
  std::memcpy(&word, image.data() + at, sizeof word);
  return swapped ? __builtin_bswap32(word) : word;
}

// Variable follows variable up to the last byte: what is cut short must not be taken for a shorter log.
// Returns how many there are.
std::size_t check_chain(std::span<const char> image) {
  const bool swapped = image[126] == 'M';
  std::size_t at = kHeaderBytes, count = 0;
  for (; at < image.size(); ++count) {
    if (image.size() - at < 8) break;
    const std::uint32_t type = word_at(image, at, swapped), bytes = word_at(image, at + 4, swapped);
    if (type != kMatrix && type != kCompressed)
      throw TableError(fmt::format(
          "the MATLAB file is damaged: no variable begins at byte {}, where one should", at));
    if (bytes > image.size() - at - 8) break;
    at += 8 + std::size_t{bytes};
  }
  if (at != image.size())
    throw TableError(fmt::format(
        "the MATLAB file is cut short: its last variable goes on behind its end, byte {}",
        image.size()));
  return count;
}

template <class T>
void copy_numbers(const matvar_t& from, std::size_t n, std::vector<double>& to) {
  const T* const data = static_cast<const T*>(from.data);
  to.reserve(n);
  for (std::size_t i = 0; i < n; ++i) to.push_back(static_cast<double>(data[i]));
}

// Whose name and content the library does not read.
bool is_object(const matvar_t& variable) {
  return variable.class_type == MAT_C_OBJECT || variable.class_type == MAT_C_OPAQUE ||
         variable.class_type == MAT_C_FUNCTION;
}

class MatlabReader {
 public:
  explicit MatlabReader(ArraySink& out) : out_(out) {}

  void read(matvar_t& variable, const std::string& path, int depth) {
    if (depth > kDeepestArray) throw std::bad_alloc();
    if (is_object(variable))
      return out_.note(
          "{} is an object of MATLAB (a table, timetable, timeseries), which MATLAB alone unfolds: "
          "writetable(NAME, \"log.csv\") or writetimetable(NAME, \"log.csv\") there",
          path.empty() ? "a variable" : fmt::format("'{}'", path));
    const std::size_t n = count_of_matlab(variable);
    if (n == 0) return;
    switch (variable.class_type) {
      case MAT_C_STRUCT:
        return read_struct(variable, path, depth, n);
      case MAT_C_CELL:
        return read_cell(variable, path, depth, n);
      case MAT_C_CHAR:
        return read_text(variable, path, n);
      case MAT_C_SPARSE:
        return out_.note("'{}' is sparse and is left out", path);
      default:
        return read_numbers(variable, path, n);
    }
  }

 private:
  static std::size_t count_of_matlab(const matvar_t& variable) {
    if (variable.rank < 1 || variable.dims == nullptr || variable.data == nullptr) return 0;
    std::size_t n = 1;
    for (int i = 0; i < variable.rank; ++i)
      if (__builtin_mul_overflow(n, variable.dims[i], &n)) throw std::bad_alloc();
    return n;
  }

  void read_struct(matvar_t& variable, const std::string& path, int depth, std::size_t n) {
    char* const* const fields = Mat_VarGetStructFieldnames(&variable);
    const std::size_t count = Mat_VarGetNumberOfFields(&variable);
    auto* const* const cells = static_cast<matvar_t**>(variable.data);
    if (fields == nullptr || count == 0 || n > variable.nbytes / sizeof(matvar_t*) / count) return;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < count; ++k)
        if (matvar_t* field = cells[i * count + k]; field != nullptr && fields[k] != nullptr)
          read(*field,
               fmt::format("{}{}/{}", path, n > 1 ? fmt::format("({})", i + 1) : "", fields[k]),
               depth + 1);
  }

  void read_cell(const matvar_t& variable, const std::string& path, int depth, std::size_t n) {
    auto* const* const cells = static_cast<matvar_t**>(variable.data);
    if (n > variable.nbytes / sizeof(matvar_t*)) return;
    const std::size_t before = out_.size();
    for (std::size_t i = 0; i < n; ++i)
      if (cells[i] != nullptr)
        read(*cells[i], n > 1 ? fmt::format("{}({})", path, i + 1) : path, depth + 1);
    if (out_.size() - before == n) out_.gather_texts(path, before);
  }

  // Rows of a character array are texts of their own, filled up with blanks.
  void read_text(const matvar_t& variable, const std::string& path, std::size_t n) {
    const auto width = static_cast<std::size_t>(variable.data_size);
    if (variable.rank != 2 || width < 1 || width > 4 || n > variable.nbytes / width) return;
    const std::size_t rows = variable.dims[0], columns = variable.dims[1];
    NumberArray array;
    array.name = path;
    array.shape = {rows};
    const bool utf8 = variable.data_type == MAT_T_UTF8;
    const char* const data = static_cast<const char*>(variable.data);
    for (std::size_t i = 0; i < rows; ++i) {
      std::string& text = array.texts.emplace_back();
      for (std::size_t k = 0; k < columns; ++k) {
        std::uint32_t code = 0;
        std::memcpy(&code, data + (k * rows + i) * width, width);
        if (utf8)
          text += static_cast<char>(code);
        else
          append_character(code, text);
      }
      while (!text.empty() && text.back() == ' ') text.pop_back();
    }
    out_.add(std::move(array));
  }

  void read_numbers(const matvar_t& variable, const std::string& path, std::size_t n) {
    if (variable.isComplex != 0)
      return out_.note("'{}' holds complex numbers and is left out", path);
    const auto size = static_cast<std::size_t>(variable.data_size);
    if (size == 0 || n > variable.nbytes / size) return;
    out_.count(n);
    NumberArray array;
    array.name = path;
    array.first_fastest = true;
    array.shape.assign(variable.dims, variable.dims + variable.rank);
    switch (variable.data_type) {
      case MAT_T_DOUBLE:
        copy_numbers<double>(variable, n, array.values);
        break;
      case MAT_T_SINGLE:
        copy_numbers<float>(variable, n, array.values);
        break;
      case MAT_T_INT64:
        copy_numbers<mat_int64_t>(variable, n, array.values);
        break;
      case MAT_T_UINT64:
        copy_numbers<mat_uint64_t>(variable, n, array.values);
        break;
      case MAT_T_INT32:
        copy_numbers<mat_int32_t>(variable, n, array.values);
        break;
      case MAT_T_UINT32:
        copy_numbers<mat_uint32_t>(variable, n, array.values);
        break;
      case MAT_T_INT16:
        copy_numbers<mat_int16_t>(variable, n, array.values);
        break;
      case MAT_T_UINT16:
        copy_numbers<mat_uint16_t>(variable, n, array.values);
        break;
      case MAT_T_INT8:
        copy_numbers<mat_int8_t>(variable, n, array.values);
        break;
      case MAT_T_UINT8:
        copy_numbers<mat_uint8_t>(variable, n, array.values);
        break;
      default:
        return out_.note("'{}' holds no numbers and is left out", path);
    }
    out_.add(std::move(array));
  }

  ArraySink& out_;
};

}  // namespace

NumberArrays unfold_matlab(std::span<char> image) {
  if (!is_matlab(image)) throw TableError("this is no MATLAB file any more");
  const std::size_t expected = check_chain(image);
  ArraySink out("a MATLAB file");
  image_to_open = image;
  first_fault.clear();
  Mat_LogInitFunc("", take_fault);
  const std::unique_ptr<mat_t, FreeMat> file(Mat_Open("table", MAT_ACC_RDONLY));
  if (!file) throw TableError("the MATLAB file is damaged: its first 128 bytes are not as written");
  MatlabReader reader(out);
  std::size_t count = 0;
  for (; const std::unique_ptr<matvar_t, FreeVariable> variable{Mat_VarReadNext(file.get())};
       ++count)
    if (const std::string name = variable->name == nullptr ? "" : variable->name;
        is_object(*variable) || (!name.empty() && !name.starts_with("__")))
      reader.read(*variable, name, 0);
  if (count != expected && first_fault.empty())
    throw TableError(
        fmt::format("the MATLAB file is damaged: {} of its {} variables cannot be read",
                    expected - count, expected));
  if (!first_fault.empty())
    throw TableError(fmt::format("the MATLAB file is damaged; libmatio says '{}'", first_fault));
  return out.take();
}

}  // namespace knuckleboom::io
