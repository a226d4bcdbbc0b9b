// Random worlds as MJCF text. Sizes, densities, gains, speeds and steps are drawn uniformly in their logarithm, so that
// ratios of a million between the parts of one world are as frequent as ratios of one.
#include "stress/world.h"

#include "support/random.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

enum { MAX_NAMES = 64, LIST_TEXT = 8192 };

// What a world of a class has. Probabilities [-].
typedef struct recipe {
  const char* name;
  double contacts, free_roots, drives, ties, springs, limits;
} recipe;

static const recipe RECIPES[WORLD_CLASSES] = {
    {"spinning", 0, 0.3, 0, 0, 0, 0},
    {"driven", 0, 0.15, 0.7, 0, 0.3, 0.4},
    {"touching", 1, 0.7, 0, 0, 0.2, 0.1},
    {"tied", 0, 0.2, 0, 1, 0.2, 0.1},
    {"mixed", 1, 0.4, 0.4, 0.5, 0.2, 0.3},
};

typedef struct list {
  char text[LIST_TEXT];
  size_t length;
} list;

typedef struct writer {
  testRandom random;
  const recipe* recipe;
  char* text;
  size_t length, capacity;
  list qpos, qvel, ctrl;            // of the keyframe
  int nbody, ngeom, njoint, nmesh;  // numbers of names so far
  int scalar[MAX_NAMES], nscalar;   // hinges and slides
  int limited[MAX_NAMES], nlimited; // those with limits
  double speed;                     // largest initial speed of the world [m/s or rad/s]
  double spread;                    // room in which the trees start [m]
} writer;

const char* world_class_name(int of_class) { return RECIPES[of_class].name; }
int world_class(uint64_t seed) { return (int)(seed % WORLD_CLASSES); }

// ---- text ---------------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static void put(writer* w, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(w->text + w->length, w->capacity - w->length, format, arguments);
  va_end(arguments);
  assert(n >= 0 && (size_t)n < w->capacity - w->length);
  w->length += (size_t)n;
}

static void append(list* l, double x) {
  int n = snprintf(l->text + l->length, LIST_TEXT - l->length, " %.9g", x);
  assert(n >= 0 && (size_t)n < LIST_TEXT - l->length);
  l->length += (size_t)n;
}

static double uniform(writer* w, double lo, double hi) { return random_uniform(&w->random, lo, hi); }
static double spread_log(writer* w, double lo, double hi) { return random_log(&w->random, lo, hi); }
static int chance(writer* w, double p) { return random_chance(&w->random, p); }
static int choose(writer* w, int n) { return random_int(&w->random, n); }

static void put_vector(writer* w, const char* name, double size) {
  double x = uniform(w, -size, size), y = uniform(w, -size, size), z = uniform(w, -size, size);
  put(w, " %s=\"%.6g %.6g %.6g\"", name, x, y, z);
}

static void draw_rotation(writer* w, double quat[4]) {
  double n = 0;
  for (int i = 0; i < 4; ++i) quat[i] = random_normal(&w->random), n += quat[i] * quat[i];
  for (int i = 0; i < 4; ++i) quat[i] /= sqrt(n);
}

// C leaves open which argument of a call is evaluated first. So that a seed gives the same world everywhere, at most one argument of a call, and one
// factor of a product, is random.

// ---- bodies -------------------------------------------------------------------------------------

