// Objects that options name, and names of objects for people.
#ifndef CLI_OBJECT_H
#define CLI_OBJECT_H

#include "cli.h"

// Finds a body or a keyframe by its name or "#NUMBER". Returns its id, or -1 after a message that begins with the
// option and lists the names that are nearest.
int find_object(const char* option, const hfModel* model, hfObjectKind kind, const char* name);

// The name of an object for people, in `text`, which is returned. With that of an equality stands what it joins,
// because most equalities have no name: "#3 of joints knuckle and finger".
enum { OBJECT_TEXT = 240 };
const char* describe_object(const hfModel* model, hfObjectKind kind, int id, char text[OBJECT_TEXT]);

#endif
