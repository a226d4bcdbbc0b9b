// Models shipped without their meshes can still be timed: a copy in which a small tetrahedron stands
// for every missing STL file. Inertias must be given in the MJCF file itself.
#ifndef HF_BENCH_STAND_IN_H
#define HF_BENCH_STAND_IN_H

typedef struct StandIn {
  char path[1024];   // of the model to load: the given one, or the copy
  char folder[1024]; // of the copy; empty where nothing was missing
} StandIn;

// Returns 0, or -1 if the model cannot be read or a copy cannot be written. Free with stand_in_remove.
int stand_in_make(StandIn* s, const char* path);
void stand_in_remove(const StandIn* s);

#endif