static const char* const SHAPES[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"};
enum { MESH = 5, SHAPE_COUNT = 6 };

static void put_geom(writer* w, double size) {
  int shape = choose(w, SHAPE_COUNT), touches = chance(w, w->recipe->contacts);
  put(w, "<geom name=\"g%d\" type=\"%s\" density=\"%.4g\"", w->ngeom, SHAPES[shape], spread_log(w, 10, 2e4));
  if (shape == MESH) put(w, " mesh=\"m%d\"", choose(w, w->nmesh));
  else {
    double a = size * uniform(w, 0.5, 1), b = size * uniform(w, 0.2, 1), c = size * uniform(w, 0.2, 1);
    put(w, " size=\"%.6g %.6g %.6g\"", a, b, c);
  }
  put_vector(w, "pos", 0.5 * size);
  if (chance(w, 0.5)) put_vector(w, "euler", 180);
  static const int DIMENSIONS[] = {1, 3, 3, 3, 4, 6};
  double friction = uniform(w, 0, 1.5);
  put(w, " condim=\"%d\" friction=\"%.3g 0.005 0.0001\"", DIMENSIONS[choose(w, 6)], friction);
  put(w, touches ? "/>\n" : " contype=\"0\" conaffinity=\"0\"/>\n");
  w->ngeom++;
}

static void start_turned(writer* w) {
  double quat[4];
  draw_rotation(w, quat);
  for (int i = 0; i < 4; ++i) append(&w->qpos, quat[i]);
}

static void start_moving(writer* w, int n) {
  for (int i = 0; i < n; ++i) append(&w->qvel, uniform(w, -w->speed, w->speed));
}

static void put_free_joint(writer* w) {
  put(w, "<freejoint name=\"j%d\"/>\n", w->njoint++);
  append(&w->qpos, uniform(w, -w->spread, w->spread));
  append(&w->qpos, uniform(w, -w->spread, w->spread));
  append(&w->qpos, uniform(w, 0, 2 * w->spread));
  start_turned(w);
  for (int i = 0; i < 3; ++i) append(&w->qvel, uniform(w, -0.1, 0.1) * w->speed);
  start_moving(w, 3);
}

static void put_ball_joint(writer* w, double size) {
  put(w, "<joint name=\"j%d\" type=\"ball\"", w->njoint++);
  put_vector(w, "pos", size);
  if (chance(w, 0.3)) put(w, " damping=\"%.4g\"", spread_log(w, 1e-4, 10));
  put(w, "/>\n");
  start_turned(w);
  start_moving(w, 3);
}

static void put_scalar_joint(writer* w, double size) {
  int slides = chance(w, 0.25);
  put(w, "<joint name=\"j%d\" type=\"%s\"", w->njoint, slides ? "slide" : "hinge");
  put_vector(w, "axis", 1);
  if (!slides) put_vector(w, "pos", size);
  if (chance(w, 0.3)) put(w, " damping=\"%.4g\"", spread_log(w, 1e-4, 100));
  if (chance(w, 0.3)) put(w, " armature=\"%.4g\"", spread_log(w, 1e-6, 1));
  if (chance(w, 0.2)) put(w, " frictionloss=\"%.4g\"", spread_log(w, 1e-3, 10));
  if (chance(w, w->recipe->springs)) {
    double rest = uniform(w, -1, 1);
    put(w, " stiffness=\"%.4g\" springref=\"%.4g\"", spread_log(w, 0.1, 1e5), rest);
  }
  if (chance(w, w->recipe->limits)) {
    double upper = uniform(w, 0.1, 1) * (slides ? 1 : 57);
    put(w, " range=\"%.4g %.4g\"", uniform(w, -1, -0.1) * (slides ? 1 : 57), upper);
    if (w->nlimited < MAX_NAMES) w->limited[w->nlimited++] = w->njoint;
  }
  put(w, "/>\n");
  if (w->nscalar < MAX_NAMES) w->scalar[w->nscalar++] = w->njoint;
  w->njoint++;
  append(&w->qpos, slides ? uniform(w, -0.3, 0.3) : uniform(w, -1, 1));
  append(&w->qvel, uniform(w, -1, 1) * w->speed * (slides ? 0.1 : 1));
}

static void put_joints(writer* w, int is_root, double size) {
  if (is_root && chance(w, w->recipe->free_roots)) put_free_joint(w);
  else if (chance(w, 0.2)) put_ball_joint(w, size);
  else
    for (int left = 1 + choose(w, 6) / 4; left > 0; --left) put_scalar_joint(w, size);
}

// A body with its joints and up to two children.
static void put_body(writer* w, int depth) {
  double size = spread_log(w, 0.01, 0.3);
  put(w, "<body name=\"b%d\"", w->nbody++);
  if (depth == 0) {
    double x = uniform(w, -w->spread, w->spread), y = uniform(w, -w->spread, w->spread);
    put(w, " pos=\"%.6g %.6g %.6g\"", x, y, uniform(w, 0, 2 * w->spread));
  } else put_vector(w, "pos", 0.3);
  if (chance(w, 0.5)) put_vector(w, "euler", 180);
  put(w, ">\n");
  put_joints(w, depth == 0, size);
  for (int left = 1 + choose(w, 4) / 3; left > 0; --left) put_geom(w, size);
  for (int left = depth < 5 ? (choose(w, 10) + 4) / 6 : 0; left > 0; --left) put_body(w, depth + 1);
  put(w, "</body>\n");
}

// ---- what acts between bodies -----------------------------------------------------------------------

static void put_drive(writer* w, int joint) {
  static const char* const KINDS[] = {"position", "velocity", "motor"};
  int kind = choose(w, 3);
  put(w, "<%s joint=\"j%d\"", KINDS[kind], joint);
  if (kind == 0) {
    double damping = spread_log(w, 1e-3, 1e3);
    put(w, " kp=\"%.4g\" kv=\"%.4g\"", spread_log(w, 1, 1e6), damping);
  }
  if (kind == 1) put(w, " kv=\"%.4g\"", spread_log(w, 1e-3, 1e4));
  if (kind < 2 && chance(w, 0.5)) {
    double upper = spread_log(w, 1, 1e3);
    put(w, " forcerange=\"-%.4g %.4g\"", spread_log(w, 1, 1e3), upper);
  }
  put(w, "/>\n");
  double share = uniform(w, -1, 1);
  append(&w->ctrl, kind == 2 ? share * spread_log(w, 0.01, 10) : share);
}

static void put_drives(writer* w) {
  put(w, "<actuator>\n");
  for (int i = 0; i < w->nscalar; ++i)
    if (chance(w, w->recipe->drives)) put_drive(w, w->scalar[i]);
  put(w, "</actuator>\n");
}

static int tendon_count(const writer* w) { return w->recipe->ties > 0 && w->nscalar > 2 ? 1 : 0; }

static void put_tendons(writer* w) {
  if (!tendon_count(w)) return;
  double damping = spread_log(w, 1e-3, 10);
  put(w, "<tendon><fixed name=\"t\" stiffness=\"%.4g\" damping=\"%.4g\">\n", spread_log(w, 0.1, 1e4), damping);
  for (int i = 0; i < 3; ++i) put(w, "<joint joint=\"j%d\" coef=\"%.3g\"/>", w->scalar[i], uniform(w, -1, 1));
  put(w, "</fixed></tendon>\n");
}

static void put_equalities(writer* w) {
  int kinds = w->nbody > 1 ? 3 : 1;
  put(w, "<equality>\n");
  for (int left = 1 + choose(w, 2); left > 0; --left) {
    int kind = choose(w, kinds), a = choose(w, w->nbody), b = w->nbody > 1 ? (a + 1 + choose(w, w->nbody - 1)) % w->nbody : 0;
    if (kind == 0 && w->nscalar > 1) put(w, "<joint joint1=\"j%d\" joint2=\"j%d\"/>\n", w->scalar[0], w->scalar[1]);
    if (kind == 1) put(w, "<connect body1=\"b%d\" body2=\"b%d\" anchor=\"0 0 0\"/>\n", a, b);
    if (kind == 2) put(w, "<weld body1=\"b%d\" body2=\"b%d\"/>\n", a, b);
  }
  put(w, "</equality>\n");
}

// Distance, its rate and force of every limit: what limits do is known by them (judge.c). A step computes forces of equalities only where
// there is a sensor, so that every world has a clock.
static void put_sensors(writer* w) {
  put(w, "<sensor>\n");
  for (int i = 0; i < w->nlimited; ++i)
    for (int k = 0; k < WORLD_LIMIT_SENSORS; ++k)
      put(w, "<%s joint=\"j%d\"/>", (const char*[]){"jointlimitpos", "jointlimitvel", "jointlimitfrc"}[k], w->limited[i]);
  put(w, "<clock/>\n</sensor>\n");
}

// ---- the world ------------------------------------------------------------------------------------

static void put_meshes(writer* w) {
  put(w, "<asset>\n");
  for (w->nmesh = 0; w->nmesh < 2; ++w->nmesh) {
    double size = spread_log(w, 0.02, 0.3);
    put(w, "<mesh name=\"m%d\" vertex=\"", w->nmesh);
    for (int i = 0; i < 12; ++i)
      for (int k = 0; k < 3; ++k) put(w, "%.6g ", uniform(w, -size, size));
    put(w, "\"/>\n");
  }
  put(w, "</asset>\n");
}

static void put_options(writer* w) {
  double g = chance(w, 0.85) ? -9.81 : 0;
  put(w, "<option timestep=\"%.5g\" gravity=\"0 0 %g\" integrator=\"implicitfast\"/>\n", spread_log(w, 1e-4, 2e-2), g);
}

size_t world_write(uint64_t seed, char* text, size_t capacity) {
  static const writer EMPTY;
  writer w = EMPTY;
  w.random.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
  w.recipe = &RECIPES[world_class(seed)];
  w.text = text, w.capacity = capacity;
  w.speed = chance(&w, 0.3) ? 0 : spread_log(&w, 0.1, 100);
  w.spread = chance(&w, 0.2) ? 0.1 : uniform(&w, 0.3, 2);
  put(&w, "<mujoco model=\"%s %llu\">\n", w.recipe->name, (unsigned long long)seed);
  put_options(&w);
  put_meshes(&w);
  put(&w, "<worldbody>\n");
  if (w.recipe->contacts > 0) put(&w, "<geom type=\"plane\" size=\"10 10 1\" pos=\"0 0 %.3g\"/>\n", uniform(&w, -1, 0));
  for (int left = 1 + choose(&w, 4); left > 0; --left) put_body(&w, 0);
  put(&w, "</worldbody>\n");
  put_tendons(&w);
  if (w.recipe->ties > 0) put_equalities(&w);
  if (w.recipe->drives > 0) put_drives(&w);
  put_sensors(&w);
  put(&w, "<keyframe><key qpos=\"%s\" qvel=\"%s\"", w.qpos.text, w.qvel.text);
  if (w.ctrl.length) put(&w, " ctrl=\"%s\"", w.ctrl.text);
  put(&w, "/></keyframe>\n</mujoco>\n");
  return w.length;
}
