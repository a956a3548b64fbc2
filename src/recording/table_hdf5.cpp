// Arrays of HDF5 files, those of MATLAB 7.3 among them.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <hdf5_hl.h>

#include "hdf5_handle.hpp"
#include "table_unfold.hpp"

namespace knuckleboom::io {
namespace {

constexpr const char* kMatlabClass = "MATLAB_class";
constexpr int kMostRank = 8;
constexpr std::size_t kMostFixedText = 4096;  // bytes
constexpr std::uint64_t kMostReferences = 10'000;

std::string without_filling(std::string text) {
  text.resize(std::min(text.find('\0'), text.size()));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string text_attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return {};
  const auto attribute = Hdf5Handle::if_any(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  if (attribute.id() < 0) return {};
  const auto type = Hdf5Handle::if_any(H5Aget_type(attribute.id()), H5Tclose);
  const auto space = Hdf5Handle::if_any(H5Aget_space(attribute.id()), H5Sclose);
  if (type.id() < 0 || space.id() < 0 || H5Tget_class(type.id()) != H5T_STRING ||
      H5Sget_simple_extent_npoints(space.id()) != 1)
    return {};
  if (H5Tis_variable_str(type.id()) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute.id(), type.id(), &text) < 0 || text == nullptr) return {};
    std::string out(text);
    H5free_memory(text);
    return out;
  }
  const std::size_t size = H5Tget_size(type.id());
  if (size == 0 || size > kMostFixedText) return {};
  std::string out(size, '\0');
  if (H5Aread(attribute.id(), type.id(), out.data()) < 0) return {};
  return without_filling(std::move(out));
}

// The class of things that MATLAB alone unfolds; empty: it is none.
std::string object_class(hid_t object, const std::string& kind) {
  if (H5Aexists(object, "MATLAB_object_decode") > 0) return kind.empty() ? "object" : kind;
  for (const char* word : {"table", "timetable", "timeseries", "datetime", "duration", "string",
                           "categorical", "function_handle"})
    if (kind == word) return kind;
  return {};
}

std::string remedy_of(const std::string& object) {
  if (object == "table") return "writetable(NAME, \"log.csv\") there";
  if (object == "timetable") return "writetimetable(NAME, \"log.csv\") there";
  return "save it as vectors of numbers there";
}

class ArrayReader {
 public:
  ArrayReader(hid_t file, ArraySink& out) : file_(file), out_(out) {}

  void read_group(hid_t group, const std::string& path, int depth) {
    if (depth > kDeepestArray)
      return out_.note("'{}' lies in groups within groups and is left out", path);
    // Groups may be members of themselves: each is read once.
    H5O_info_t info;
    if (H5Oget_info2(group, &info, H5O_INFO_BASIC) < 0 || !seen_.insert(info.addr).second) return;
    for (const std::string& name : names_in(group)) {
      if (name.starts_with('#')) continue;  // MATLAB's own
      // Links to other files stay closed.
      H5L_info_t link;
      if (H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT) < 0) continue;
      const std::string full = path.empty() ? name : path + "/" + name;
      if (link.type == H5L_TYPE_EXTERNAL) {
        out_.note("'{}' is in another file and is left out", full);
        continue;
      }
      const auto object = Hdf5Handle::if_any(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose);
      if (object.id() < 0)
        out_.note("'{}' cannot be opened and is left out", full);
      else
        read_object(object.id(), full, depth);
    }
  }

