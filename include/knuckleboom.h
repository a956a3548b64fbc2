/* The Knuckleboom engine for C and for whatever can call C: hydraulic machines in real time.
 *
 *   kb_setup *setup = kb_setup_new();
 *   kb_setup_scenario(setup, "stick_sine", NULL);
 *   kb_simulation *crane = kb_open(setup);
 *   kb_step(crane, kb_tick_count(crane));
 *   printf("%s\n", kb_state_hash(crane));
 *   kb_close(crane);
 *   kb_setup_free(setup);
 *
 * Units are SI: m, rad, s, V, Pa, N. Names of channels and inputs carry their unit. Signs and frames are
 * those of docs/conventions.md.
 *
 * Ownership. What a function returns by kb_setup *, kb_simulation * or kb_state * belongs to the caller, who
 * frees it with kb_setup_free, kb_close or kb_state_free; all three accept NULL. Strings that are returned
 * belong to the library and live as long as the object they were asked of, unless something else is said.
 * Strings that are given are copied. All text is UTF-8.
 *
 * Errors. A function that can fail returns a kb_status, or NULL or -1 where it returns something else;
 * kb_last_error() then says in words what was wrong. A call that fails changes nothing but what it says.
 * NULL in place of an object or a name is an error (KB_ERROR_ARGUMENT), never a crash. No C++ exception
 * leaves the library.
 *
 * Threads. The library keeps no global state but the last error, which each thread has of its own. Different
 * objects may be used from different threads at the same time; one object only from one thread at a time,
 * also for reading. kb_copy gives a simulation of its own to another thread.
 *
 * Equal inputs give equal bits, on every x86-64 processor and the same as `knuckleboom run`. For this the
 * calling thread must round to nearest and must not flush denormal numbers to zero (-ffast-math in the
 * calling program may set that). Names are looked for in the folder of the environment variable
 * KNUCKLEBOOM_CONFIG, then in the one that was installed with the library.
 */
#ifndef KNUCKLEBOOM_H
#define KNUCKLEBOOM_H

#include <stddef.h>
#include <stdint.h>

/* Goes up when a program built against an older header can no longer run with the library; it is the number
 * in the library's file name, libknuckleboom.so.N. */
#define KB_ABI_VERSION 1

#if defined(__GNUC__)
#define KB_API __attribute__((visibility("default")))
#else
#define KB_API
#endif

