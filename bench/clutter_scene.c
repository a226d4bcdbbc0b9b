// Bodies stand on a grid of side x side columns above a bin, layer over layer, each of a shape, a size and an orientation that
// the seed draws. side is proportional to the cube root of the number of bodies, so that heaps of all numbers have the same
// shape: about twice as wide as high. A body fits into a ball of 5 cm radius, half the spacing of the grid: none overlaps
// another at the start. Contacts have a little torsional and rolling friction: without, round bodies rock and spin in place for ever,
// and no heap comes to rest.
#include "clutter_scene.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static const double SPACING = 0.1;      // of the grid [m]
static const double COLUMNS = 0.65;     // columns along one side of the bin, over the cube root of the number of bodies [-]
static const double CLEARANCE = 0.02;   // between the outermost bodies and the walls [m]
static const double WALL = 0.05;        // half the thickness of a wall [m]
static const double SMALLEST = 0.8;     // size of the smallest bodies over that of the largest [-]

typedef struct shape {
  const char* type;
  double size[3]; // of the largest body [m]; 0: the shape has fewer sizes
} shape;
static const shape shapes[] = {{"box", {0.03, 0.02, 0.034}},      {"sphere", {0.03}},
                               {"capsule", {0.02, 0.03}},         {"cylinder", {0.03, 0.03}},
                               {"ellipsoid", {0.02, 0.03, 0.04}}, {"mesh", {0}}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// A number of [0, 1) (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014: SplitMix64).
static double draw(uint64_t* state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void write_walls(FILE* out, double inside, double height) {
  double middle = inside + WALL, wide = inside + 2 * WALL, half = height / 2;
  fprintf(out, "    <geom name=\"floor\" type=\"plane\" size=\"9 9 1\"/>\n");
  for (int i = 0; i < 4; ++i) {
    double x = i == 0 ? middle : i == 1 ? -middle : 0, y = i == 2 ? middle : i == 3 ? -middle : 0;
    fprintf(out, "    <geom name=\"wall%d\" type=\"box\" pos=\"%.9g %.9g %.9g\" size=\"%.9g %.9g %.9g\"/>\n", i, x, y, half,
            x != 0 ? WALL : wide, x != 0 ? wide : WALL, half);
  }
}

// One body at a place of the grid. Its orientation is uniformly distributed (Shoemake, Graphics Gems III, 1992).
static void write_body(FILE* out, const double pos[3], uint64_t* state) {
  const double tau = 6.283185307179586;
  int kind = (int)(draw(state) * SHAPES);
  double scale = SMALLEST + (1 - SMALLEST) * draw(state);
  double u = draw(state), a = tau * draw(state), b = tau * draw(state);
  fprintf(out, "    <body pos=\"%.9g %.9g %.9g\" quat=\"%.9g %.9g %.9g %.9g\"><freejoint/><geom type=\"%s\" ", pos[0], pos[1],
          pos[2], sqrt(u) * cos(b), sqrt(1 - u) * sin(a), sqrt(1 - u) * cos(a), sqrt(u) * sin(b), shapes[kind].type);
  if (shapes[kind].size[0] == 0)
    fprintf(out, "mesh=\"gem\"");
  else {
    fprintf(out, "size=\"");
    for (int i = 0; i < 3 && shapes[kind].size[i] > 0; ++i) fprintf(out, "%s%.9g", i ? " " : "", scale * shapes[kind].size[i]);
    fprintf(out, "\"");
  }
  fprintf(out, "/></body>\n");
}

int clutter_scene_write(const char* path, int bodies, unsigned seed, const char* options, const char* flags) {
  uint64_t state = seed;
  int side = (int)fmax(1, floor(COLUMNS * cbrt(bodies) + 0.5));
  int layers = (bodies + side * side - 1) / (side * side);
  FILE* out = fopen(path, "w");
  if (!out) return -1;
  fprintf(out, "<mujoco model=\"clutter\">\n  <option timestep=\"0.005\" %s><flag %s/></option>\n  <size memory=\"2G\"/>\n", options,
          flags);
  fprintf(out, "  <asset>\n    <mesh name=\"gem\" vertex=\"0.035 0 0  -0.035 0 0  0 0.03 0  0 -0.03 0  0 0 0.04  0 0 -0.025  "
               "0.02 0.02 0.02  -0.02 -0.02 0.015\"/>\n  </asset>\n  <default>\n    <geom condim=\"6\" friction=\"0.6 0.005 0.001\"/>\n  </default>\n"
               "  <worldbody>\n");
  write_walls(out, 0.5 * side * SPACING + CLEARANCE, SPACING * (layers + 2));
  for (int i = 0; i < bodies; ++i) {
    int column = i % (side * side);
    double pos[3] = {SPACING * (column % side - 0.5 * (side - 1)), SPACING * (column / side - 0.5 * (side - 1)),
                     SPACING * (1 + i / (side * side))};
    write_body(out, pos, &state);
  }
  fprintf(out, "  </worldbody>\n</mujoco>\n");
  int failed = ferror(out);
  return fclose(out) == 0 && !failed ? 0 : -1;
}
