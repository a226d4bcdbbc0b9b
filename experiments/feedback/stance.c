// Feet that stand stick, whatever the step.
//
// A leg with three joints and a point foot has the contact force f = K^T (bias - tau) on its foot, whatever the body does;
// only the small inertia of the leg is neglected. K is the inverse of its Jacobian J. So if the torques stay in a box about
// -J^T f_plan, the force of the foot stays near f_plan:
//
//   tau_j = bias_j - J_j . f_plan + u_j,  |u_j| <= b_j      f = f_plan - sum_j K_j u_j
//
// With f_plan = N up and b_j = share mu N/(3 (|K_j,t| + mu |K_j,n|)) the force stays within the cone. The step
// itself finds u: it is the force of a velocity target with the limit b_j.
//
//   loads       the feet that stand share the weight. The load of a foot, and b with it, grows during LOAD_TIME after
//               touch-down and falls before lift-off
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
static const double SWING_TIME = 0.01;    // in which a foot in the air returns to its plan [s]
static const double LANDING_SPEED = 0.01; // of a foot that should have touched [m/s]

typedef struct stance {
  const stanceSense* in;
  double time, h, end;
  int stands[LEGS];
  double load[LEGS]; // [N]
  hfVec3 foot[LEGS]; // centres, in the body's frame
  hfVec3 error;      // mean of the standing feet's
} stance;

// The lowest point of a foot, where it touches the ground.
static hfVec3 sole(const stance* s, int leg) {
  hfVec3 p = s->foot[leg], up = s->in->up;
  return (hfVec3){p.x - FOOT_RADIUS * up.x, p.y - FOOT_RADIUS * up.y, p.z - FOOT_RADIUS * up.z};
}

// Loads rise and fall over LOAD_TIME.
static double load_share(const stance* s, int leg) {
  double since = plan_cycle(leg, s->time), until = gait.duty * gait.period - since;
  return fmax(LEAST_LOAD, fmin(1, fmin(since + s->h, until) / LOAD_TIME));
}

static void find_stance(stance* s) {
  double sum = 0, count = 0;
  for (int leg = 0; leg < LEGS; ++leg) {
    hfVec3 goal = plan_leg(leg, s->time).p, p = s->foot[leg] = leg_foot(leg, s->in->q + FIRST_Q + 3 * leg);
    s->stands[leg] = plan_stands(leg, s->time, s->end) && s->in->pressed[leg] > 0;
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

// The ground under the point p as the body sees it move now: -(v_b + w x p), in the body's frame.
static hfVec3 present_ground_velocity(const stance* s, hfVec3 p) {
  const double *q = s->in->q + 3, *v = s->in->v;
  hfVec3 ahead = {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]), 2 * (q[1] * q[3] + q[0] * q[2])};
  hfVec3 aside = {2 * (q[1] * q[2] + q[0] * q[3]), 1 - 2 * (q[1] * q[1] + q[3] * q[3]), 2 * (q[2] * q[3] - q[0] * q[1])};
  hfVec3 up = s->in->up, w = {v[3], v[4], v[5]};
  hfVec3 ground = {-(ahead.x * v[0] + aside.x * v[1] + up.x * v[2]) - (w.y * p.z - w.z * p.y),
                   -(ahead.y * v[0] + aside.y * v[1] + up.y * v[2]) - (w.z * p.x - w.x * p.z),
                   -(ahead.z * v[0] + aside.z * v[1] + up.z * v[2]) - (w.x * p.y - w.y * p.x)};
  return ground;
}

// The same for a foot that lands during the step: by its end the body is as much closer to its plan as the step is long.
static hfVec3 landing_velocity(const stance* s, hfVec3 p) {
  hfVec3 now = present_ground_velocity(s, p), planned = ground_velocity(s, p);
  double share = fmin(1, s->h / TRACK_TIME);
  return (hfVec3){now.x + share * (planned.x - now.x), now.y + share * (planned.y - now.y), now.z + share * (planned.z - now.z)};
}

// Where a foot that swings or lands shall be at a time, in the body's frame, while the body is at `height`.
static hfVec3 swing_goal(const stance* s, int leg, double time, double height) {
  legPlan plan = plan_leg(leg, time), next = plan_leg(leg, time + s->h);
  hfVec3 goal = plan.p, p = s->foot[leg], up = s->in->up;
  if (!plan.stance && next.stance) goal.x = next.p.x + gait.speed * s->h, goal.y = next.p.y;
  double lift = plan.p.z + 0.13; // the plan's body is 0.13 m above its feet
  goal.z = (FOOT_RADIUS + lift - height - up.x * p.x - up.y * p.y) / up.z;
  return goal;
}

