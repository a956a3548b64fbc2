// The module knuckleboom._engine: the C interface, traces and sessions for Python. docs/reference/python.md
//
// Everything that runs for long does so without the interpreter's lock. A simulation is for one thread at a time:
// a second one is refused (Use), not let in.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// A constructor that only refuses need not be of the new style.
#define PYBIND11_DISABLE_NEW_STYLE_INIT_WARNING
#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "knuckleboom.h"
#include "knuckleboom/io/config_folders.hpp"
#include "knuckleboom/io/trace.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "knuckleboom/recording/session_columns.hpp"
#include "python/linear.hpp"

namespace py = pybind11;
using namespace knuckleboom;

namespace {
// Whatever is given, once nothing else fits: the binding tries without conversions first.
struct Anything {
  py::object value;
};
}  // namespace

template <>
struct pybind11::detail::type_caster<Anything> {
  PYBIND11_TYPE_CASTER(Anything, const_name("object"));
  bool load(handle given, bool convert) {
    value.value = reinterpret_borrow<object>(given);
    return convert;
  }
  static handle cast(const Anything& given, return_value_policy /*policy*/, handle /*parent*/) {
    return object(given.value).release();
  }
};

namespace {

// --- Errors -------------------------------------------------------------------

// Becomes KnuckleboomError.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void fail() { throw Failure(kb_last_error()); }

void check(kb_status status) {
  if (status != KB_OK) fail();
}

template <typename Object>
Object* made(Object* object) {
  if (object == nullptr) fail();
  return object;
}

// Result of function(), which reads files, without the interpreter's lock.
template <typename Function>
auto reading(Function&& function) {
  const py::gil_scoped_release others_run;
  try {
    return function();
  } catch (const io::FileError& error) {
    throw Failure(error.what());
  } catch (const UserError& error) {
    throw Failure(error.what());
  }
}

// --- Arguments ----------------------------------------------------------------

struct Source {
  std::string name;
  std::optional<std::string> text;

  bool given() const { return !name.empty() || text; }
  const char* content() const { return text ? text->c_str() : nullptr; }
};

std::string word_of(py::handle given, const char* what) {
  if (!py::isinstance<py::str>(given))
    throw py::type_error(std::string(what) + " must be text, not " +
                         py::repr(given).cast<std::string>());
  return given.cast<std::string>();
}

// A name, a path, or a pair of name and content.
Source source_of(const py::object& given) {
  Source out;
  if (given.is_none()) return out;
  if (py::isinstance<py::tuple>(given)) {
    const auto pair = py::reinterpret_borrow<py::tuple>(given);
    if (pair.size() != 2)
      throw py::type_error("a file in memory is a pair of its name and its content");
    return {word_of(pair[0], "the name of a file"), word_of(pair[1], "the content of a file")};
  }
  out.name = py::module_::import("os").attr("fspath")(given).cast<std::string>();
  return out;
}

// As it stands in a file.
std::string value_text(py::object value) {
  if (py::hasattr(value, "tolist")) value = value.attr("tolist")();
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  return py::module_::import("json").attr("dumps")(value).cast<std::string>();
}

// None takes a key out, so that its default holds.
std::string assignment_of(const std::string& key, const py::object& value) {
  return value.is_none() ? "unset " + key : key + "=" + value_text(value);
}

// A mapping of keys, or "key=value" texts.
void add_assignments(const py::object& given, std::vector<std::string>& out) {
  if (given.is_none()) return;
  if (py::isinstance<py::str>(given)) {
    out.push_back(given.cast<std::string>());
  } else if (py::hasattr(given, "items")) {
    for (const auto& [key, value] : py::dict(given))
      out.push_back(
          assignment_of(word_of(key, "a key"), py::reinterpret_borrow<py::object>(value)));
  } else if (py::isinstance<py::iterable>(given)) {
    for (const py::handle& one : given)
      out.push_back(word_of(one, "a change of a key, such as 'supply.pump_bar=180',"));
  } else {
    throw py::type_error("changes of keys are a mapping or texts 'key=value', not " +
                         py::repr(given).cast<std::string>());
  }
}

constexpr std::pair<const char*, kb_fidelity> kFidelities[] = {
    {"reduced", KB_FIDELITY_REDUCED}, {"full", KB_FIDELITY_FULL}, {"paper", KB_FIDELITY_PAPER}};
constexpr std::pair<const char*, kb_control_mode> kModes[] = {{"valve", KB_CONTROL_VALVE},
                                                              {"joint_rate", KB_CONTROL_JOINT_RATE},
                                                              {"boom_tip", KB_CONTROL_BOOM_TIP}};

template <typename Value, std::size_t n>
Value by_word(const std::pair<const char*, Value> (&known)[n], const std::string& word,
              const char* what) {
  std::string words;
  for (const auto& [name, value] : known) {
    if (word == name) return value;
    words += std::string(words.empty() ? "" : ", ") + name;
  }
  throw Failure("there is no " + std::string(what) + " '" + word + "'; there are " + words);
}

struct Request {
  Source machine, scenario, exercise, levers;
  std::vector<std::string> assignments;
  std::optional<kb_fidelity> fidelity;

  std::string title() const {
    const std::string& what = exercise.given() ? exercise.name : scenario.name;
    return machine.given() ? what + " on " + machine.name : what;
  }
};

// A machine alone is asked for nothing, and its joints with a controller hold their start.
constexpr const char* kRest = "name = \"rest\"\nmachine = \"the_one_given\"\nduration_s = 10\n";

// --- Simulation ---------------------------------------------------------------

struct CloseSetup {
  void operator()(kb_setup* setup) const { kb_setup_free(setup); }
};
struct CloseSimulation {
  void operator()(kb_simulation* simulation) const { kb_close(simulation); }
};
struct CloseState {
  void operator()(kb_state* state) const { kb_state_free(state); }
};
using SetupPointer = std::unique_ptr<kb_setup, CloseSetup>;
using SimulationPointer = std::unique_ptr<kb_simulation, CloseSimulation>;
using StatePointer = std::unique_ptr<kb_state, CloseState>;

SimulationPointer open(const Request& request) {
  const SetupPointer setup(made(kb_setup_new()));
  const auto file = [&setup](auto* function, const Source& source) {
    if (source.given()) check(function(setup.get(), source.name.c_str(), source.content()));
  };
  file(kb_setup_machine, request.machine);
  file(kb_setup_levers, request.levers);
  file(kb_setup_scenario, request.scenario);
  file(kb_setup_exercise, request.exercise);
  if (!request.scenario.given() && !request.exercise.given())
    check(kb_setup_scenario(setup.get(), "rest", kRest));
  for (const std::string& assignment : request.assignments)
    check(kb_setup_set(setup.get(), assignment.c_str()));
  if (request.fidelity) check(kb_setup_fidelity(setup.get(), *request.fidelity));
  const py::gil_scoped_release others_run;
  return SimulationPointer(made(kb_open(setup.get())));
}

struct State {
  StatePointer state;
  std::int64_t tick = 0;

