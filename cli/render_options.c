// The options of holdfast render.
#include "render_options.h"

#include "numbers.h"
#include "stored_option.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
  KEY_TIME = 0x5000,
  KEY_UNTIL,
  KEY_VIDEO,
  KEY_FPS,
  KEY_SPEED,
  KEY_SIZE,
  KEY_FOLLOW,
  KEY_CAMERA,
  KEY_ZOOM,
  KEY_AZIMUTH,
  KEY_ELEVATION,
  KEY_CONES,
  KEY_NO_FORCES,
  KEY_COLLISION,
  KEY_KEYFRAME,
  KEY_METHOD,
  KEY_SET,
  KEY_PATIENCE
};

static const struct argp_option options[] = {
    {0, 'o', "FILE.png", 0, "Write a picture: .png, .jpg or .webp", 1},
    {"video", KEY_VIDEO, "FILE.mp4", 0, "Write a video: .mp4, .mkv or .mov (needs ffmpeg)", 1},
    {"time", KEY_TIME, "SECONDS", 0,
     "Moment of the picture, or start of the video (default: 0 of a recording, 2 of a scene)", 1},
    {"until", KEY_UNTIL, "SECONDS", 0, "End of the video (default: the end, or 5 s of a scene)", 1},
    {"fps", KEY_FPS, "NUMBER", 0, "Pictures a second of the video (default 30)", 1},
    {"speed", KEY_SPEED, "FACTOR", 0, "Speed of the video over real time (default 1)", 1},
    {"size", KEY_SIZE, "WIDTHxHEIGHT", 0, "Pixels (default 1280x720)", 2},
    {"follow", KEY_FOLLOW, "BODY", 0, "Move along with a body, by name or #NUMBER", 2},
    {"camera", KEY_CAMERA, "CAMERA", 0,
     "Look through a camera of the scene, by name or #NUMBER; "
     "its resolution is the size, unless --size is given", 2},
    {"zoom", KEY_ZOOM, "FACTOR", 0, "Come closer by this factor (default 1)", 2},
    {"azimuth", KEY_AZIMUTH, "DEGREES", 0, "Look from this direction about z, from x towards y (default -55)", 2},
    {"elevation", KEY_ELEVATION, "DEGREES", 0, "Look from this angle above the horizon (default 25)", 2},
    {"cones", KEY_CONES, 0, 0, "Show friction cones", 2},
    {"no-forces", KEY_NO_FORCES, 0, 0, "Show no contact forces", 2},
    {"collision", KEY_COLLISION, 0, 0, "Show the shapes that collide", 2},
    {"patience", KEY_PATIENCE, "SECONDS", 0, "How long the browser may take (default 300, and 5 for each picture)", 2},
    {"keyframe", KEY_KEYFRAME, "NAME", 0, "Of a scene: start from a keyframe", 3},
    {"method", KEY_METHOD, "NAME", 0, "Of a scene: method", 3},
    {"set", KEY_SET, "FIELD=VALUE", 0, "Of a scene: set a field of the configuration (repeatable)",
     3},
    {0}};

// A number within bounds that an option gives. Ends the program, with a message, where the text is no such number.
static double take_number(const char* text, double least, double most, struct argp_state* state, const char* name) {
  double value = 0;
  if (!parse_number(text, &value) || value < least || value > most)
    argp_error(state, "%s %s: want a number from %g to %g", name, text, least, most);
  return value;
}

// A moment of the simulation [s].
static double take_time(const char* text, struct argp_state* state, const char* name) {
  double value = 0;
  if (!parse_number(text, &value) || value < 0)
    argp_error(state, "%s %s: want a time in seconds, not negative", name, text);
  return value;
}

enum { SMALLEST_SIDE = 16, LARGEST_SIDE = 8192 }; // Bounds of the width and the height of a picture [pixels].

// Reads the size of the picture, in pixels.
static void take_size(const char* text, renderOptions* o, struct argp_state* state) {
  int end = 0;
  int read = sscanf(text, "%5dx%5d%n", &o->width, &o->height, &end);
  int is_size = read == 2 && !text[end] && !text[strspn(text, "0123456789x")];
  int is_wide = o->width >= SMALLEST_SIDE && o->width <= LARGEST_SIDE;
  int is_high = o->height >= SMALLEST_SIDE && o->height <= LARGEST_SIDE;
  if (!is_size || !is_wide || !is_high)
    argp_error(state, "--size %s: want WIDTHxHEIGHT, %d to %d pixels", text, SMALLEST_SIDE, LARGEST_SIDE);
}