#ifdef __cplusplus
#define KB_NOEXCEPT noexcept
extern "C" {
#else
#define KB_NOEXCEPT
#endif

typedef enum kb_status {
  KB_OK = 0,
  KB_ERROR_ARGUMENT = 1,   /* NULL, an index out of range, a value that is not finite, a foreign state */
  KB_ERROR_INPUT = 2,      /* what is wrong in a name, file, text or key; the error says where */
  KB_ERROR_NONFINITE = 3,  /* the simulation left the real numbers */
  KB_ERROR_INTERNAL = 4    /* out of memory, or a fault of the library */
} kb_status;

typedef enum kb_fidelity {
  KB_FIDELITY_REDUCED = 0, /* without the inertia of the oil in the hoses; `--fidelity reduced` */
  KB_FIDELITY_FULL = 1,    /* with it; `--fidelity full` */
  KB_FIDELITY_PAPER = 2    /* open valves as resistances alone; `--fidelity paper` */
} kb_fidelity;

typedef enum kb_control_mode {
  KB_CONTROL_VALVE = 0,      /* a lever moves a spool */
  KB_CONTROL_JOINT_RATE = 1, /* a lever sets the speed of a joint */
  KB_CONTROL_BOOM_TIP = 2    /* the levers set the speed of the tip */
} kb_control_mode;

typedef struct kb_setup kb_setup;           /* what to open */
typedef struct kb_simulation kb_simulation; /* a machine at work */
typedef struct kb_state kb_state;           /* one moment of it, to go back to */
typedef struct kb_batch kb_batch;           /* many machines at work together */

/* --- The library ----------------------------------------------------------------------------------------- */

/* KB_ABI_VERSION of the library that is loaded; a program may compare it with its own. */
KB_API uint32_t kb_abi_version(void) KB_NOEXCEPT;

/* Version and revision of the library, such as "0.1.0 (1a2b3c4d5e)". Never NULL; never freed. */
KB_API const char *kb_version(void) KB_NOEXCEPT;

/* What was wrong in the last call of this thread that failed; one sentence, or one line for each thing that is
 * wrong in a file ("file:line:column: message"). "" if none has failed yet. Never NULL; lives until the next
 * call of this thread that fails. */
KB_API const char *kb_last_error(void) KB_NOEXCEPT;

/* --- Setup: what to open --------------------------------------------------------------------------------- */

/* An empty setup. It may be used for any number of simulations. NULL: no memory. */
KB_API kb_setup *kb_setup_new(void) KB_NOEXCEPT;
KB_API void kb_setup_free(kb_setup *setup) KB_NOEXCEPT;

/* The four functions below say where a file comes from. name: of a shipped file ("stick_sine", "harvester",
 * "reach", "nordic"), or a path if it has a '/' or ends in .toml. text: NULL, or the content of the file; name
 * is then what errors call it, and files that it names are looked for in the folder of that path. A second
 * call replaces the first. Nothing is read before kb_open. */

/* The scenario that runs by itself. Replaces an exercise. */
KB_API kb_status kb_setup_scenario(kb_setup *setup, const char *name, const char *text) KB_NOEXCEPT;
/* The exercise that is done with the levers. Replaces a scenario. */
KB_API kb_status kb_setup_exercise(kb_setup *setup, const char *name, const char *text) KB_NOEXCEPT;
/* The machine, in place of the one that scenario or exercise name. */
KB_API kb_status kb_setup_machine(kb_setup *setup, const char *name, const char *text) KB_NOEXCEPT;
/* The lever file, in place of the one that the exercise names. */
KB_API kb_status kb_setup_levers(kb_setup *setup, const char *name, const char *text) KB_NOEXCEPT;

/* Another value for a key of a file, as `--set` gives it: "supply.pump_bar=180", "machine.name=mine",
 * "duration_s=2"; "exercise." leads into the exercise file. Later values win. Whether the key exists and the
 * value is possible is found out by kb_open. */
KB_API kb_status kb_setup_set(kb_setup *setup, const char *assignment) KB_NOEXCEPT;

/* The model of the hydraulics, in place of the reduced one, or of the one that the exercise wants. */
KB_API kb_status kb_setup_fidelity(kb_setup *setup, kb_fidelity fidelity) KB_NOEXCEPT;

/* --- Simulation ------------------------------------------------------------------------------------------ */

/* Reads the files and puts the machine at its start. NULL: kb_last_error says what is wrong, all faults of a
 * file at once. Takes some milliseconds; nothing is read or allocated later in kb_step. */
KB_API kb_simulation *kb_open(const kb_setup *setup) KB_NOEXCEPT;
KB_API void kb_close(kb_simulation *simulation) KB_NOEXCEPT;

/* Another simulation in the same state, with the same inputs. What never changes is shared, so this is cheap.
 * NULL: no memory. */
KB_API kb_simulation *kb_copy(const kb_simulation *simulation) KB_NOEXCEPT;

/* Goes on by a number of ticks, from 0 on. Neither the end of a scenario nor that of an exercise stops it.
 * KB_ERROR_NONFINITE: it stopped after the first tick whose result was not finite. */
KB_API kb_status kb_step(kb_simulation *simulation, int64_t ticks) KB_NOEXCEPT;

/* Length of a tick [s]; 0 for NULL. */
KB_API double kb_tick_s(const kb_simulation *simulation) KB_NOEXCEPT;
/* Ticks since the start; -1 for NULL. */
KB_API int64_t kb_tick(const kb_simulation *simulation) KB_NOEXCEPT;
/* Ticks of the whole scenario; 0 for an exercise, which has no length of its own; -1 for NULL. */
KB_API int64_t kb_tick_count(const kb_simulation *simulation) KB_NOEXCEPT;

/* What the machine cannot do of the exercise and is left out, and how far its numbers can be trusted: one line
 * each; "" if nothing. NULL for NULL. */
KB_API const char *kb_notes(const kb_simulation *simulation) KB_NOEXCEPT;

/* --- Channels: what can be read -------------------------------------------------------------------------- */

/* A channel has a number from 0 to kb_channel_count() - 1 that stays the same for a simulation and its copies:
 * look a name up once and read by number. Names are the columns of a trace, or of a session for an exercise. */

/* -1 for NULL. */
KB_API int32_t kb_channel_count(const kb_simulation *simulation) KB_NOEXCEPT;
/* NULL: there is no such number. unit: "" for a plain number. */
KB_API const char *kb_channel_name(const kb_simulation *simulation, int32_t channel) KB_NOEXCEPT;
KB_API const char *kb_channel_unit(const kb_simulation *simulation, int32_t channel) KB_NOEXCEPT;
KB_API const char *kb_channel_description(const kb_simulation *simulation, int32_t channel) KB_NOEXCEPT;
/* Number of a channel; -1: there is none of this name, and the error names the closest. */
KB_API int32_t kb_find_channel(const kb_simulation *simulation, const char *name) KB_NOEXCEPT;
/* Its value after the last tick, in its unit. NaN: there is no such number. */
KB_API double kb_read(kb_simulation *simulation, int32_t channel) KB_NOEXCEPT;
/* The first count values at once, by number. */
KB_API kb_status kb_read_all(kb_simulation *simulation, double *values, int32_t count) KB_NOEXCEPT;

/* --- Inputs: what can be set ----------------------------------------------------------------------------- */

/* In a scenario each actuator has its valve ("boom_valve_V") and, where it has a controller, the reference of
 * its joint ("boom_ref_rad"); a joint's own drive has torque and speed ("elbow_torque_Nm"). In an exercise
 * there are the levers ("lever_left_x", -1 to 1). */

/* -1 for NULL. */
KB_API int32_t kb_input_count(const kb_simulation *simulation) KB_NOEXCEPT;
/* NULL: there is no such number. */
KB_API const char *kb_input_name(const kb_simulation *simulation, int32_t input) KB_NOEXCEPT;
KB_API const char *kb_input_unit(const kb_simulation *simulation, int32_t input) KB_NOEXCEPT;
KB_API const char *kb_input_description(const kb_simulation *simulation, int32_t input) KB_NOEXCEPT;
/* Number of an input; -1: there is none of this name, and the error names the closest. */
KB_API int32_t kb_find_input(const kb_simulation *simulation, const char *name) KB_NOEXCEPT;
/* Holds a value, in the input's unit, from the next tick on. It takes the place of what the scenario asks of
 * this actuator or joint, and of another input of the same one. Volts beyond the valve's range and levers
 * beyond -1 to 1 count as the end of the range. */
KB_API kb_status kb_set_input(kb_simulation *simulation, int32_t input, double value) KB_NOEXCEPT;
/* Gives an input back to the scenario; a lever goes to 0. */
KB_API kb_status kb_release_input(kb_simulation *simulation, int32_t input) KB_NOEXCEPT;

/* Goes on with the other model, without a jump in position, speed or force. */
KB_API kb_status kb_set_fidelity(kb_simulation *simulation, kb_fidelity fidelity) KB_NOEXCEPT;
/* What the levers do; only in an exercise. */
KB_API kb_status kb_set_control_mode(kb_simulation *simulation, kb_control_mode mode) KB_NOEXCEPT;
/* A fault of the scenario or exercise begins (on: 1) or ends (0), over its ramp. An exercise knows the usual
 * ones of its machine besides (`knuckleboom list faults`). */
KB_API kb_status kb_set_fault(kb_simulation *simulation, const char *name, int on) KB_NOEXCEPT;

/* --- States ---------------------------------------------------------------------------------------------- */

/* The state as it is now. Held inputs are no part of it. NULL: no memory. */
KB_API kb_state *kb_state_take(const kb_simulation *simulation) KB_NOEXCEPT;
/* Goes back (or ahead) to a state of this simulation, of a copy, or of one opened from the same content. */
KB_API kb_status kb_state_restore(kb_simulation *simulation, const kb_state *state) KB_NOEXCEPT;
KB_API void kb_state_free(kb_state *state) KB_NOEXCEPT;

/* Writes the state into a file, in full or not at all; `knuckleboom run --resume` reads it too. Only of a
 * scenario. */
KB_API kb_status kb_state_write(const kb_simulation *simulation, const char *path) KB_NOEXCEPT;
/* Goes on from a file. A file that is damaged, or belongs to another machine or scenario, is refused. */
KB_API kb_status kb_state_read(kb_simulation *simulation, const char *path) KB_NOEXCEPT;

/* The bytes of such a file, in memory. They are written if there is room for all of them; bytes may be NULL if
 * room is 0. Returns how many there are; -1: the state has none, as an exercise's. */
KB_API int64_t kb_state_save(const kb_state *state, void *bytes, int64_t room) KB_NOEXCEPT;
/* Goes on from such bytes, which are refused like those of a file. */
KB_API kb_status kb_state_load(kb_simulation *simulation, const void *bytes, int64_t count) KB_NOEXCEPT;

/* 16 hexadecimal digits that are equal for equal states, bit by bit; those that `knuckleboom run` shows. Lives
 * until the next call for this simulation. NULL for NULL. */
KB_API const char *kb_state_hash(kb_simulation *simulation) KB_NOEXCEPT;

/* --- Batches --------------------------------------------------------------------------------------------- */

/* Many machines stepped together. Those of one structure go side by side through the processor's wide registers,
 * a lane each; the others are stepped one by one in the same call. Every machine has the bits that it has alone.
 * Different batches may be used in different threads. */

/* An empty batch. lanes: 0 for as many as this processor has (2, 4 or 8), or fewer of them; 1: none. NULL: there
 * are not so many. */
KB_API kb_batch *kb_batch_new(int32_t lanes) KB_NOEXCEPT;
KB_API void kb_batch_free(kb_batch *batch) KB_NOEXCEPT;
/* Takes in a copy of the simulation as it is, held inputs included. Returns the machine's number, from 0; -1:
 * failed. */
KB_API int32_t kb_batch_add(kb_batch *batch, const kb_simulation *simulation) KB_NOEXCEPT;
/* How many machines there are; how many lanes a register has; how many machines were in lanes at the end of the
 * last step. -1 for NULL. */
KB_API int32_t kb_batch_count(const kb_batch *batch) KB_NOEXCEPT;
KB_API int32_t kb_batch_lanes(const kb_batch *batch) KB_NOEXCEPT;
KB_API int32_t kb_batch_in_lanes(const kb_batch *batch) KB_NOEXCEPT;
/* Advances all of them. KB_ERROR_NONFINITE: some machine left the real numbers; all have done the ticks. */
KB_API kb_status kb_batch_step(kb_batch *batch, int64_t ticks) KB_NOEXCEPT;

/* Holds inputs of every machine: values[machine * count + i] is that of inputs[i], by the numbers of
 * kb_find_input; NaN gives an input back. All machines need these inputs. */
KB_API kb_status kb_batch_set_inputs(kb_batch *batch, const int32_t *inputs, int32_t count,
                                     const double *values) KB_NOEXCEPT;
/* Reads channels of every machine likewise: values[machine * count + i] is that of channels[i]. */
KB_API kb_status kb_batch_read(kb_batch *batch, const int32_t *channels, int32_t count, double *values) KB_NOEXCEPT;
/* A machine's state as it is now (free it as usual), and back to one. */
KB_API kb_state *kb_batch_take(kb_batch *batch, int32_t machine) KB_NOEXCEPT;
KB_API kb_status kb_batch_restore(kb_batch *batch, int32_t machine, const kb_state *state) KB_NOEXCEPT;
/* As kb_set_fault, of one machine. */
KB_API kb_status kb_batch_set_fault(kb_batch *batch, int32_t machine, const char *name, int on) KB_NOEXCEPT;
/* As kb_tick, of one machine. */
KB_API int64_t kb_batch_tick(kb_batch *batch, int32_t machine) KB_NOEXCEPT;
/* As kb_state_hash, of one machine. Lives until the next call for this batch. */
KB_API const char *kb_batch_hash(kb_batch *batch, int32_t machine) KB_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
