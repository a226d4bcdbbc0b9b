// The options of holdfast render.
#ifndef CLI_RENDER_OPTIONS_H
#define CLI_RENDER_OPTIONS_H

#include <argp.h>

enum { FORWARDED = 32 }; // The most words that are passed on to holdfast run.

// When the pictures are.
typedef struct renderTimes {
  double start; // of the picture, or of the video [s]; NAN: no option gives it
  double end; // of the video [s]; NAN: no option gives it
  double fps; // pictures a second of the video
  double speed; // of the video over real time [-]
  int has_video_option; // 1: an option is given that only a video has
} renderTimes;

// From where the pictures are seen.
typedef struct renderView {
  const char* follow; // the body along with which the eye moves; NULL: none
  int followed_body; // its id; -1: none
  const char* camera; // the camera of the scene through which the picture is seen; NULL: none
  int camera_id; // -1: none
  double zoom; // [-]
  double azimuth; // [degrees]
  double elevation; // [degrees]
  int is_turned; // 1: an option says from where to look
} renderView;

typedef struct renderOptions {
  const char* input; // scene or recording
  const char* picture; // file to write, or NULL
  const char* video; // file to write, or NULL
  renderTimes times;
  renderView view;
  int width; // [pixels]; 0: as the camera has, or 1280 x 720
  int height; // [pixels]
  double patience; // how long the browser may take [s]; 0: no option gives it
  int cones; // 1: friction cones are shown
  int no_forces; // 1: contact forces are not shown
  int collision; // 1: the shapes that collide are shown
  char* forwarded[FORWARDED]; // options of holdfast run, for a scene
  int nforwarded;
} renderOptions;

// Reads the options into a renderOptions.
extern const struct argp render_argp;

#endif
