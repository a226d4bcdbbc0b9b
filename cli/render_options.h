// The options of holdfast render.
#ifndef CLI_RENDER_OPTIONS_H
#define CLI_RENDER_OPTIONS_H

#include <argp.h>

enum { FORWARDED = 32 }; // Most words that are passed on to holdfast run.

typedef struct renderOptions {
  const char *input, *picture, *video, *follow;
  double time, until, fps, speed, zoom, azimuth, elevation, patience;
  int width, height, cones, no_forces, collision;
  int followed; // the body that the camera follows, or -1
  char* forwarded[FORWARDED]; // options of holdfast run, for a scene
  int nforwarded;
} renderOptions;

// Reads the options into a renderOptions.
extern const struct argp render_argp;

#endif