  py::bytes bytes() const {
    const std::int64_t size = kb_state_save(state.get(), nullptr, 0);
    if (size < 0) fail();
    std::string out(static_cast<std::size_t>(size), '\0');
    if (kb_state_save(state.get(), out.data(), size) < 0) fail();
    return out;
  }
};

struct Signal {
  std::string name, unit, description;
};

class Simulation {
 public:
  Simulation(Request request, SimulationPointer engine)
      : request_(std::move(request)), engine_(std::move(engine)) {}
  explicit Simulation(const Request& request) : Simulation(request, open(request)) {}

  const Request& request() const { return request_; }

 private:
  friend class Use;
  Request request_;
  SimulationPointer engine_;
  std::atomic<bool> busy_ = false;
};

// The engine of a simulation while one thread works with it.
class Use {
 public:
  explicit Use(Simulation& simulation) : of_(simulation) {
    if (of_.busy_.exchange(true))
      throw Failure(
          "this simulation is at work in another thread; copy() gives each thread one of its own");
  }
  ~Use() { of_.busy_ = false; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  kb_simulation* get() const { return of_.engine_.get(); }

 private:
  Simulation& of_;
};

// With the interpreter's lock again for a moment: Ctrl-C ends what is at work.
void look_at_signals() {
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

constexpr std::int64_t kSlice = 100'000;  // ticks between looks

// Without the interpreter's lock.
void advance(kb_simulation* engine, std::int64_t ticks) {
  do {
    const std::int64_t now = std::min(ticks, kSlice);
    check(kb_step(engine, now));
    ticks -= now;
    if (ticks > 0) look_at_signals();
  } while (ticks > 0);
}

using Find = std::int32_t(const kb_simulation*, const char*) noexcept;
using Count = std::int32_t(const kb_simulation*) noexcept;
using Text = const char*(const kb_simulation*, std::int32_t) noexcept;

std::vector<std::int32_t> numbers_of(const Use& use, Find* find,
                                     const std::vector<std::string>& names) {
  std::vector<std::int32_t> out;
  for (const std::string& name : names) {
    const std::int32_t number = find(use.get(), name.c_str());
    if (number < 0) fail();
    out.push_back(number);
  }
  return out;
}

std::vector<std::string> names_of(const Use& use, Count* count, Text* name) {
  std::vector<std::string> out(static_cast<std::size_t>(count(use.get())));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = name(use.get(), static_cast<std::int32_t>(i));
  return out;
}

py::dict signals_of(Simulation& simulation, Count* count, Text* name, Text* unit,
                    Text* description) {
  const Use use(simulation);
  py::dict out;
  for (std::int32_t i = 0; i < count(use.get()); ++i) {
    const char* const key = name(use.get(), i);
    out[key] = Signal{key, unit(use.get(), i), description(use.get(), i)};
  }
  return out;
}

// --- Arrays -------------------------------------------------------------------

// A view of numbers that `owner` keeps; the array keeps the owner.
template <typename Number>
py::array view(const Number* first, std::size_t count, std::size_t stride, const py::object& owner,
               bool writeable = false) {
  py::array_t<Number> out({count}, {stride * sizeof(Number)}, first, owner);
  if (!writeable) out.attr("setflags")(py::arg("write") = false);
  return out;
}

py::object frame_of(const py::dict& arrays) {
  py::object pandas;
  try {
    pandas = py::module_::import("pandas");
  } catch (const py::error_already_set&) {
    throw Failure("a DataFrame needs pandas; Debian has it in python3-pandas");
  }
  py::object frame = pandas.attr("DataFrame")(arrays);
  return arrays.contains("t_s") ? frame.attr("set_index")("t_s") : frame;
}

// A matrix that `owner` keeps by rows.
py::array matrix_view(const std::vector<double>& values, std::size_t rows, std::size_t columns,
                      const py::object& owner) {
  py::array_t<double> out({rows, columns}, values.data(), owner);
  out.attr("setflags")(py::arg("write") = false);
  return out;
}

// Numbers of a run, one channel after the other.
struct Columns {
  std::unique_ptr<double[]> values;
  std::size_t rows = 0;
};

void record(const Use& use, const std::vector<std::int32_t>& channels, std::int64_t end,
            std::int64_t every, Columns& out) {
  const py::gil_scoped_release others_run;
  std::int64_t since_look = 0;
  for (std::size_t row = 0; row < out.rows; ++row) {
    if (row > 0) {
      const std::int64_t ticks = std::min(every, end - kb_tick(use.get()));
      advance(use.get(), ticks);
      if ((since_look += ticks) >= kSlice) {
        look_at_signals();
        since_look = 0;
      }
    }
    for (std::size_t c = 0; c < channels.size(); ++c)
      out.values[c * out.rows + row] = kb_read(use.get(), channels[c]);
  }
}

std::int64_t end_of(const Use& use, std::optional<double> until_s) {
  const std::int64_t tick = kb_tick(use.get());
  if (!until_s) {
    const std::int64_t end = kb_tick_count(use.get());
    if (end == 0)
      throw Failure("an exercise has no length of its own: say until when with until_s");
    return std::max(end, tick);
  }
  const double ticks = std::round(*until_s / kb_tick_s(use.get()));
  if (!(ticks >= static_cast<double>(tick)) || ticks > 1e15)
    throw Failure("until_s is " + std::to_string(*until_s) +
                  "; it must be a time from now on, and a simulation does not go back");
  return static_cast<std::int64_t>(ticks);
}

py::object run(Simulation& simulation, std::optional<std::vector<std::string>> channels,
               std::int64_t every, std::optional<double> until_s, bool frame) {
  if (every < 1)
    throw Failure("every is " + std::to_string(every) + "; it must be at least 1 tick");
  const Use use(simulation);
  if (!channels) channels = names_of(use, kb_channel_count, kb_channel_name);
  const std::vector<std::int32_t> numbers = numbers_of(use, kb_find_channel, *channels);
  const std::int64_t end = end_of(use, until_s);
  every = std::min(every, end - kb_tick(use.get()) + 1);
  auto columns = std::make_unique<Columns>();
  columns->rows = static_cast<std::size_t>(1 + (end - kb_tick(use.get()) + every - 1) / every);
  columns->values.reset(new double[std::max<std::size_t>(1, columns->rows * numbers.size())]);
  record(use, numbers, end, every, *columns);
  const double* const first = columns->values.get();
  const std::size_t rows = columns->rows;
  const py::capsule owner(columns.release(), [](void* all) { delete static_cast<Columns*>(all); });
  py::dict out;
  for (std::size_t c = 0; c < channels->size(); ++c)
    out[py::str((*channels)[c])] = view(first + c * rows, rows, 1, owner, true);
  return frame ? frame_of(out) : py::object(std::move(out));
}

// --- Connection ---------------------------------------------------------------

// Inputs and channels of a simulation that are set and read at every step, as arrays that stay where they are.
class Connection {
 public:
  Connection(std::shared_ptr<Simulation> of, const std::vector<std::string>& inputs,
             const std::vector<std::string>& channels)
      : of_(std::move(of)) {
    const Use use(*of_);
    inputs_ = numbers_of(use, kb_find_input, inputs);
    channels_ = numbers_of(use, kb_find_channel, channels);
    wanted.assign(inputs.size(), std::numeric_limits<double>::quiet_NaN());
    seen.resize(channels.size());
    look(use);
  }

  void step(std::int64_t ticks) {
    const Use use(*of_);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      check(std::isnan(wanted[i]) ? kb_release_input(use.get(), inputs_[i])
                                  : kb_set_input(use.get(), inputs_[i], wanted[i]));
    const py::gil_scoped_release others_run;
    advance(use.get(), ticks);
    look(use);
  }
  void read() { look(Use(*of_)); }

  std::vector<double> wanted, seen;

 private:
  void look(const Use& use) {
    for (std::size_t i = 0; i < channels_.size(); ++i) seen[i] = kb_read(use.get(), channels_[i]);
  }

  std::shared_ptr<Simulation> of_;
  std::vector<std::int32_t> inputs_, channels_;
};

// --- Batch --------------------------------------------------------------------

struct CloseBatch {
  void operator()(kb_batch* batch) const { kb_batch_free(batch); }
};

// Copies of simulations, stepped together; inputs and channels in arrays of a row for each.
class Batch {
 public:
  Batch(const std::vector<std::shared_ptr<Simulation>>& simulations,
        const std::vector<std::string>& inputs, const std::vector<std::string>& channels,
        std::int32_t lanes)
      : engine_(made(kb_batch_new(lanes))) {
    if (simulations.empty()) throw Failure("a batch needs at least one simulation");
    for (const auto& simulation : simulations) {
      const Use use(*simulation);
      const std::vector<std::int32_t> in = numbers_of(use, kb_find_input, inputs);
      const std::vector<std::int32_t> out = numbers_of(use, kb_find_channel, channels);
      if (rows == 0) {
        inputs_ = in;
        channels_ = out;
      } else if (in != inputs_ || out != channels_) {
        throw Failure("simulation " + std::to_string(rows) +
                      " of the batch has these inputs and channels at other places than the "
                      "first one; machines of other joints need a batch of their own");
      }
      if (kb_batch_add(engine_.get(), use.get()) < 0) fail();
      ++rows;
    }
    wanted.assign(rows * inputs.size(), std::numeric_limits<double>::quiet_NaN());
    seen.resize(rows * channels.size());
    look();
  }

  void step(std::int64_t ticks) {
    const Turn turn(busy_);
    check(kb_batch_set_inputs(engine_.get(), inputs_.data(),
                              static_cast<std::int32_t>(inputs_.size()), wanted.data()));
    const py::gil_scoped_release others_run;
    do {
      const std::int64_t now = std::min(ticks, kSlice / static_cast<std::int64_t>(rows) + 1);
      check(kb_batch_step(engine_.get(), now));
      ticks -= now;
      if (ticks > 0) look_at_signals();
    } while (ticks > 0);
    look();
  }
  void read() {
    const Turn turn(busy_);
    look();
  }
  std::int32_t lanes() { return kb_batch_lanes(engine_.get()); }
  std::int32_t in_lanes() { return kb_batch_in_lanes(engine_.get()); }
  std::string hash(std::int32_t machine) {
    const Turn turn(busy_);
    return made(kb_batch_hash(engine_.get(), machine));
  }
  State save(std::int32_t machine) {
    const Turn turn(busy_);
    return {StatePointer(made(kb_batch_take(engine_.get(), machine))),
            kb_batch_tick(engine_.get(), machine)};
  }
  void restore(std::int32_t machine, const State& state) {
    const Turn turn(busy_);
    check(kb_batch_restore(engine_.get(), machine, state.state.get()));
  }
  void restore_all(const State& state) {
    const Turn turn(busy_);
    for (std::size_t i = 0; i < rows; ++i)
      check(kb_batch_restore(engine_.get(), static_cast<std::int32_t>(i), state.state.get()));
  }
  void set_fault(std::int32_t machine, const std::string& name, bool on) {
    const Turn turn(busy_);
    check(kb_batch_set_fault(engine_.get(), machine, name.c_str(), on ? 1 : 0));
  }

  std::size_t rows = 0;
  std::vector<double> wanted, seen;

 private:
  // One thread at a time.
  class Turn {
   public:
    explicit Turn(std::atomic<bool>& busy) : busy_(busy) {
      if (busy_.exchange(true)) throw Failure("this batch is at work in another thread");
    }
    ~Turn() { busy_ = false; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    std::atomic<bool>& busy_;
  };

  void look() {
    check(kb_batch_read(engine_.get(), channels_.data(),
                        static_cast<std::int32_t>(channels_.size()), seen.data()));
  }

  std::unique_ptr<kb_batch, CloseBatch> engine_;
  std::vector<std::int32_t> inputs_, channels_;
  std::atomic<bool> busy_ = false;
};

py::array table_view(const std::vector<double>& values, std::size_t rows, const py::object& owner,
                     bool writable) {
  const std::size_t columns = values.size() / rows;
  py::array_t<double> out({rows, columns}, values.data(), owner);
  if (!writable) out.attr("setflags")(py::arg("write") = false);
  return out;
}

// --- Linear models ------------------------------------------------------------

using python::LinearTable;

std::shared_ptr<LinearTable> linearised(Simulation& simulation, bool at_rest) {
  const Use use(simulation);
  const py::gil_scoped_release others_run;
  return std::make_shared<LinearTable>(python::linear_table(*use.get(), at_rest));
}

void declare_linear_model(py::module_& m) {
  using Quantities = std::vector<LinearTable::Quantity>;
  py::class_<LinearTable, std::shared_ptr<LinearTable>> model(
      m, "LinearModel", R"(The equations near one instant, from Simulation.linearise().

y' = f0 + A (y - y0) + B (u - u0), z = z0 + C (y - y0) + D (u - u0), with n states y, m inputs u and p outputs z.)");
  const auto numbers = [&model](const char* name, std::vector<double> LinearTable::*values,
                                const char* text) {
    model.def_property_readonly(
        name,
        [values](const py::object& self) {
          const std::vector<double>& all = self.cast<const LinearTable&>().*values;
          return view(all.data(), all.size(), 1, self);
        },
        text);
  };
  const auto matrix = [&model](const char* name, std::vector<double> LinearTable::*values,
                               Quantities LinearTable::*rows, Quantities LinearTable::*columns,
                               const char* text) {
    model.def_property_readonly(
        name,
        [=](const py::object& self) {
          const auto& table = self.cast<const LinearTable&>();
          return matrix_view(table.*values, (table.*rows).size(), (table.*columns).size(), self);
        },
        text);
  };
  const auto quantities = [&model](const char* name, Quantities LinearTable::*list,
                                   const char* text) {
    model.def_property_readonly(
        name,
        [list](const LinearTable& table) {
          py::dict out;
          for (const LinearTable::Quantity& one : table.*list) out[one.name.c_str()] = one.unit;
          return out;
        },
        text);
  };
  model.def_readonly("t_s", &LinearTable::t_s, "The instant [s].");
  quantities("states", &LinearTable::states, "Units of the states by their names, in their order.");
  quantities("inputs", &LinearTable::inputs, "Likewise of the inputs.");
  quantities("outputs", &LinearTable::outputs, "Likewise of the outputs, which are channels.");
  numbers("y0", &LinearTable::y0, "States at the instant, shape (n,).");
  numbers("u0", &LinearTable::u0, "Inputs at the instant, shape (m,).");
  numbers("z0", &LinearTable::z0, "Outputs at the instant, shape (p,).");
  numbers("f0", &LinearTable::f0, "Rates of the states at the instant [unit/s], shape (n,).");
  using L = LinearTable;
  matrix("A", &L::A, &L::states, &L::states, "Shape (n, n): rates by states.");
  matrix("B", &L::B, &L::states, &L::inputs, "Shape (n, m): rates by inputs.");
  matrix("C", &L::C, &L::outputs, &L::states, "Shape (p, n): outputs by states.");
  matrix("D", &L::D, &L::outputs, &L::inputs, "Shape (p, m): outputs by inputs.");
  model
      .def_property_readonly(
          "roots",
          [](const py::object& self) {
            const auto& roots = self.cast<const LinearTable&>().roots;
            return view(roots.data(), roots.size(), 1, self);
          },
          "Eigenvalues of A [1/s], complex128 of shape (n,).")
      .def_readonly("remarks", &LinearTable::remarks,
                    "Where a slope is that of one side alone, or there is none.")
      .def("__repr__", [](const LinearTable& t) {
        return "<LinearModel of " + std::to_string(t.states.size()) + " states at " +
               std::to_string(t.t_s) + " s>";
      });
}

void declare_batch(py::module_& m) {
  py::class_<Batch>(m, "Batch",
                    R"(Many simulations stepped together, a row of `inputs` and `channels` for each.

simulations: taken in as copies, with their held inputs. inputs, channels: names that all of them have.
lanes: of the processor's registers that machines of one structure share, 1, 2, 4 or 8; None: the most there are.
Each machine has the bits that it has alone, in lanes or not. Values may differ from machine to machine:
Batch([crane.vary(supply__pump_bar=p) for p in pressures]).)")
      .def(
          py::init([](const std::vector<std::shared_ptr<Simulation>>& simulations,
                      const std::vector<std::string>& inputs,
                      const std::vector<std::string>& channels, std::optional<std::int32_t> lanes) {
            return std::make_unique<Batch>(simulations, inputs, channels, lanes.value_or(0));
          }),
          py::arg("simulations"), py::arg("inputs") = std::vector<std::string>(),
          py::arg("channels") = std::vector<std::string>(), py::kw_only(),
          py::arg("lanes") = py::none())
      .def_property_readonly(
          "inputs",
          [](const py::object& self) {
            const auto& b = self.cast<const Batch&>();
            return table_view(b.wanted, b.rows, self, true);
          },
          "float64 array of shape (machines, inputs): values held from the next step on, in the "
          "inputs' units; NaN leaves one to the scenario.")
      .def_property_readonly(
          "channels",
          [](const py::object& self) {
            const auto& b = self.cast<const Batch&>();
            return table_view(b.seen, b.rows, self, false);
          },
          "float64 array of shape (machines, channels): values after the last step() or read(); "
          "read-only.")
      .def(
          "step", &Batch::step, py::arg("ticks") = 1,
          "Sets the inputs, goes on by a number of ticks without the interpreter's lock, reads the "
          "channels.")
      .def("read", &Batch::read, "Reads the channels, as after a restore().")
      .def("__len__", [](const Batch& b) { return b.rows; })
      .def_property_readonly("lanes", &Batch::lanes, "Lanes of a register.")
      .def_property_readonly("in_lanes", &Batch::in_lanes,
                             "Machines that were in lanes at the end of the last step().")
      .def("hash", &Batch::hash, py::arg("machine"), "As Simulation.hash, of one machine.")
      .def("save", &Batch::save, py::arg("machine"),
           "State of one machine, as from Simulation.save().")
      .def("restore", &Batch::restore, py::arg("machine"), py::arg("state"),
           "One machine goes back (or ahead) to a State of its machine and scenario.")
      .def("restore_all", &Batch::restore_all, py::arg("state"), "All of them go to the same one.")
      .def("set_fault", &Batch::set_fault, py::arg("machine"), py::arg("name"),
           py::arg("on") = true, "As Simulation.set_fault, of one machine.")
      .def("__repr__", [](Batch& b) {
        return "<Batch of " + std::to_string(b.rows) + ", " + std::to_string(b.lanes()) + " lanes>";
      });
}

// --- The class Simulation -----------------------------------------------------

Request request_of(const py::object& machine, const py::object& scenario,
                   const py::object& exercise, const py::object& levers, const py::object& set,
                   const std::optional<std::string>& fidelity) {
  Request out{source_of(machine), source_of(scenario), source_of(exercise), source_of(levers), {},
              std::nullopt};
  if (out.scenario.given() && out.exercise.given())
    throw Failure("a simulation has either a scenario or an exercise");
  if (!out.machine.given() && !out.scenario.given() && !out.exercise.given())
    throw Failure("a simulation needs a machine, a scenario or an exercise");
  add_assignments(set, out.assignments);
  if (fidelity) out.fidelity = by_word(kFidelities, *fidelity, "fidelity");
  return out;
}

std::shared_ptr<Simulation> vary(const Simulation& simulation, const py::object& changes,
                                 const py::kwargs& more) {
  Request request = simulation.request();
  add_assignments(changes, request.assignments);
  for (const auto& [word, value] : more) {
    std::string key = word.cast<std::string>();
    for (std::size_t at = 0; (at = key.find("__", at)) != std::string::npos;)
      key.replace(at, 2, ".");
    request.assignments.push_back(assignment_of(key, py::reinterpret_borrow<py::object>(value)));
  }
  return std::make_shared<Simulation>(request);
}

std::shared_ptr<Simulation> copy_of(Simulation& simulation) {
  const Use use(simulation);
  return std::make_shared<Simulation>(simulation.request(),
                                      SimulationPointer(made(kb_copy(use.get()))));
}

void restore(Simulation& simulation, const py::object& state) {
  const Use use(simulation);
  if (py::isinstance<State>(state)) {
    check(kb_state_restore(use.get(), state.cast<const State&>().state.get()));
    return;
  }
  if (PyObject_CheckBuffer(state.ptr()) == 0)
    throw py::type_error(
        "restore takes a State or the bytes of a state file; of a file give open(path, "
        "'rb').read()");
  const auto bytes = py::reinterpret_steal<py::bytes>(PyBytes_FromObject(state.ptr()));
  if (!bytes) throw py::error_already_set();
  check(kb_state_load(use.get(), PyBytes_AS_STRING(bytes.ptr()), PyBytes_GET_SIZE(bytes.ptr())));
}

void hold(Simulation& simulation, const std::string& input, std::optional<double> value) {
  const Use use(simulation);
  const std::int32_t number = numbers_of(use, kb_find_input, {input}).front();
  check(value ? kb_set_input(use.get(), number, *value) : kb_release_input(use.get(), number));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

void declare_simulation(py::module_& m) {
  py::class_<Signal>(m, "Signal", "Name, unit and meaning of a channel, an input or a figure.")
      .def_readonly("name", &Signal::name)
      .def_readonly("unit", &Signal::unit, "Such as 'rad', 'm/s', 'Pa'; '' for a plain number.")
      .def_readonly("description", &Signal::description)
      .def("__repr__", [](const Signal& s) {
        return "Signal('" + s.name + "', unit='" + s.unit + "', description='" + s.description +
               "')";
      });

  py::class_<State>(m, "State", R"(One moment of a simulation, from Simulation.save().

bytes(state) is the content of the file that `knuckleboom run --save` writes; an exercise's state has no bytes.)")
      .def_readonly("tick", &State::tick, "Ticks run before it.")
      .def("__bytes__", &State::bytes);

  py::class_<Simulation, std::shared_ptr<Simulation>> simulation(
      m, "Simulation",
      R"(A machine at work: with a scenario, with the levers of an exercise, or alone.

machine, scenario, exercise, levers: a shipped name ('stick_sine'), a path, or a pair (name, content).
    Without a machine it is the one that scenario or exercise name; without scenario and exercise the machine is
    asked for nothing for 10 s, and joints with a controller hold their start.
set: changes of keys, as `--set` of the command line takes them: a mapping {'supply.pump_bar': 180} or texts
    'supply.pump_bar=180'. None as a value takes a key out.
fidelity: 'reduced' (the default), 'full' or 'paper'.

Units are SI, times in s. Equal calls give equal bits, those of `knuckleboom run`. Raises KnuckleboomError with
the sentence the program would give, with file and line.)");
  simulation
      .def(py::init([](const py::object& machine, const py::object& scenario,
                       const py::object& exercise, const py::object& levers, const py::object& set,
                       const std::optional<std::string>& fidelity) {
             return std::make_shared<Simulation>(
                 request_of(machine, scenario, exercise, levers, set, fidelity));
           }),
           py::arg("machine") = py::none(), py::arg("scenario") = py::none(), py::kw_only(),
           py::arg("exercise") = py::none(), py::arg("levers") = py::none(),
           py::arg("set") = py::none(), py::arg("fidelity") = py::none())
      .def("run", &run, py::arg("channels") = py::none(), py::kw_only(), py::arg("every") = 1,
           py::arg("until_s") = py::none(), py::arg("frame") = false,
           R"(Goes on to the end of the scenario, or to until_s [s], and records on the way.

Returns a dict of float64 arrays of shape (rows,) by the channels' names, each in its unit; a view of what was
recorded, not a copy. The first row is the present state, the last the end; between them lie `every` ticks.
channels: which; all without it. frame: a pandas DataFrame instead, with t_s as its index.
Runs without the interpreter's lock: other threads go on.)")
      .def(
          "step",
          [](Simulation& s, std::int64_t ticks) {
            const Use use(s);
            const py::gil_scoped_release others_run;
            advance(use.get(), ticks);
          },
          py::arg("ticks") = 1, "Goes on by a number of ticks, without the interpreter's lock.")
      .def_property_readonly(
          "tick", [](Simulation& s) { return kb_tick(Use(s).get()); }, "Ticks since the start.")
      .def_property_readonly(
          "tick_s", [](Simulation& s) { return kb_tick_s(Use(s).get()); }, "Length of a tick [s].")
      .def_property_readonly(
          "time_s",
          [](Simulation& s) {
            const Use use(s);
            return static_cast<double>(kb_tick(use.get())) * kb_tick_s(use.get());
          },
          "Simulated time since the start [s].")
      .def_property_readonly(
          "tick_count", [](Simulation& s) { return kb_tick_count(Use(s).get()); },
          "Ticks of the whole scenario; 0 for an exercise, which has no length of its own.")
      .def_property_readonly(
          "hash", [](Simulation& s) { return std::string(made(kb_state_hash(Use(s).get()))); },
          "16 hexadecimal digits, equal for equal states bit by bit: 'state' of `knuckleboom run`.")
      .def_property_readonly(
          "notes", [](Simulation& s) { return lines_of(made(kb_notes(Use(s).get()))); },
          "What is left out of an exercise, and how far the machine's numbers can be trusted.")
      .def_property_readonly(
          "channels",
          [](Simulation& s) {
            return signals_of(s, kb_channel_count, kb_channel_name, kb_channel_unit,
                              kb_channel_description);
          },
          "What can be read: Signal by name.")
      .def_property_readonly(
          "inputs",
          [](Simulation& s) {
            return signals_of(s, kb_input_count, kb_input_name, kb_input_unit,
                              kb_input_description);
          },
          "What can be set: Signal by name.")
      .def(
          "__getitem__",
          [](Simulation& s, const std::string& channel) {
            const Use use(s);
            return kb_read(use.get(), numbers_of(use, kb_find_channel, {channel}).front());
          },
          py::arg("channel"), "Value of a channel after the last tick, in its unit.")
      .def(
          "hold", &hold, py::arg("input"), py::arg("value"),
          R"(Holds an input at a value, in its unit, from the next tick on; None gives it back to the scenario.

A held input takes the place of what the scenario asks of this actuator or joint. Volts and levers beyond their
range count as its end.)")
      .def(
          "connect",
          [](const std::shared_ptr<Simulation>& s, const std::vector<std::string>& inputs,
             const std::vector<std::string>& channels) {
            return std::make_unique<Connection>(s, inputs, channels);
          },
          py::arg("inputs") = std::vector<std::string>(),
          py::arg("channels") = std::vector<std::string>(),
          "Inputs and channels as arrays, for a loop that sets and reads at every step.")
      .def(
          "save",
          [](Simulation& s) {
            const Use use(s);
            return State{StatePointer(made(kb_state_take(use.get()))), kb_tick(use.get())};
          },
          "The state as it is now, to go back to. Held inputs are no part of it.")
      .def("restore", &restore, py::arg("state"),
           R"(Goes back (or ahead) to a State, or to the bytes of one.

Raises KnuckleboomError, and changes nothing, for the state of another machine or scenario, and for bytes that
are damaged or cannot be a state of this machine.)")
      .def(
          "linearise", &linearised, py::kw_only(), py::arg("at_rest") = false,
          R"(The LinearModel of the tick that comes next, with valves as they stand and with what is held.

at_rest: of the machine standing in this place with all valves closed, without dry friction and end stops: the
vibrations of its oil. Changes nothing. Runs without the interpreter's lock.)")
      .def("copy", &copy_of, "Another simulation in the same state, with the same held inputs.")
      .def("__copy__", &copy_of)
      .def(
          "__deepcopy__", [](Simulation& s, const py::object&) { return copy_of(s); },
          py::arg("memo"))
      .def("vary", &vary, py::arg("changes") = py::none(),
           R"(A new simulation at its start, of the same files with other values of keys.

changes: as `set` of Simulation. Keys may be given by name too, with two underscores for each dot:
vary(supply__pump_bar=180).)")
      .def(
          "set_fault",
          [](Simulation& s, const std::string& name, bool on) {
            check(kb_set_fault(Use(s).get(), name.c_str(), on ? 1 : 0));
          },
          py::arg("name"), py::arg("on") = true,
          "A fault of the scenario or exercise begins, or ends, over its ramp.")
      .def(
          "set_fidelity",
          [](Simulation& s, const std::string& word) {
            check(kb_set_fidelity(Use(s).get(), by_word(kFidelities, word, "fidelity")));
          },
          py::arg("fidelity"), "Goes on with 'reduced', 'full' or 'paper', without a jump.")
      .def(
          "set_control_mode",
          [](Simulation& s, const std::string& word) {
            check(kb_set_control_mode(Use(s).get(), by_word(kModes, word, "control mode")));
          },
          py::arg("mode"), "What the levers of an exercise do: 'valve', 'joint_rate', 'boom_tip'.")
      .def("__repr__",
           [](const Simulation& s) { return "<Simulation " + s.request().title() + ">"; });

  py::class_<Connection>(m, "Connection",
                         R"(Inputs and channels of a simulation, from Simulation.connect().

inputs and channels are float64 arrays of shape (number of names,) that stay the same from step to step.)")
      .def_property_readonly(
          "inputs",
          [](const py::object& self) {
            const auto& c = self.cast<const Connection&>();
            return view(c.wanted.data(), c.wanted.size(), 1, self, true);
          },
          "Values held from the next step on, in the inputs' units; NaN leaves one to the "
          "scenario.")
      .def_property_readonly(
          "channels",
          [](const py::object& self) {
            const auto& c = self.cast<const Connection&>();
            return view(c.seen.data(), c.seen.size(), 1, self);
          },
          "Values after the last step() or read(), in the channels' units; read-only.")
      .def("step", &Connection::step, py::arg("ticks") = 1,
           "Sets the inputs, goes on by a number of ticks, reads the channels.")
      .def("read", &Connection::read,
           "Reads the channels, as after a restore() of the simulation.");
}

// --- Traces -------------------------------------------------------------------

py::array trace_column(const py::object& self, const std::string& name) {
  const auto& trace = self.cast<const io::Trace&>();
  const std::vector<double>& column = [&]() -> const std::vector<double>& {
    try {
      return trace.column(name);
    } catch (const io::FileError& error) {
      throw Failure(error.what());
    }
  }();
  return view(column.data(), column.size(), 1, self);
}

py::dict trace_arrays(const py::object& self) {
  py::dict out;
  for (const std::string& name : self.cast<const io::Trace&>().columns)
    out[py::str(name)] = trace_column(self, name);
  return out;
}

void declare_trace(py::module_& m) {
  py::class_<io::Trace>(m, "Trace", R"(A table of numbers, from read_trace().

trace['stick_rad'] is a float64 array of shape (rows,): a read-only view, not a copy.)")
      .def_readonly("columns", &io::Trace::columns, "Names of the columns.")
      .def_readonly("header", &io::Trace::header_lines, "Lines of the header, without '#'.")
      .def_readonly("notes", &io::Trace::notes, "How a foreign table was understood.")
      .def("__getitem__", &trace_column, py::arg("column"))
      .def("__len__", &io::Trace::rows)
      .def("arrays", &trace_arrays, "All columns by name.")
      .def(
          "frame", [](const py::object& self) { return frame_of(trace_arrays(self)); },
          "All columns as a pandas DataFrame, with t_s as its index where there is one.");
  m.def(
      "read_trace",
      [](const std::filesystem::path& path) {
        return reading([&] { return std::make_unique<io::Trace>(io::read_trace(path)); });
      },
      py::arg("path"),
      "Reads a trace of `knuckleboom run --trace`, or any CSV of numbers with a line of names.");
}

// --- Sessions -----------------------------------------------------------------

py::array session_channel(const py::object& self, const std::string& name) {
  const auto& session = self.cast<const io::SessionColumns&>();
  const std::size_t width = session.channels.size();
  for (std::size_t i = 0; i < width; ++i)
    if (session.channels[i].name == name)
      return view(session.rows.data() + i, session.channel_ticks.size(), width, self);
  throw Failure(session.path + ": there is no channel '" + name + "'");
}

py::dict session_arrays(const py::object& self) {
  py::dict out;
  for (const io::ChannelInfo& channel : self.cast<const io::SessionColumns&>().channels)
    out[py::str(channel.name)] = session_channel(self, channel.name);
  return out;
}

py::dict signals_in(const std::vector<io::ChannelInfo>& infos) {
  py::dict out;
  for (const io::ChannelInfo& info : infos)
    out[py::str(info.name)] = Signal{info.name, info.unit, info.description};
  return out;
}

py::list session_events(const io::SessionColumns& session) {
  py::list out;
  for (const io::SessionEvent& event : session.events) {
    py::dict one;
    one["tick"] = event.tick;
    one["kind"] = event.kind;
    one["values"] = py::make_tuple(event.value[0], event.value[1], event.value[2], event.value[3]);
    one["text"] = event.text;
    out.append(std::move(one));
  }
  return out;
}

py::list session_attempts(const io::SessionColumns& session) {
  py::list out;
  for (const io::SessionColumns::Attempt& attempt : session.attempts) {
    py::dict one, figures;
    for (std::size_t i = 0; i < attempt.figures.size(); ++i)
      figures[py::str(session.figures[i].name)] = attempt.figures[i];
    one["begin_tick"] = attempt.begin_tick;
    one["end_tick"] = attempt.end_tick;
    one["phase"] = attempt.phase;
    one["figures"] = std::move(figures);
    out.append(std::move(one));
  }
  return out;
}

void declare_session(py::module_& m) {
  using Session = io::SessionColumns;
  py::class_<Session>(m, "Session", R"(A recorded session of the trainer, from read_session().

session['tip_z_m'] is a float32 array of shape (rows,) at 50 Hz: a read-only view, not a copy.)")
      .def_readonly("path", &Session::path)
      .def_property_readonly(
          "header", [](const Session& s) { return py::dict(py::cast(s.header)); },
          "Texts of the header by name: exercise, machine, levers, program, start_utc, ...")
      .def_property_readonly(
          "options", [](const Session& s) { return py::dict(py::cast(s.options)); },
          "What was asked for when it was recorded, by name.")
      .def_readonly("rate_Hz", &Session::rate_Hz, "Ticks a second.")
      .def_readonly("first_tick", &Session::first_tick)
      .def_readonly("end_tick", &Session::end_tick, "Ticks run at the end.")
      .def_readonly("complete", &Session::complete, "False: the recording was cut off.")
      .def_readonly("lost", &Session::lost, "Records that the disk was too slow for.")
      .def_readonly("remarks", &Session::remarks)
      .def_property_readonly(
          "channels", [](const Session& s) { return signals_in(s.channels); }, "Signal by name.")
      .def_property_readonly(
          "figures", [](const Session& s) { return signals_in(s.figures); }, "Signal by name.")
      .def_property_readonly(
          "ticks",
          [](const py::object& self) {
            const std::vector<std::int64_t>& ticks = self.cast<const Session&>().channel_ticks;
            return view(ticks.data(), ticks.size(), 1, self);
          },
          "int64 array of shape (rows,): ticks run before each row of the channels.")
      .def_property_readonly("events", &session_events,
                             "List of dicts with tick, kind, values (4 numbers) and text.")
      .def_property_readonly("attempts", &session_attempts,
                             R"(List of dicts with begin_tick, end_tick, phase and figures.

phase: 0 ready, 1 running, 2 passed, 3 failed. figures: numbers by name, in the units that Session.figures tells.)")
      .def_property_readonly(
          "levers",
          [](const py::object& self) {
            const auto& s = self.cast<const Session&>();
            py::dict out;
            out["tick"] = view(s.lever_ticks.data(), s.lever_ticks.size(), 1, self);
            for (std::size_t i = 0; i < s.lever_names.size(); ++i)
              out[py::str(s.lever_names[i])] =
                  view(s.lever_values.data() + i, s.lever_ticks.size(), s.lever_names.size(), self);
            out["buttons"] = view(s.lever_buttons.data(), s.lever_buttons.size(), 1, self);
            return out;
          },
          "Lever positions, -1 to 1, which hold from 'tick' on until the next row.")
      .def_property_readonly(
          "commands",
          [](const Session& s) {
            py::list out;
            for (const auto& [tick, word] : s.commands) out.append(py::make_tuple(tick, word));
            return out;
          },
          "Pairs of tick and word, as in input files.")
      .def_property_readonly(
          "hashes",
          [](const Session& s) {
            py::dict out;
            for (const io::StateHash& hash : s.hashes) out[py::int_(hash.tick)] = hash.value;
            return out;
          },
          "Hash of the state by ticks run.")
      .def("__getitem__", &session_channel, py::arg("channel"))
      .def("__len__", [](const Session& s) { return s.channel_ticks.size(); })
      .def("arrays", &session_arrays, "All channels by name.")
      .def(
          "frame", [](const py::object& self) { return frame_of(session_arrays(self)); },
          "All channels as a pandas DataFrame, with t_s as its index.");
  m.def(
      "read_session",
      []([[maybe_unused]] const std::filesystem::path& path) -> std::unique_ptr<Session> {
#ifdef KNUCKLEBOOM_HAS_SESSIONS
        return reading([&] { return std::make_unique<Session>(io::read_session_columns(path)); });
#else
        throw Failure(
            "this package was built without HDF5 and reads no sessions; install "
            "libhdf5-dev, libmatio-dev and libseccomp-dev, and build it again");
#endif
      },
      py::arg("path"), "Reads a session of the trainer, or the journal of one that was cut off.");
}

void declare_content(py::module_& m) {
  const auto list = [&m](const char* name, std::vector<std::string> (*names)(), const char* text) {
    m.def(
        name, [names] { return reading(names); }, text);
  };
  list("machines", io::machine_names, "Names of the machines that are found.");
  list("scenarios", io::scenario_names, "Names of the scenarios that are found.");
  list("exercises", io::exercise_names, "Names of the exercises that are found.");
  m.def(
      "config_folders", [] { return reading(io::config_folders); },
      "Folders in which machines, scenarios and exercises are looked for, the first first.");
}

// --- Calls that fit no function -----------------------------------------------

// "step(ticks: int = 1)" from the first line of its documentation.
std::string readable_signature(const std::string& doc, const std::string& class_name) {
  std::string line = doc.substr(0, doc.find('\n'));
  line = line.substr(0, line.rfind(" -> "));
  const auto take_out = [&line](const std::string& part) {
    for (std::size_t at = line.find(part); at != std::string::npos; at = line.find(part))
      line.erase(at, part.size());
  };
  const std::size_t self = line.find("(self: ");
  if (self != std::string::npos) {
    const std::size_t end = line.find_first_of(",)", self);
    line.erase(self + 1, end - self - (line[end] == ',' ? -1 : 1));
  }
  take_out("knuckleboom._engine.");
  take_out("numpy.");
  if (line.starts_with("__init__")) line.replace(0, 8, class_name);
  return line;
}

// An overload behind the others, which takes anything and says what was expected. The documentation stays.
void explain(py::handle scope, const std::string& name, py::handle function) {
  const std::string doc = py::str(function.attr("__doc__"));
  const bool method = PyType_Check(scope.ptr()) != 0;
  const std::string called = method ? py::str(scope.attr("__name__")) : py::str();
  const std::string expected = readable_signature(doc, called);
  const auto refuse = [expected](const Anything& first, const py::args& more,
                                 const py::kwargs& named) {
    std::string list;
    const auto add = [&list](std::string text) {
      constexpr std::size_t kLongest = 60;
      if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
      list += (list.empty() ? "" : ", ") + text;
    };
    if (!first.value.is(py::ellipsis())) add(py::repr(first.value));
    for (const py::handle& one : more) add(py::repr(one));
    for (const auto& [key, value] : named)
      add(std::string(py::str(key)) + '=' + std::string(py::repr(value)));
    throw py::type_error("expected " + expected + ", but was called with (" + list + ")");
  };
  py::options options;
  options.disable_function_signatures();
  const py::arg_v nothing = py::arg("_first") = py::ellipsis();
  if (method)
    py::cpp_function([refuse](const Anything& /*self*/, const Anything& first, const py::args& more,
                              const py::kwargs& named) { refuse(first, more, named); },
                     py::name(name.c_str()), py::scope(scope), py::is_method(scope),
                     py::sibling(function), nothing);
  else
    py::cpp_function(refuse, py::name(name.c_str()), py::scope(scope), py::sibling(function),
                     nothing);
  if (PyInstanceMethod_Check(function.ptr()) != 0)
    function = PyInstanceMethod_GET_FUNCTION(function.ptr());
  PyMethodDef* const definition = reinterpret_cast<PyCFunctionObject*>(function.ptr())->m_ml;
  std::free(const_cast<char*>(definition->ml_doc));
  definition->ml_doc = strdup(doc.c_str());
}

void explain_all(py::handle scope) {
  const py::dict members = py::dict(scope.attr("__dict__"));
  for (const auto& [key, value] : members) {
    const std::string name = py::str(key);
    const bool special = name.starts_with("__") && name != "__init__" && name != "__getitem__";
    if (PyType_Check(value.ptr()) != 0)
      explain_all(value);
    else if (!special &&
             (PyInstanceMethod_Check(value.ptr()) != 0 || PyCFunction_Check(value.ptr()) != 0) &&
             !value.attr("__doc__").is_none())
      explain(scope, name, value);
  }
}

}  // namespace

PYBIND11_MODULE(_engine, m) {
  m.doc() = "Hydraulic machines in real time: the engine of Knuckleboom.";
  py::object error = py::register_exception<Failure>(m, "KnuckleboomError");
  error.attr("__module__") = "knuckleboom";
  error.attr("__doc__") =
      "Tells what was wrong in the program's own sentences, one line for each fault of a file.";
  const std::string version = kb_version();
  m.attr("__version__") = version.substr(0, version.find(' '));
  m.attr("__revision__") = version;
  declare_linear_model(m);
  declare_simulation(m);
  declare_batch(m);
  declare_trace(m);
  declare_session(m);
  declare_content(m);
  explain_all(m);
}
