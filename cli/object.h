// Objects that options name.
#ifndef CLI_OBJECT_H
#define CLI_OBJECT_H

#include "cli.h"

// Finds a body or a keyframe by its name or "#NUMBER". Returns its id, or -1 after a message that begins with the option and lists the names
// that are nearest.
int find_object(const char* option, const hfModel* model, hfObjectKind kind, const char* name);

#endif
