// JSON output with jansson. Numbers have 17 significant digits; a number that is not finite becomes null.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "cli.h"

#include <jansson.h>

json_t* json_number(double x);
// A text that need not be UTF-8, which JSON demands: a path has any bytes, and a long message may end within a letter.
// Then each byte that is no ASCII becomes U+FFFD.
json_t* json_text(const char* text);
json_t* json_numbers(const double* x, int count);
json_t* json_vec3(hfVec3 a);
json_t* json_quat(hfQuat q);
json_t* json_name(const hfModel* model, hfObjectKind kind, int id);
json_t* json_contacts(const hfSim* sim, const hfModel* model);
json_t* json_sensors(const hfSim* sim, const hfModel* model);

// Prints the document to standard output and releases it. Returns the exit status.
int print_json(json_t* document);

#endif
