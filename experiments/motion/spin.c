// Long and flat shapes that spin: none passes a thin wall, or another body, whatever its speed, spin and step.
//
// The shots are drawn by splitmix64 (Steele, Lea, Flood 2014): attitude, speed, spin and step. No gravity acts and nothing is
// elastic, so that energy can only fall. With --out every shot is a line of spinning.csv.
#include "motion/motion.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static double draw(uint64_t* seed) { // uniform in [0, 1)
  uint64_t z = *seed += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double draw_logarithmic(uint64_t* seed, double low, double high) { return low * pow(high / low, draw(seed)); }

// A random direction with the given length.
static hfVec3 draw_direction(uint64_t* seed, double length) {
  double z = 2 * draw(seed) - 1, angle = 6.283185307179586 * draw(seed), r = sqrt(1 - z * z);
  hfVec3 d = {length * r * cos(angle), length * r * sin(angle), length * z};
  return d;
}

static double size_of(hfVec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

// ---- what is shot, and at what ----------------------------------------------------------------------

// A wall across the x axis at x = 0, as MJCF of the world. Its body, if it has one, is the first of the scene.
typedef struct wallKind {
  const char *name, *mjcf;
  double speed; // of a wall on a slide, towards the shot [m/s]
  double half;  // half the width across which it cannot be gone around [m]
} wallKind;

typedef struct shapeKind { const char *name, *mjcf; } shapeKind;

typedef struct survey {
  const char* name;
  const shapeKind* shapes;
  const wallKind* walls;
  int nshape, nwall, shots;
  uint64_t seed;
} survey;

typedef struct shot {
  const shapeKind* shape;
  const wallKind* wall;
  hfVec3 axis, spin;         // the attitude is a turn by 180 degrees about the axis; in the body [rad/s]
  hfVec3 wall_spin;          // of a free wall [rad/s]
  double speed, slope, step; // forward [m/s], sideways over forward, [s]
} shot;

// What a survey has found.
typedef struct passageTally {
  int through;
  double gain; // largest energy over that of the start, less 1 [-]
} passageTally;

static shot draw_shot(const survey* s, uint64_t* seed, int number) {
  static const double steps[4] = {1e-3, 2e-3, 5e-3, 1e-2};
  shot out = {.shape = &s->shapes[number % s->nshape], .wall = &s->walls[number / s->nshape % s->nwall]};
  double spin = number % 2 ? draw_logarithmic(seed, 1, 2000) : 0;
  out.speed = draw_logarithmic(seed, 0.5, 300);
  out.slope = 2 * draw(seed) - 1;
  out.axis = draw_direction(seed, 1);
  out.spin = draw_direction(seed, spin);
  out.wall_spin = draw_direction(seed, draw_logarithmic(seed, 0.1, 100));
  out.step = steps[(int)(4 * draw(seed))];
  return out;
}

static int open_shot(const shot* s, world* w) {
  static const char* const meshes =
      "<mesh name='shard' vertex='-.1 0 0 .12 .01 0 .02 .03 .005 0 -.02 .012 -.03 .01 -.015 .05 -.02 -.01'/>"
      "<mesh name='blade' vertex='-.1 -.01 0 .1 -.015 0 .08 .02 0 -.09 .01 0 0 0 .004'/>"
      "<mesh name='pane' vertex='-.0005 -6 -6 .0005 -6 -6 -.0005 6 -6 .0005 6 -6 -.0005 0 6 .0005 0 6'/>";
  char xml[1500];
  // A free wall stands in the way where the shot arrives with its sideways speed.
  snprintf(xml, sizeof xml,
           "<mujoco><option gravity='0 0 0'/><asset>%s</asset><worldbody>%s<body pos='-.33 %.17g 0' quat='0 %.17g %.17g %.17g'>"
           "<freejoint/>%s</body></worldbody></mujoco>",
           meshes, s->wall->mjcf, -0.33 * s->slope, s->axis.x, s->axis.y, s->axis.z, s->shape->mjcf);
  if (motion_open(w, xml, s->step) != CLI_GOOD) return CLI_FAILED;
  int first = w->model->nv - 6; // dof of the shot; those of the wall, if it has any, are before
  double* v = hf_state_mutable_v(w->state);
  if (first == 1) v[0] = -s->wall->speed;
  if (first == 6) v[3] = s->wall_spin.x, v[4] = s->wall_spin.y, v[5] = s->wall_spin.z;
  v[first] = s->speed, v[first + 1] = s->slope * s->speed;
  v[first + 3] = s->spin.x, v[first + 4] = s->spin.y, v[first + 5] = s->spin.z;
  return CLI_GOOD;
}

// ---- flight -----------------------------------------------------------------------------------------

// Where the shot's centre of mass is, seen from the wall: in the axes of the wall's geom.
static hfVec3 place_behind_wall(const world* w, const hfDynamics* d) {
  hfVec3 p = hf_dynamics_com(d, w->model->nbody - 1);
  hfPose wall = hf_dynamics_body_pose(d, w->model->nbody - 2);
  double x[3] = {p.x - wall.p.x, p.y - wall.p.y, p.z - wall.p.z}, out[3] = {0, 0, 0};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) out[i] += wall.R.m[3 * k + i] * x[k];
  hfVec3 local = {out[0], out[1], out[2]};
  return local;
}

