// Names that are like a wrong one.
#ifndef CLI_NEAR_H
#define CLI_NEAR_H

#include <argp.h>

// The verb that a wrong one is most like or that other programs call so, or NULL.
const char* near_verb(const char* name, const char* const* verbs, int count);

// Parses the arguments of a verb as argp_parse does, which refuses an option that the verb does not have. Before that
// it says which option was perhaps meant.
void parse_arguments(const struct argp* argp, int argc, char** argv, void* input);

#endif