 private:
  // In the order in which they were made, where the file keeps that.
  static std::vector<std::string> names_in(hid_t group) {
    std::vector<std::string> names;
    const auto list = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
      auto& all = *static_cast<std::vector<std::string>*>(to);
      all.emplace_back(name);
      return all.size() > kMostArrays ? 1 : 0;
    };
    for (const H5_index_t order : {H5_INDEX_CRT_ORDER, H5_INDEX_NAME}) {
      hsize_t at = 0;
      names.clear();
      if (H5Literate(group, order, H5_ITER_INC, &at, list, &names) >= 0) {
        if (names.size() > kMostArrays) throw std::bad_alloc();
        return names;
      }
    }
    throw Hdf5Error("list of groups");
  }

  void read_object(hid_t object, const std::string& path, int depth) {
    const std::string kind = text_attribute(object, kMatlabClass);
    if (const std::string thing = object_class(object, kind); !thing.empty())
      return out_.note("'{}' is a MATLAB {}, which MATLAB alone unfolds: {}", path, thing,
                       remedy_of(thing));
    const H5I_type_t type = H5Iget_type(object);
    if (type == H5I_GROUP && H5Aexists(object, "MATLAB_sparse") > 0)
      return out_.note("'{}' is sparse and is left out", path);
    if (type == H5I_GROUP) return read_group(object, path, depth + 1);
    if (type == H5I_DATASET) read_dataset(object, path, kind, depth);
  }

  static NumberArray shaped(const std::string& path, hid_t space, bool matlab) {
    NumberArray array;
    array.name = path;
    const int rank = H5Sget_simple_extent_ndims(space);
    require(rank >= 0 && rank <= kMostRank, "shape of arrays");
    hsize_t sizes[kMostRank] = {};
    H5Sget_simple_extent_dims(space, sizes, nullptr);
    array.shape.assign(sizes, sizes + rank);
    // MATLAB's indices come backwards.
    if (matlab) {
      std::reverse(array.shape.begin(), array.shape.end());
      array.first_fastest = true;
    }
    return array;
  }

  void read_dataset(hid_t data, const std::string& path, const std::string& kind, int depth) {
    const auto type = Hdf5Handle::if_any(H5Dget_type(data), H5Tclose);
    const auto space = Hdf5Handle::if_any(H5Dget_space(data), H5Sclose);
    require(type.id() >= 0 && space.id() >= 0, "data");
    const hssize_t points = H5Sget_simple_extent_npoints(space.id());
    if (points <= 0 || H5Aexists(data, "MATLAB_empty") > 0) return;
    if (is_elsewhere(data)) return out_.note("'{}' is in another file and is left out", path);
    const auto n = static_cast<std::uint64_t>(points);
    NumberArray array = shaped(path, space.id(), !kind.empty());
    switch (H5Tget_class(type.id())) {
      case H5T_INTEGER:
      case H5T_FLOAT:
      case H5T_ENUM:
      case H5T_BITFIELD:
        if (kind == "char") return read_matlab_text(data, std::move(array), n);
        out_.count(n);
        return read_numbers(data, type.id(), std::move(array), n);
      case H5T_STRING:
        return read_texts(data, type.id(), std::move(array), n);
      case H5T_COMPOUND:
        if (!kind.empty()) return out_.note("'{}' holds complex numbers and is left out", path);
        return read_records(data, type.id(), array, n);
      case H5T_REFERENCE:
        return read_references(data, type.id(), path, kind == "cell", n, depth);
      default:
        return out_.note("'{}' holds neither numbers nor text and is left out", path);
    }
  }

  // Whose numbers the file only names a place of.
  static bool is_elsewhere(hid_t data) {
    const auto list = Hdf5Handle::if_any(H5Dget_create_plist(data), H5Pclose);
    return list.id() < 0 || H5Pget_external_count(list.id()) > 0 ||
           H5Pget_layout(list.id()) == H5D_VIRTUAL;
  }

  void unreadable(const std::string& path) {
    out_.note(
        "'{}' cannot be read: it is damaged, or packed by a filter that is not here; h5repack -f "
        "NONE IN OUT unpacks it",
        path);
  }

  void read_numbers(hid_t data, hid_t type, NumberArray array, std::uint64_t n) {
    for (const char* name : {"units", "unit", "Units", "Unit"})
      if (array.unit.empty()) array.unit = text_attribute(data, name);
    array.values.resize(n);
    bool good = false;
    if (H5Tget_class(type) == H5T_ENUM) {
      // Booleans of h5py: the numbers behind the words.
      const std::size_t size = H5Tget_size(type);
      if (size > sizeof(std::int64_t)) return unreadable(array.name);
      std::vector<char> raw(n * size);
      good = H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) >= 0;
      for (std::size_t i = 0; good && i < n; ++i) {
        std::int64_t whole = 0;
        std::memcpy(&whole, raw.data() + i * size, size);
        array.values[i] = static_cast<double>(whole);
      }
    } else {
      good =
          H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()) >= 0;
    }
    if (!good) return unreadable(array.name);
    out_.add(std::move(array));
  }

  void read_matlab_text(hid_t data, NumberArray array, std::uint64_t n) {
    if (array.shape.size() != 2 || n > kMostFixedText * 100) return;
    const std::size_t rows = array.shape[0], columns = array.shape[1];
    std::vector<std::uint16_t> codes(n);
    if (H5Dread(data, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, codes.data()) < 0)
      return unreadable(array.name);
    array.shape = {rows};
    for (std::size_t i = 0; i < rows; ++i) {
      std::string& text = array.texts.emplace_back();
      for (std::size_t k = 0; k < columns; ++k) append_character(codes[k * rows + i], text);
      text = without_filling(std::move(text));
    }
    out_.add(std::move(array));
  }

  void read_texts(hid_t data, hid_t type, NumberArray array, std::uint64_t n) {
    if (H5Tis_variable_str(type) > 0) {
      if (n > kMostTextBytes / sizeof(std::string)) throw std::bad_alloc();
      std::vector<char*> texts(n, nullptr);
      if (H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()) < 0)
        return unreadable(array.name);
      for (char* text : texts) {
        array.texts.emplace_back(text == nullptr ? "" : text);
        if (text != nullptr) H5free_memory(text);
      }
    } else {
      const std::size_t size = H5Tget_size(type);
      if (size == 0 || size > kMostFixedText) return unreadable(array.name);
      if (n > kMostTextBytes / std::max(size, sizeof(std::string))) throw std::bad_alloc();
      std::string all(n * size, '\0');
      if (H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
        return unreadable(array.name);
      for (std::uint64_t i = 0; i < n; ++i)
        array.texts.push_back(without_filling(all.substr(i * size, size)));
    }
    out_.add(std::move(array));
  }

  // A table whose rows are records: a column for each number in them, several for an array.
  void read_records(hid_t data, hid_t type, const NumberArray& rows, std::uint64_t n) {
    const int members = H5Tget_nmembers(type);
    for (int i = 0; i < members; ++i) {
      const auto index = static_cast<unsigned>(i);
      char* const raw = H5Tget_member_name(type, index);
      if (raw == nullptr) continue;
      const std::string name(raw);
      H5free_memory(raw);
      const auto member = Hdf5Handle::if_any(H5Tget_member_type(type, index), H5Tclose);
      const bool several = H5Tget_class(member.id()) == H5T_ARRAY;
      const auto super =
          Hdf5Handle::if_any(several ? H5Tget_super(member.id()) : H5Tcopy(member.id()), H5Tclose);
      const H5T_class_t kind = H5Tget_class(super.id());
      hsize_t width = 1;
      if ((kind != H5T_INTEGER && kind != H5T_FLOAT) ||
          (several && (H5Tget_array_ndims(member.id()) != 1 ||
                       H5Tget_array_dims2(member.id(), &width) < 0 || width == 0))) {
        out_.note("'{}' of '{}' is no number and is left out", name, rows.name);
        continue;
      }
      if (width > kMostNumbers / n) throw std::bad_alloc();
      out_.count(n * width);
      const auto wanted = Hdf5Handle::if_any(
          several ? H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &width) : H5Tcopy(H5T_NATIVE_DOUBLE),
          H5Tclose);
      const auto one =
          Hdf5Handle::if_any(H5Tcreate(H5T_COMPOUND, sizeof(double) * width), H5Tclose);
      NumberArray array = rows;
      array.name += "/" + name;
      if (several) array.shape.push_back(static_cast<std::size_t>(width));
      array.values.resize(n * width);
      if (H5Tinsert(one.id(), name.c_str(), 0, wanted.id()) < 0 ||
          H5Dread(data, one.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()) < 0)
        unreadable(array.name);
      else
        out_.add(std::move(array));
    }
  }

  // MATLAB's cells, and the elements of its arrays of structs: a list of texts, or things with numbers.
  void read_references(hid_t data, hid_t type, const std::string& path, bool cell, std::uint64_t n,
                       int depth) {
    if (depth > kDeepestArray || n > kMostReferences || H5Tequal(type, H5T_STD_REF_OBJ) <= 0)
      return out_.note("'{}' holds references and is left out", path);
    std::vector<hobj_ref_t> references(n);
    if (H5Dread(data, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references.data()) < 0)
      return unreadable(path);
    const std::size_t before = out_.size();
    for (std::uint64_t i = 0; i < n; ++i) {
      const auto object = Hdf5Handle::if_any(
          H5Rdereference2(file_, H5P_DEFAULT, H5R_OBJECT, &references[i]), H5Oclose);
      if (object.id() >= 0)
        read_object(object.id(), n == 1 ? path : element_name(path, cell, i), depth + 1);
    }
    if (cell && out_.size() - before == n) out_.gather_texts(path, before);
  }

  // x(2) in a cell; the field signals/values of the second struct is signals(2)/values.
  static std::string element_name(const std::string& path, bool cell, std::uint64_t i) {
    const std::size_t at = path.rfind('/');
    if (cell || at == std::string::npos) return fmt::format("{}({})", path, i + 1);
    return fmt::format("{}({}){}", path.substr(0, at), i + 1, path.substr(at));
  }

  hid_t file_;
  ArraySink& out_;
  std::set<haddr_t> seen_;
};

}  // namespace

NumberArrays unfold_hdf5(std::span<char> image) {
  const auto lock = hdf5_lock();
  ArraySink out(std::string_view(image.data(), image.size()).starts_with("MATLAB ")
                    ? "a MATLAB 7.3 file"
                    : "an HDF5 file");
  const Hdf5Handle file(
      H5LTopen_file_image(image.data(), image.size(),
                          H5LT_FILE_IMAGE_DONT_COPY | H5LT_FILE_IMAGE_DONT_RELEASE),
      H5Fclose, "beginning or its end");
  const Hdf5Handle root(H5Gopen2(file.id(), "/", H5P_DEFAULT), H5Gclose, "root");
  ArrayReader(file.id(), out).read_group(root.id(), {}, 0);
  return out.take();
}

}  // namespace knuckleboom::io
