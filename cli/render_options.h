// The options of holdfast render.
#ifndef CLI_RENDER_OPTIONS_H
#define CLI_RENDER_OPTIONS_H

#include <argp.h>

enum { FORWARDED = 32 }; // Most words that are passed on to holdfast run.

typedef struct renderOptions {
  const char *input, *picture, *video, *follow, *camera;
  double time, until, fps, speed, zoom, azimuth, elevation, patience;
  int width, height; // [pixels]; 0: as the camera has, or 1280 x 720
  int turned;        // 1: an option says from where to look
  int of_video; // 1: an option is given that only a video has
  int cones, no_forces, collision;
  int followed, through; // the body that the picture follows, and the camera of the scene through which it looks, or -1
  char* forwarded[FORWARDED]; // options of holdfast run, for a scene
  int nforwarded;
} renderOptions;

// Reads the options into a renderOptions.
extern const struct argp render_argp;

#endif
