// Options that set fields of a configuration.
#ifndef CLI_CONFIG_OPTION_H
#define CLI_CONFIG_OPTION_H

#include "cli.h"

#include <argp.h>

// Sets a field by its name. Ends the program with a message if there is no such field or it cannot have this value.
void set_config_field(hfSimConfig* config, const char* name, const char* value, struct argp_state* state);
// The same for the argument FIELD=VALUE of --set.
void set_config_text(hfSimConfig* config, char* text, struct argp_state* state);

#endif