// Velocity of a foot that swings or lands: that of its goal, and its error over SWING_TIME. (Over a step of 0.1 ms an
// error of 0.1 mm would ask for 1 m/s, and the torques for it would push the body off its place.)
static hfVec3 swing_velocity(const stance* s, int leg) {
  int lands = plan_leg(leg, s->end).stance;
  double height = s->in->q[2], time = fmax(SWING_TIME, s->h);
  hfVec3 p = s->foot[leg], ground = landing_velocity(s, sole(s, leg));
  hfVec3 now = swing_goal(s, leg, s->time, height), end = swing_goal(s, leg, s->end, height + s->h * s->in->v[2]);
  hfVec3 v = {(end.x - now.x) / s->h + (now.x - p.x) / time, (end.y - now.y) / s->h + (now.y - p.y) / time,
              (end.z - now.z) / s->h + (now.z - p.z) / time};
  if (!lands) return v;
  return (hfVec3){ground.x, ground.y, v.z - LANDING_SPEED / s->in->up.z};
}

// Largest torque about the planned one that keeps the foot's force in its cone.
static double cone_limit(double load, hfVec3 K, hfVec3 up) {
  double n = fabs(leg_dot(K, up)), t = sqrt(fmax(0, leg_dot(K, K) - n * n));
  return SHARE * FRICTION * load / (3 * (t + FRICTION * n));
}

// Torques that carry the planned load, and how much may be added to each: less than the drive's limit, and within the
// cone where the foot stands.
static void limit_torques(const stance* s, int leg, const hfVec3 J[3], const hfVec3 K[3], double* torque, double* limit) {
  hfVec3 up = s->in->up;
  double carried = fmin(s->load[leg], s->in->pressed[leg] + s->in->weight * s->h / LOAD_TIME);
  for (int j = 0; j < 3; ++j) {
    double most = s->in->limit, wanted = s->in->bias[3 * leg + j] - s->load[leg] * leg_dot(J[j], up);
    torque[j] = fmax(-most, fmin(most, wanted));
    limit[j] = most - fabs(torque[j]);
    if (s->stands[leg]) limit[j] = fmin(limit[j], cone_limit(carried, K[j], up));
  }
}

static void control_leg(const stance* s, int leg, double* torque, double* velocity, double* limit) {
  hfVec3 J[3], K[3];
  hfVec3 p = plan_leg(leg, s->end).stance ? sole(s, leg) : s->foot[leg];
  hfVec3 v = s->stands[leg] ? ground_velocity(s, p) : swing_velocity(s, leg);
  leg_jacobian(leg, s->in->q + FIRST_Q + 3 * leg, p, J);
  leg_inverse_jacobian(J, K);
  limit_torques(s, leg, J, K, torque, limit);
  for (int j = 0; j < 3; ++j) velocity[j] = leg_dot(K[j], v);
}

void stance_control(const stanceSense* in, double time, double h, double* torque, double* velocity, double* limit) {
  stance s = {.in = in, .time = time, .h = h, .end = time + h};
  find_stance(&s);
  for (int leg = 0; leg < LEGS; ++leg) control_leg(&s, leg, torque + 3 * leg, velocity + 3 * leg, limit + 3 * leg);
}

void sway_control(const stanceSense* in, double h, double* torque, double* limit) {
  stance s = {.in = in, .h = h};
  int standing = 0;
  for (int leg = 0; leg < LEGS; ++leg) {
    s.foot[leg] = leg_foot(leg, in->q + FIRST_Q + 3 * leg);
    standing += s.stands[leg] = in->pressed[leg] > 0;
  }
  for (int leg = 0; leg < LEGS; ++leg) {
    hfVec3 J[3], K[3];
    s.load[leg] = s.stands[leg] ? in->weight / standing : 0;
    leg_jacobian(leg, in->q + FIRST_Q + 3 * leg, sole(&s, leg), J);
    leg_inverse_jacobian(J, K);
    limit_torques(&s, leg, J, K, torque + 3 * leg, limit + 3 * leg);
  }
}
