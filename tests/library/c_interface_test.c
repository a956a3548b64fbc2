/* The C interface from C: opening, inputs, channels, states, errors, threads. Built as C11, pedantic. */
#include <knuckleboom.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int faults = 0;

static void check(int good, const char *what, int line) {
  if (good) return;
  ++faults;
  fprintf(stderr, "c_interface_test.c:%d: %s; the last error is: %s\n", line, what, kb_last_error());
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

static kb_simulation *open_scenario(const char *scenario, const char *machine, const char *assignment) {
  kb_setup *setup = kb_setup_new();
  kb_simulation *simulation;
  CHECK(kb_setup_scenario(setup, scenario, NULL) == KB_OK);
  if (machine != NULL) CHECK(kb_setup_machine(setup, machine, NULL) == KB_OK);
  if (assignment != NULL) CHECK(kb_setup_set(setup, assignment) == KB_OK);
  simulation = kb_open(setup);
  kb_setup_free(setup);
  return simulation;
}

static int error_has(const char *text) { return strstr(kb_last_error(), text) != NULL; }

static void versions(void) {
  CHECK(kb_abi_version() == KB_ABI_VERSION);
  CHECK(strchr(kb_version(), '(') != NULL);
}

static void channels(void) {
  kb_simulation *s = open_scenario("stick_sine", NULL, NULL);
  double values[4];
  int32_t t = kb_find_channel(s, "t_s");
  int32_t stick = kb_find_channel(s, "stick_rad");
  CHECK(t == 0);
  CHECK(stick > 0);
  CHECK(strcmp(kb_channel_name(s, stick), "stick_rad") == 0);
  CHECK(strcmp(kb_channel_unit(s, stick), "rad") == 0);
  CHECK(strcmp(kb_channel_description(s, stick), "joint position") == 0);
  CHECK(kb_read(s, t) == 0.0);
  CHECK(kb_tick_s(s) == 0.001);
  CHECK(kb_tick_count(s) == 40000);
  CHECK(kb_step(s, 2500) == KB_OK);
  CHECK(kb_tick(s) == 2500);
  CHECK(fabs(kb_read(s, t) - 2.5) < 1e-12);
  CHECK(kb_read_all(s, values, 4) == KB_OK);
  CHECK(values[0] == kb_read(s, 0) && values[3] == kb_read(s, 3));
  CHECK(kb_find_channel(s, "stick_rat") == -1);
  CHECK(error_has("there is no channel 'stick_rat'; did you mean 'stick_rad'?"));
  CHECK(isnan(kb_read(s, kb_channel_count(s))));
  CHECK(kb_channel_name(s, -1) == NULL);
  CHECK(kb_read_all(s, values, 100000) == KB_ERROR_ARGUMENT);
  CHECK(kb_read_all(s, NULL, 1) == KB_ERROR_ARGUMENT);
  CHECK(strstr(kb_notes(s), "Representative machine") != NULL);
  kb_close(s);
}

/* Held inputs take the scenario's place and give it back; a reference is followed. */
static void inputs(void) {
  kb_simulation *s = open_scenario("stick_sine", NULL, NULL);
  kb_simulation *untouched = kb_copy(s);
  int32_t volts = kb_find_input(s, "boom_valve_V");
  int32_t reference = kb_find_input(s, "boom_ref_rad");
  int32_t position = kb_find_channel(s, "boom_rad");
  int32_t command = kb_find_channel(s, "boom_valve_V");
  double start = kb_read(s, position);
  CHECK(volts >= 0 && reference >= 0);
  CHECK(strcmp(kb_input_unit(s, volts), "V") == 0);
  CHECK(kb_set_input(s, volts, 5.0) == KB_OK);
  CHECK(kb_step(s, 500) == KB_OK);
  CHECK(kb_read(s, command) == 5.0);
  CHECK(kb_read(s, position) > start + 0.02);
  /* Beyond the valve's range is its end. */
  CHECK(kb_set_input(s, volts, 1000.0) == KB_OK);
  CHECK(kb_step(s, 1) == KB_OK);
  CHECK(kb_read(s, command) == 10.0);
  /* The reference takes the volts' place. */
  CHECK(kb_set_input(s, reference, start + 0.05) == KB_OK);
  CHECK(kb_step(s, 15000) == KB_OK);
  CHECK(fabs(kb_read(s, position) - (start + 0.05)) < 0.01);
  CHECK(kb_release_input(s, reference) == KB_OK);
  CHECK(kb_step(s, 5000) == KB_OK);
  CHECK(fabs(kb_read(s, position) - start) < 0.005);
  CHECK(kb_set_input(s, volts, NAN) == KB_ERROR_ARGUMENT);
  CHECK(error_has("boom_valve_V cannot be set to nan"));
  CHECK(kb_find_input(s, "boom_valve") == -1);
  CHECK(kb_step(untouched, 20501) == KB_OK);
  CHECK(kb_tick(untouched) == kb_tick(s));
  CHECK(fabs(kb_read(untouched, position) - start) < 0.02);
  kb_close(s);
  /* What was never held is the plain scenario. */
  s = open_scenario("stick_sine", NULL, NULL);
  CHECK(kb_set_input(s, volts, 5.0) == KB_OK);
  CHECK(kb_release_input(s, volts) == KB_OK);
  CHECK(kb_step(s, 20501) == KB_OK);
  CHECK(strcmp(kb_state_hash(s), kb_state_hash(untouched)) == 0);
  kb_close(s);
  kb_close(untouched);

  /* A joint's own drive. */
  s = open_scenario("four_bar_torque", NULL, NULL);
  CHECK(kb_input_count(s) >= 1);
  CHECK(strstr(kb_input_name(s, 0), "_torque_Nm") != NULL);
  CHECK(kb_set_input(s, 0, 0.0) == KB_OK);
  CHECK(kb_step(s, 100) == KB_OK);
  kb_close(s);
}

static void states(void) {
  char path[] = "/tmp/kb_state_XXXXXX";
  char middle[32], end[32];
  kb_simulation *s = open_scenario("boom_sine", NULL, NULL);
  kb_simulation *other, *twin;
  kb_state *state;
  close(mkstemp(path));
  CHECK(kb_step(s, 3000) == KB_OK);
  strcpy(middle, kb_state_hash(s));
  CHECK(strlen(middle) == 16);
  state = kb_state_take(s);
  other = kb_copy(s);
  CHECK(kb_state_write(s, path) == KB_OK);
  CHECK(kb_step(s, 2000) == KB_OK);
  strcpy(end, kb_state_hash(s));
  CHECK(strcmp(middle, end) != 0);
  CHECK(kb_state_restore(s, state) == KB_OK);
  CHECK(strcmp(kb_state_hash(s), middle) == 0);
  CHECK(kb_tick(s) == 3000);
  CHECK(kb_step(s, 2000) == KB_OK);
  CHECK(strcmp(kb_state_hash(s), end) == 0);
  CHECK(kb_step(other, 2000) == KB_OK);
  CHECK(strcmp(kb_state_hash(other), end) == 0);

  twin = open_scenario("boom_sine", NULL, NULL);
  CHECK(kb_state_read(twin, path) == KB_OK);
  CHECK(strcmp(kb_state_hash(twin), middle) == 0);
  CHECK(kb_state_restore(twin, state) == KB_OK);
  CHECK(kb_step(twin, 2000) == KB_OK);
  CHECK(strcmp(kb_state_hash(twin), end) == 0);
  kb_close(twin);

  /* Another machine's state is refused, and nothing changes. */
  twin = open_scenario("boom_sine", NULL, "supply.pump_bar=150");
  strcpy(end, kb_state_hash(twin));
  CHECK(kb_state_restore(twin, state) == KB_ERROR_ARGUMENT);
  CHECK(kb_state_read(twin, path) == KB_ERROR_INPUT);
  CHECK(error_has("belongs to another machine"));
  CHECK(strcmp(kb_state_hash(twin), end) == 0);
  CHECK(kb_state_read(twin, "/nowhere/state") == KB_ERROR_INPUT);
  CHECK(error_has("there is no such file"));
  unlink(path);
  kb_state_free(state);
  kb_close(s);
  kb_close(other);
  kb_close(twin);
}

static void states_as_bytes(void) {
  char hash[32];
  kb_simulation *s = open_scenario("boom_sine", NULL, NULL), *twin = open_scenario("boom_sine", NULL, NULL);
  kb_simulation *other = open_scenario("boom_sine", NULL, "supply.pump_bar=150");
  kb_state *state;
  char *bytes;
  int64_t size;
  CHECK(kb_step(s, 100) == KB_OK);
  strcpy(hash, kb_state_hash(s));
  state = kb_state_take(s);
  size = kb_state_save(state, NULL, 0);
  CHECK(size > 1000);
  bytes = malloc((size_t)size + 1);
  memset(bytes, 0, (size_t)size + 1);
  CHECK(kb_state_save(state, bytes, size - 1) == size);
  CHECK(bytes[0] == 0); /* no room for all: nothing is written */
  CHECK(kb_state_save(state, NULL, size) == -1);
  CHECK(kb_state_save(state, bytes, size) == size);
  CHECK(kb_state_load(twin, bytes, size) == KB_OK);
  CHECK(strcmp(kb_state_hash(twin), hash) == 0);
  CHECK(kb_state_load(other, bytes, size) == KB_ERROR_INPUT);
  CHECK(error_has("belongs to another machine"));
  CHECK(kb_state_load(twin, bytes, size - 1) == KB_ERROR_INPUT);
  CHECK(kb_state_load(twin, bytes, size + 1) == KB_ERROR_INPUT);
  CHECK(kb_state_load(twin, bytes, 0) == KB_ERROR_INPUT);
  CHECK(kb_state_load(twin, bytes, -1) == KB_ERROR_ARGUMENT);
  CHECK(kb_state_load(twin, NULL, 0) == KB_ERROR_ARGUMENT);
  bytes[size / 2] ^= 1;
  CHECK(kb_state_load(twin, bytes, size) == KB_ERROR_INPUT);
  CHECK(error_has("damaged"));
  CHECK(strcmp(kb_state_hash(twin), hash) == 0);
  free(bytes);
  kb_state_free(state);
  kb_close(s);
  kb_close(twin);
  kb_close(other);
}

/* Another value makes another result, and the other model another one. */
static void variations(void) {
  char plain[32], varied[32];
  kb_simulation *s = open_scenario("stick_sine", NULL, NULL);
  CHECK(kb_step(s, 4000) == KB_OK);
  strcpy(plain, kb_state_hash(s));
  kb_close(s);
  s = open_scenario("stick_sine", NULL, "controller.stick.kp_V_per_rad=30");
  CHECK(kb_step(s, 4000) == KB_OK);
  strcpy(varied, kb_state_hash(s));
  CHECK(strcmp(plain, varied) != 0);
  kb_close(s);
  s = open_scenario("stick_sine", "harvester_gentle", NULL);
  CHECK(kb_step(s, 4000) == KB_OK);
  CHECK(strcmp(plain, kb_state_hash(s)) != 0);
  CHECK(kb_set_fidelity(s, KB_FIDELITY_FULL) == KB_OK);
  CHECK(kb_step(s, 100) == KB_OK);
  CHECK(kb_set_fidelity(s, (kb_fidelity)7) == KB_ERROR_ARGUMENT);
  CHECK(kb_set_control_mode(s, KB_CONTROL_BOOM_TIP) == KB_ERROR_ARGUMENT);
  kb_close(s);
}

static void texts(void) {
  static const char scenario[] =
      "name = \"short\"\n"
      "machine = \"harvester\"\n"
      "duration_s = 0.5\n"
      "[[joint]]\n"
      "name = \"boom\"\n"
      "mode = \"voltage\"\n"
      "terms = [{ kind = \"pulse\", value_V = 4, start_s = 0.1, end_s = 0.4 }]\n";
  kb_setup *setup = kb_setup_new();
  kb_simulation *s;
  CHECK(kb_setup_scenario(setup, "mine.toml", scenario) == KB_OK);
  s = kb_open(setup);
  CHECK(s != NULL);
  CHECK(kb_tick_count(s) == 500);
  CHECK(kb_step(s, 250) == KB_OK);
  CHECK(kb_read(s, kb_find_channel(s, "boom_valve_V")) == 4.0);
  kb_close(s);
  CHECK(kb_setup_scenario(setup, "mine.toml", "duration_s = 1\nmachine = \"harvester\"\nspeed = 3\n") ==
        KB_OK);
  CHECK(kb_open(setup) == NULL);
  CHECK(error_has("mine.toml:3:1: "));
  /* A machine given as text, on a shipped scenario. */
  CHECK(kb_setup_scenario(setup, "stick_sine", NULL) == KB_OK);
  CHECK(kb_setup_machine(setup, "mine.toml", "name = \"mine\"\n[[body]]\nname = \"boom\"\n") == KB_OK);
  CHECK(kb_open(setup) == NULL);
  CHECK(error_has("mine.toml"));
  kb_setup_free(setup);
}

static void exercises(void) {
  kb_setup *setup = kb_setup_new();
  kb_simulation *s, *twin;
  kb_state *state;
  int32_t lever, shown, swing;
  double start;
  char hash[32];
  CHECK(kb_setup_exercise(setup, "reach", NULL) == KB_OK);
  CHECK(kb_setup_levers(setup, "nordic", NULL) == KB_OK);
  CHECK(kb_setup_fidelity(setup, KB_FIDELITY_FULL) == KB_OK);
  s = kb_open(setup);
  CHECK(s != NULL);
  CHECK(kb_tick_count(s) == 0);
  lever = kb_find_input(s, "lever_left_x");
  shown = kb_find_channel(s, "lever_left_x");
  swing = kb_find_channel(s, "swing_rad");
  start = kb_read(s, swing);
  CHECK(kb_set_input(s, lever, 2.0) == KB_OK);
  CHECK(kb_step(s, 1000) == KB_OK);
  CHECK(kb_read(s, shown) == 1.0);
  CHECK(fabs(kb_read(s, swing) - start) > 0.05);
  state = kb_state_take(s);
  twin = kb_copy(s);
  CHECK(kb_step(s, 500) == KB_OK);
  strcpy(hash, kb_state_hash(s));
  CHECK(kb_step(twin, 500) == KB_OK);
  CHECK(strcmp(kb_state_hash(twin), hash) == 0);
  CHECK(kb_state_restore(s, state) == KB_OK);
  CHECK(kb_step(s, 500) == KB_OK);
  CHECK(strcmp(kb_state_hash(s), hash) == 0);
  CHECK(kb_set_control_mode(s, KB_CONTROL_JOINT_RATE) == KB_OK);
  CHECK(kb_set_control_mode(s, (kb_control_mode)3) == KB_ERROR_ARGUMENT);
  CHECK(kb_set_fault(s, "no_such_fault", 1) == KB_ERROR_ARGUMENT);
  CHECK(kb_release_input(s, lever) == KB_OK);
  CHECK(kb_step(s, 1) == KB_OK);
  CHECK(kb_read(s, shown) == 0.0);
  CHECK(kb_state_write(s, "/tmp/unused") == KB_ERROR_ARGUMENT);
  kb_state_free(state);
  kb_close(s);
  kb_close(twin);

  CHECK(kb_setup_set(setup, "duration_s=3") == KB_OK);
  CHECK(kb_open(setup) == NULL);
  CHECK(error_has("exercise.duration_s"));
  kb_setup_free(setup);
}

static void mistakes(void) {
  kb_setup *setup = kb_setup_new();
  kb_simulation *s;
  CHECK(kb_open(setup) == NULL);
  CHECK(error_has("neither a scenario nor an exercise"));
  CHECK(kb_open(NULL) == NULL);
  CHECK(error_has("the setup is NULL"));
  CHECK(kb_setup_scenario(setup, NULL, NULL) == KB_ERROR_ARGUMENT);
  CHECK(kb_setup_set(setup, "no equals sign") == KB_ERROR_INPUT);
  CHECK(kb_setup_scenario(setup, "stick_sin", NULL) == KB_OK);
  CHECK(kb_open(setup) == NULL);
  CHECK(error_has("did you mean 'stick_sine'?"));
  CHECK(kb_setup_scenario(setup, "stick_sine", NULL) == KB_OK);
  CHECK(kb_setup_set(setup, "controller.stick.kp_V_per_rat=30") == KB_OK);
  CHECK(kb_open(setup) == NULL);
  kb_setup_free(setup);
  kb_setup_free(NULL);
  kb_close(NULL);
  kb_state_free(NULL);
  CHECK(kb_copy(NULL) == NULL);
  CHECK(kb_step(NULL, 1) == KB_ERROR_ARGUMENT);
  CHECK(kb_tick(NULL) == -1 && kb_tick_count(NULL) == -1 && kb_tick_s(NULL) == 0.0);
  CHECK(isnan(kb_read(NULL, 0)));
  CHECK(kb_state_hash(NULL) == NULL);
  CHECK(kb_state_take(NULL) == NULL);
  CHECK(kb_channel_count(NULL) == -1 && kb_input_count(NULL) == -1);
  s = open_scenario("stick_sine", NULL, NULL);
  CHECK(kb_step(s, -1) == KB_ERROR_ARGUMENT);
  CHECK(kb_state_restore(s, NULL) == KB_ERROR_ARGUMENT);
  kb_close(s);
}

/* Machines of a batch are where they are alone: other gains, levers, scenarios, and an exercise beside the lanes. */
static void batches(void) {
  enum { kMachines = 6 };
  static const char *const gains[] = {NULL, "controller.stick.kp_V_per_rad=30", "controller.boom.kp_V_per_rad=50"};
  kb_simulation *alone[kMachines];
  kb_simulation *exercise;
  kb_setup *setup = kb_setup_new();
  kb_batch *batch = kb_batch_new(0);
  kb_state *state;
  int32_t inputs[2], channels[4];
  double wanted[2 * kMachines], seen[4 * kMachines];
  char before[32];
  int i, turn;
  CHECK(kb_batch_lanes(batch) == 2 || kb_batch_lanes(batch) == 4 || kb_batch_lanes(batch) == 8);
  CHECK(kb_batch_count(batch) == 0);
  for (i = 0; i < kMachines; ++i) {
    alone[i] = open_scenario(i < 5 ? "stick_sine" : "tip_circle", NULL, gains[i % 3]);
    CHECK(kb_step(alone[i], 10 * i) == KB_OK);
    CHECK(kb_batch_add(batch, alone[i]) == i);
  }
  inputs[0] = kb_find_input(alone[0], "boom_valve_V");
  inputs[1] = kb_find_input(alone[0], "swing_ref_rad");
  channels[0] = kb_find_channel(alone[0], "stick_rad");
  channels[1] = kb_find_channel(alone[0], "boom_port_b_Pa");
  channels[2] = kb_find_channel(alone[0], "tip_z_m");
  channels[3] = kb_find_channel(alone[0], "t_s");
  for (turn = 0; turn < 4; ++turn) {
    for (i = 0; i < kMachines; ++i) {
      wanted[2 * i] = turn == 3 ? NAN : 0.9 * i - 2.0 + turn;
      wanted[2 * i + 1] = i % 2 == 0 ? NAN : 0.02 * turn;
      if (turn == 3)
        CHECK(kb_release_input(alone[i], inputs[0]) == KB_OK);
      else
        CHECK(kb_set_input(alone[i], inputs[0], wanted[2 * i]) == KB_OK);
      if (i % 2 != 0) CHECK(kb_set_input(alone[i], inputs[1], wanted[2 * i + 1]) == KB_OK);
      CHECK(kb_step(alone[i], 137) == KB_OK);
    }
    CHECK(kb_batch_set_inputs(batch, inputs, 2, wanted) == KB_OK);
    CHECK(kb_batch_step(batch, 137) == KB_OK);
    CHECK(kb_batch_read(batch, channels, 4, seen) == KB_OK);
    for (i = 0; i < kMachines; ++i) {
      CHECK(seen[4 * i] == kb_read(alone[i], channels[0]));
      CHECK(seen[4 * i + 1] == kb_read(alone[i], channels[1]));
      CHECK(seen[4 * i + 2] == kb_read(alone[i], channels[2]));
      CHECK(seen[4 * i + 3] == kb_read(alone[i], channels[3]));
      CHECK(kb_batch_tick(batch, i) == kb_tick(alone[i]));
    }
  }
  CHECK(kb_batch_in_lanes(batch) == 6);
  for (i = 0; i < kMachines; ++i) CHECK(strcmp(kb_batch_hash(batch, i), kb_state_hash(alone[i])) == 0);

  /* Back to a moment, of one machine. */
  state = kb_batch_take(batch, 1);
  strcpy(before, kb_batch_hash(batch, 1));
  CHECK(kb_batch_set_fault(batch, 2, "no_such_fault", 1) == KB_ERROR_ARGUMENT);
  CHECK(kb_batch_step(batch, 50) == KB_OK);
  CHECK(strcmp(kb_batch_hash(batch, 1), before) != 0);
  CHECK(kb_batch_restore(batch, 1, state) == KB_OK);
  CHECK(strcmp(kb_batch_hash(batch, 1), before) == 0);
  CHECK(kb_batch_step(batch, 50) == KB_OK);
  CHECK(kb_step(alone[1], 50) == KB_OK);
  CHECK(strcmp(kb_batch_hash(batch, 1), kb_state_hash(alone[1])) == 0);
  CHECK(kb_batch_restore(batch, 5, state) == KB_ERROR_ARGUMENT);
  CHECK(error_has("another machine or scenario"));
  kb_state_free(state);

  /* An exercise is stepped beside them, and has levers in place of these inputs. */
  CHECK(kb_setup_exercise(setup, "reach", NULL) == KB_OK);
  exercise = kb_open(setup);
  kb_setup_free(setup);
  CHECK(kb_batch_add(batch, exercise) == kMachines);
  CHECK(kb_batch_step(batch, 20) == KB_OK);
  CHECK(kb_step(exercise, 20) == KB_OK);
  CHECK(strcmp(kb_batch_hash(batch, kMachines), kb_state_hash(exercise)) == 0);
  kb_close(exercise);

  CHECK(kb_batch_new(3) == NULL);
  CHECK(error_has("1, 2, 4 or 8 lanes, not 3"));
  CHECK(kb_batch_step(batch, -1) == KB_ERROR_ARGUMENT);
  CHECK(kb_batch_tick(batch, kMachines + 1) == -1);
  CHECK(error_has("there is no machine 7; they go from 0 to 6"));
  channels[0] = 100000;
  CHECK(kb_batch_read(batch, channels, 4, seen) == KB_ERROR_ARGUMENT);
  wanted[0] = INFINITY;
  CHECK(kb_batch_set_inputs(batch, inputs, 2, wanted) == KB_ERROR_ARGUMENT);
  CHECK(kb_batch_count(NULL) == -1 && kb_batch_hash(NULL, 0) == NULL);
  CHECK(kb_batch_add(batch, NULL) == -1);
  kb_batch_free(batch);
  kb_batch_free(NULL);
  for (i = 0; i < kMachines; ++i) kb_close(alone[i]);
}

/* Instances in several threads give what each gives alone, and errors stay in their thread. */
struct job {
  const char *scenario;
  char hash[32];
  int own_error;
};

static void *work(void *argument) {
  struct job *job = argument;
  kb_simulation *s = open_scenario(job->scenario, NULL, NULL);
  int i;
  for (i = 0; i < 50; ++i) kb_step(s, 100);
  strcpy(job->hash, kb_state_hash(s));
  kb_find_channel(s, job->scenario);
  job->own_error = error_has(job->scenario);
  kb_close(s);
  return NULL;
}

static void threads(void) {
  struct job jobs[4] = {{"stick_sine", "", 0}, {"boom_sine", "", 0}, {"stick_sine", "", 0}, {"tip_circle", "", 0}};
  struct job alone = {"boom_sine", "", 0};
  pthread_t thread[4];
  size_t i;
  for (i = 0; i < 4; ++i) CHECK(pthread_create(&thread[i], NULL, work, &jobs[i]) == 0);
  for (i = 0; i < 4; ++i) pthread_join(thread[i], NULL);
  work(&alone);
  CHECK(strcmp(jobs[0].hash, jobs[2].hash) == 0);
  CHECK(strcmp(jobs[1].hash, alone.hash) == 0);
  for (i = 0; i < 4; ++i) CHECK(jobs[i].own_error);
}

int main(void) {
  versions();
  channels();
  inputs();
  states();
  states_as_bytes();
  variations();
  texts();
  exercises();
  mistakes();
  batches();
  threads();
  if (faults == 0) puts("the C interface does what its header says");
  return faults == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