// Whether it came from before the wall to behind it, and not around it.
static int passed(hfVec3 before, hfVec3 after, double half) {
  return before.x < 0 && after.x > 0 && fmax(fabs(before.y), fabs(before.z)) < half && fmax(fabs(after.y), fabs(after.z)) < half;
}

// Takes the steps in which the shot would fly a metre, at least 30. Returns CLI_GOOD, *through: it passed the wall.
static int fly(const shot* s, world* w, double* gain, int* through) {
  motionBalance balance = {0};
  int status = motion_weigh(&balance, w);
  double start = balance.energy, end = fmax(1 / s->speed, 30 * s->step);
  hfVec3 before = status == CLI_GOOD ? place_behind_wall(w, balance.dynamics) : (hfVec3){0, 0, 0};
  *through = 0;
  while (status == CLI_GOOD && w->state->time < end && !*through) {
    status = world_step(w, 1, NULL);
    if (status == CLI_GOOD) status = motion_weigh(&balance, w);
    if (status != CLI_GOOD) break;
    hfVec3 after = place_behind_wall(w, balance.dynamics);
    *through = passed(before, after, s->wall->half);
    *gain = fmax(*gain, balance.energy / start - 1);
    before = after;
  }
  motion_balance_free(&balance);
  return status;
}

static void write_shot(FILE* table, const survey* s, const shot* now, double gain, int through) {
  if (table)
    fprintf(table, "%s,%s,%s,%g,%g,%g,%g,%d,%.3g\n", s->name, now->shape->name, now->wall->name, now->speed, now->slope,
            size_of(now->spin), now->step, through, gain);
}

static int run_survey(const survey* s, FILE* table, passageTally* t) {
  uint64_t seed = s->seed;
  for (int i = 0; i < s->shots; ++i) {
    shot now = draw_shot(s, &seed, i);
    world w;
    double gain = -1;
    int through;
    if (open_shot(&now, &w) != CLI_GOOD) return CLI_FAILED;
    int status = fly(&now, &w, &gain, &through);
    world_close(&w);
    if (status != CLI_GOOD) return CLI_FAILED;
    t->through += through;
    t->gain = fmax(t->gain, gain);
    write_shot(table, s, &now, gain, through);
  }
  return CLI_GOOD;
}

// ---- surveys ----------------------------------------------------------------------------------------

