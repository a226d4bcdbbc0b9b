// The scenes: a gripper that closes on a mug and shakes it, an Allegro hand that closes on one and turns it, a box that is tossed,
// Newton's cradle, and a top.
#include "accuracy/accuracy.h"

#include "tamsi/allegro.h"

#include <math.h>

static const char TOSS[] = "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='5 5 1' friction='0.3'/><body pos='0 0 0.2'><freejoint/>"
                           "<geom type='box' size='.05 .05 .05' mass='.37' friction='0.3'/></body></worldbody></mujoco>";
#define BALL(x)                                                                                                        \
  "<body pos='" x " 0 1'><joint axis='0 1 0'/><geom type='sphere' size='.025' pos='0 0 -.5' mass='.5' friction='0'/></body>"
static const char CRADLE[] = "<mujoco><option timestep='0.002'/><custom><numeric name='hf.restitution' data='1'/></custom><worldbody>" BALL("0")
    BALL(".0502") BALL(".1004") BALL(".1506") BALL(".2008") "</worldbody></mujoco>";
static const char TOP[] = "<mujoco><option timestep='0.002'/><worldbody><body><joint type='ball'/><geom type='cylinder' size='.05 .005' pos='0 0 .05' density='2000' "
                          "contype='0' conaffinity='0'/></body></worldbody></mujoco>";

static void toss(world* w, const double* v) {
  for (int i = 0; i < 6; ++i) hf_state_mutable_v(w->state)[i] = v[i];
}
static void start_toss(world* w) { toss(w, (const double[6]){0.3, 0.8, 0, 1.3, -5.2, 3.6}); }
static void start_toss2(world* w) { toss(w, (const double[6]){-0.5, 0.6, 0, 1.5, 0.1, 2.2}); }
static void start_toss3(world* w) { toss(w, (const double[6]){-0.7, -0.5, 0, 2.4, 0.2, -1.9}); }
static void start_toss4(world* w) { toss(w, (const double[6]){-0.3, 0.6, 0, 0.2, 1.2, -3.0}); }
static void start_toss5(world* w) { toss(w, (const double[6]){1.0, -1.6, 0, -1.1, -1.9, 5.2}); }
static void start_cradle(world* w) { hf_state_mutable_q(w->state)[0] = 0.5; }
static void start_top(world* w) {
  double lean = 20 * 3.14159265358979323846 / 180;
  hf_state_mutable_q(w->state)[0] = cos(lean / 2), hf_state_mutable_q(w->state)[1] = sin(lean / 2);
  hf_state_mutable_v(w->state)[2] = 200;
}
static void control_hand(world* w) { allegro_targets(&allegro_soft, w->state->time, w->input->ctrl); }

const accuracyScene accuracy_tosses[ACCURACY_TOSSES] = {
    {.name = "toss", .xml = TOSS, .start = start_toss, .time = 0.6, .finest = 1e-5},   {.name = "toss 2", .xml = TOSS, .start = start_toss2, .time = 0.6, .finest = 1e-5},
    {.name = "toss 3", .xml = TOSS, .start = start_toss3, .time = 0.6, .finest = 1e-5}, {.name = "toss 4", .xml = TOSS, .start = start_toss4, .time = 0.6, .finest = 1e-5},
    {.name = "toss 5", .xml = TOSS, .start = start_toss5, .time = 0.6, .finest = 1e-5}};

const accuracyScene accuracy_scenes[ACCURACY_SCENES] = {
    {.name = "gripper", .file = "gripper_mug.xml", .keyframe = "rim", .time = 1, .finest = 1e-5},
    {.name = "allegro", .file = "allegro_mug.xml", .control = control_hand, .time = 1, .finest = 1e-5, .limits = 1},
    {.name = "toss", .xml = TOSS, .start = start_toss, .time = 0.6, .finest = 1e-5},
    {.name = "cradle", .xml = CRADLE, .start = start_cradle, .time = 1, .finest = 1e-5, .bounces = 1},
    {.name = "top", .xml = TOP, .start = start_top, .time = 0.5, .finest = 1e-5},
};