// Appends an option and its value to the words that are passed on to holdfast run.
static void forward(renderOptions* o, const char* name, char* value, struct argp_state* state) {
  if (o->nforwarded + 2 > FORWARDED) argp_error(state, "too many options");
  o->forwarded[o->nforwarded++] = (char*)(uintptr_t)name;
  o->forwarded[o->nforwarded++] = value;
}

// Reads what to draw, the one argument, and checks at the end that the options go together.
static error_t parse_input(renderOptions* o, int key, char* argument, struct argp_state* state) {
  switch (key) {
  case ARGP_KEY_ARG:
    if (o->input) argp_error(state, "one scene or recording only, not also \"%s\"", argument);
    o->input = argument;
    return 0;

  case ARGP_KEY_END:
    if (!o->input) argp_error(state, "which scene or recording?");
    if (!o->picture == !o->video)
      argp_error(state, "give -o FILE.png or --video FILE.mp4%s", o->video ? ", not both" : "");
    if (!o->video && o->times.has_video_option)
      argp_error(state, "--until, --fps and --speed are those of --video FILE.mp4, not of a picture");
    if (o->view.camera && (o->view.follow || o->view.is_turned))
      argp_error(state, "--camera says where to look from: not also --follow, --zoom, --azimuth or --elevation");
    return 0;

  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const storedOption stored[] = {
    STORE_TEXT('o', renderOptions, picture),
    STORE_TEXT(KEY_VIDEO, renderOptions, video),
    STORE_TEXT(KEY_FOLLOW, renderOptions, view.follow),
    STORE_TEXT(KEY_CAMERA, renderOptions, view.camera),
    STORE_FLAG(KEY_CONES, renderOptions, cones),
    STORE_FLAG(KEY_NO_FORCES, renderOptions, no_forces),
    STORE_FLAG(KEY_COLLISION, renderOptions, collision),
    {0}};

// The parser of argp for the options of holdfast render; its input is the renderOptions.
static error_t parse(int key, char* argument, struct argp_state* state) {
  renderOptions* o = state->input;
  if (store_option(stored, o, key, argument)) return 0;

  switch (key) {
  case KEY_TIME:
    o->times.start = take_time(argument, state, "--time");
    return 0;
  case KEY_UNTIL:
    o->times.has_video_option = 1;
    o->times.end = take_time(argument, state, "--until");
    return 0;
  case KEY_FPS:
    o->times.has_video_option = 1;
    o->times.fps = take_number(argument, 1, 1000, state, "--fps");
    return 0;
  case KEY_SPEED:
    o->times.has_video_option = 1;
    o->times.speed = take_number(argument, 1e-3, 1e3, state, "--speed");
    return 0;

  case KEY_ZOOM:
    o->view.is_turned = 1;
    o->view.zoom = take_number(argument, 0.1, 1e3, state, "--zoom");
    return 0;
  case KEY_AZIMUTH:
    o->view.is_turned = 1;
    o->view.azimuth = take_number(argument, -360, 360, state, "--azimuth");
    return 0;
  case KEY_ELEVATION:
    o->view.is_turned = 1;
    o->view.elevation = take_number(argument, -90, 90, state, "--elevation");
    return 0;

  case KEY_PATIENCE:
    o->patience = take_number(argument, 1, 1e6, state, "--patience");
    return 0;
  case KEY_SIZE:
    take_size(argument, o, state);
    return 0;

  case KEY_KEYFRAME:
    forward(o, "--keyframe", argument, state);
    return 0;
  case KEY_METHOD:
    forward(o, "--method", argument, state);
    return 0;
  case KEY_SET:
    forward(o, "--set", argument, state);
    return 0;

  default:
    return parse_input(o, key, argument, state);
  }
}

const struct argp render_argp = {
    options,
    parse,
    "SCENE|RECORDING",
    "Draw a picture or a video of a scene or a recording without a screen, with headless "
    "Chromium.\vExamples:\n"
    "  holdfast render models/gripper_mug.xml --keyframe rim --time 2.4 -o mug.png\n"
    "  holdfast render run.rec --video run.mp4 --speed 0.5 --follow mug\n"
    "  holdfast render models/iiwa_pick.xml --keyframe home --camera iiwa_wrist -o seen.png",
    0,
    0,
    0};
