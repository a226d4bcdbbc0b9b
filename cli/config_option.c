// Setting fields of a configuration from the command line.
#include "config_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int field_exists(const char* name) {
  for (int i = 0; hf_sim_config_name(i); ++i)
    if (strcmp(hf_sim_config_name(i), name) == 0) return 1;
  return 0;
}

static void list_fields(void) {
  fprintf(stderr, "Fields are:\n");
  for (int i = 0; hf_sim_config_name(i); ++i) fprintf(stderr, "  %s\n", hf_sim_config_name(i));
}

// Sets a field of the configuration. Ends the program, with a message, if that is refused.
void set_config_field(hfSimConfig* config, const char* name, const char* value, struct argp_state* state) {
  hfError error = {HF_OK, ""};
  if (hf_sim_config_set(config, name, value, &error) == HF_OK) return;

  if (!field_exists(name)) {
    say_error("--set: %s", error.message);
    list_fields();
    exit(CLI_MISUSED);
  }

  argp_error(state, "%s", error.message);
}

// Sets the field that a text FIELD=VALUE names, into which it writes a NUL.
void set_config_text(hfSimConfig* config, char* text, struct argp_state* state) {
  char* equals = strchr(text, '=');
  if (!equals) {
    argp_error(state, "--set %s: expected FIELD=VALUE", text);
    return;
  }

  *equals = '\0';
  set_config_field(config, text, equals + 1, state);
}
