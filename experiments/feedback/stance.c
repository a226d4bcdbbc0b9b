// Feet that stand stick, whatever the step.
//
// A leg of three joints on a point foot has contact force f = K^T (bias - tau) but for its own small inertia
// (K the inverse of its Jacobian, f on the foot), whatever the body does. So torques kept in a box about
// -J^T f_plan keep the foot's force about f_plan:
//
//   tau_j = bias_j - J_j . f_plan + u_j,  |u_j| <= b_j      f = f_plan - sum_j K_j u_j
//
// With f_plan = N up and b_j = share mu N/(3 (|K_j,t| + mu |K_j,n|)) the force stays within the cone. The step itself
// finds u: a velocity target of limit b_j.
//
//   loads       the weight, shared by the feet that stand; a foot takes its part over a while after touch-down
//               and gives it away before lift-off, and b with it
//   velocities  feet that stand get -(v_b + w x p), one twist of the body at the points that touch: towards the
//               plan by their common error, and level. Feet in the air go where the plan wants them over the
//               ground, the last step before a landing over the place of landing; a foot that lands moves with the
//               ground and comes down slowly until it touches.
#include "feedback/stance.h"

#include <math.h>

static const double FOOT_RADIUS = 0.01; // [m]
static const double FRICTION = 1;
static const double SHARE = 0.8;        // of the cone that tracking may use
static const double LOAD_TIME = 0.06;   // in which a foot takes its load [s]
static const double LEAST_LOAD = 0.1;   // share of a foot that has just landed
static const double TRACK_TIME = 0.05, LEVEL_TIME = 0.1; // in which the body returns to its place, height and level [s]
static const double LANDING_SPEED = 0.01; // of a foot that should have touched [m/s]

typedef struct stance {
  const stanceSense* in;
  double time, h, end;
  int stands[LEGS];
  double load[LEGS]; // [N]
  hfVec3 foot[LEGS]; // centres, in the body's frame
  hfVec3 error;      // mean of the standing feet's
} stance;

// Loads rise and fall over LOAD_TIME.
static double load_share(const stance* s, int leg) {
  double since = plan_cycle(leg, s->time), until = gait.duty * gait.period - since;
  return fmax(LEAST_LOAD, fmin(1, fmin(since + s->h, until) / LOAD_TIME));
}

static void find_stance(stance* s) {
  double sum = 0, count = 0;
  for (int leg = 0; leg < LEGS; ++leg) {
    hfVec3 goal = plan_leg(leg, s->time).p, p = s->foot[leg] = leg_foot(leg, s->in->q + FIRST_Q + 3 * leg);
    s->stands[leg] = plan_stands(leg, s->time, s->end) && s->in->touches[leg];
    s->load[leg] = s->stands[leg] ? load_share(s, leg) : 0;
    sum += s->load[leg];
    if (!s->stands[leg]) continue;
    s->error.x += goal.x - p.x, s->error.y += goal.y - p.y, s->error.z += goal.z - p.z;
    count++;
  }
  for (int leg = 0; leg < LEGS && count > 0; ++leg) s->load[leg] *= s->in->weight / sum;
  if (count > 0) s->error.x /= count, s->error.y /= count, s->error.z /= count;
}

// The ground under the point p as the body shall see it move: -(v_b + w x p), w = (e_z x up)/T turns it level.
static hfVec3 ground_velocity(const stance* s, hfVec3 p) {
  double place = fmax(TRACK_TIME, s->h), level = fmax(LEVEL_TIME, s->h), wx = -s->in->up.y / level, wy = s->in->up.x / level;
  hfVec3 v = {s->error.x / place - gait.speed - wy * p.z, s->error.y / place + wx * p.z, s->error.z / level - (wx * p.y - wy * p.x)};
  return v;
}

// Of a foot that swings or lands.
static hfVec3 swing_velocity(const stance* s, int leg) {
  legPlan plan = plan_leg(leg, s->end), next = plan_leg(leg, s->end + s->h);
  hfVec3 goal = plan.p, p = s->foot[leg], up = s->in->up;
  if (!plan.stance && next.stance) goal.x = next.p.x + gait.speed * s->h, goal.y = next.p.y;
  double lift = plan.p.z + 0.13, body = s->in->q[2] + s->h * s->in->height_rate; // the plan's body is 0.13 m above its feet
  if (plan.stance) lift -= LANDING_SPEED * s->h;
  goal.z = (FOOT_RADIUS + lift - body - up.x * p.x - up.y * p.y) / up.z;
  hfVec3 v = {(goal.x - p.x) / s->h, (goal.y - p.y) / s->h, (goal.z - p.z) / s->h};
  if (!plan.stance) return v;
  hfVec3 ground = ground_velocity(s, p);
  return (hfVec3){ground.x, ground.y, v.z};
}

// Largest torque about the planned one that keeps the foot's force in its cone.
static double cone_limit(double load, hfVec3 K, hfVec3 up) {
  double n = fabs(leg_dot(K, up)), t = sqrt(fmax(0, leg_dot(K, K) - n * n));
  return SHARE * FRICTION * load / (3 * (t + FRICTION * n));
}

static void control_leg(const stance* s, int leg, double* torque, double* velocity, double* limit) {
  hfVec3 J[3], K[3], p = s->foot[leg], up = s->in->up, v = swing_velocity(s, leg);
  if (s->stands[leg]) {
    p.x -= FOOT_RADIUS * up.x, p.y -= FOOT_RADIUS * up.y, p.z -= FOOT_RADIUS * up.z;
    v = ground_velocity(s, p);
  }
  leg_jacobian(leg, s->in->q + FIRST_Q + 3 * leg, p, J);
  leg_inverse_jacobian(J, K);
  for (int j = 0; j < 3; ++j) {
    double most = s->in->limit, wanted = s->in->bias[3 * leg + j] - s->load[leg] * leg_dot(J[j], up);
    torque[j] = fmax(-most, fmin(most, wanted));
    limit[j] = most - fabs(torque[j]);
    if (s->stands[leg]) limit[j] = fmin(limit[j], cone_limit(s->load[leg], K[j], up));
    velocity[j] = leg_dot(K[j], v);
  }
}

void stance_control(const stanceSense* in, double time, double h, double* torque, double* velocity, double* limit) {
  stance s = {.in = in, .time = time, .h = h, .end = time + h};
  find_stance(&s);
  for (int leg = 0; leg < LEGS; ++leg) control_leg(&s, leg, torque + 3 * leg, velocity + 3 * leg, limit + 3 * leg);
}