static const shapeKind LONG_AND_FLAT[] = {
    {"rod", "<geom type='cylinder' size='.005 .1'/>"},
    {"disc", "<geom type='cylinder' size='.08 .002'/>"},
    {"plate", "<geom type='box' size='.08 .06 .001'/>"},
    {"long ellipsoid", "<geom type='ellipsoid' size='.1 .01 .02'/>"},
    {"flat ellipsoid", "<geom type='ellipsoid' size='.06 .05 .004'/>"},
    {"capsule", "<geom type='capsule' size='.004 .1'/>"},
    {"long box", "<geom type='box' size='.1 .006 .004'/>"},
    {"shard", "<geom type='mesh' mesh='shard'/>"},
    {"bar", "<geom type='box' size='.1 .02 .01'/>"},
};
static const wallKind WALL[] = {{"1 mm", "<body><geom type='box' size='.0005 5 5'/></body>", 0, 5}};

static const shapeKind OTHERS[] = {
    {"wire", "<geom type='capsule' size='.002 .15'/>"},
    {"nail", "<geom type='cylinder' size='.003 .07'/>"},
    {"coin", "<geom type='cylinder' size='.05 .0005'/>"},
    {"ruler", "<geom type='box' size='.12 .003 .002'/>"},
    {"sheet", "<geom type='box' size='.05 .05 .0004'/>"},
    {"leaf", "<geom type='ellipsoid' size='.004 .07 .03'/>"},
    {"blade", "<geom type='mesh' mesh='blade'/>"},
    {"hammer", "<geom type='capsule' size='.005 .05' pos='0 0 .05'/><geom type='box' size='.03 .01 .01' pos='0 0 .11'/>"},
    {"cross", "<geom type='box' size='.06 .004 .004'/><geom type='box' size='.004 .06 .004'/>"},
    {"needle", "<geom type='ellipsoid' size='.003 .003 .12'/>"},
    {"shard", "<geom type='mesh' mesh='shard'/>"},
};
static const wallKind OTHER_WALLS[] = {
    {"0.2 mm", "<body><geom type='box' size='.0001 5 5'/></body>", 0, 5},
    {"hull", "<body><geom type='mesh' mesh='pane'/></body>", 0, 2},
    {"light slide", "<body><joint type='slide' axis='1 0 0'/><geom type='box' size='.0005 5 5' mass='.05'/></body>", 2, 5},
    {"heavy slide", "<body><joint type='slide' axis='1 0 0'/><geom type='box' size='.0005 5 5' mass='500'/></body>", 30, 5},
    {"spinning pane", "<body><freejoint/><geom type='box' size='.0005 .2 .2'/></body>", 0, 0.15},
};

int motion_spin(const experimentOptions* options, result* r) {
  survey first = {"first", LONG_AND_FLAT, WALL, 9, 1, options->quick ? 90 : 180, 13};
  survey other = {"held out", OTHERS, OTHER_WALLS, 11, 5, options->quick ? 110 : 550, 2026};
  passageTally t = {0}, u = {0};
  FILE* table = result_open(r, "spinning.csv");
  if (table) fprintf(table, "survey,shape,wall,speed [m/s],slope,spin [rad/s],step [s],through,gain\n");
  int status = run_survey(&first, table, &t);
  if (status == CLI_GOOD) status = run_survey(&other, table, &u);
  if (table) result_close(r, table);
  if (status != CLI_GOOD) return status;
  result_figure(r, "spinning_shots", first.shots + other.shots, "");
  result_must(r, "spinning", "long and flat shapes of up to 300 m/s and 2000 rad/s that pass a wall of 1 mm", t.through, "none",
              t.through == 0, 0);
  result_must(r, "spinning_held_out", "others that pass walls of 0.2 mm, hulls, moving and spinning walls", u.through, "none",
              u.through == 0, 0);
  result_must(r, "spinning_energy", "largest gain of energy in these shots", fmax(t.gain, u.gain), "at most 1e-9",
              fmax(t.gain, u.gain) <= 1e-9, 0);
  return CLI_GOOD;
}
