/* hash_of SCENARIO: the state's hash after the whole scenario. */
#include <knuckleboom.h>

#include <stdio.h>

int main(int count, char **words) {
  kb_setup *setup = kb_setup_new();
  kb_simulation *simulation;
  int status = 1;
  if (count == 2) kb_setup_scenario(setup, words[1], NULL);
  simulation = kb_open(setup);
  if (simulation != NULL && kb_step(simulation, kb_tick_count(simulation)) == KB_OK) {
    puts(kb_state_hash(simulation));
    status = 0;
  } else {
    fprintf(stderr, "%s\n", kb_last_error());
  }
  kb_close(simulation);
  kb_setup_free(setup);
  return status;
}
