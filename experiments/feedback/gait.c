// Kinematics of a leg: hip at c, hip x angle a about x, hip y angle b and knee c about y, links 5, 10, 10 cm.
// With fx = +1 for front, -1 for hind legs, fy = +1 left, -1 right, joint angles are fx a, fx fy b, fx fy c and
//
//   p = hip + (fx (l0 + l cos b + l cos(b+c)), -w sin a, w cos a),   w = -l (sin b + sin(b+c))
#include "feedback/gait.h"

#include <math.h>

static const double L0 = 0.05, L = 0.1;
const hfTrot gait = {0.5, 0.75, 0.08, 0.015};

static double front(int leg) { return leg < 2 ? 1 : -1; }
static double left(int leg) { return leg % 2 ? -1 : 1; }

static void leg_angles(int leg, const double q[3], double* a, double* b, double* c) {
  double s = front(leg) * left(leg);
  *a = front(leg) * q[0], *b = s * q[1], *c = s * q[2];
}

hfVec3 leg_foot(int leg, const double q[3]) {
  double a, b, c, fx = front(leg), fy = left(leg);
  leg_angles(leg, q, &a, &b, &c);
  double w = -L * (sin(b) + sin(b + c));
  hfVec3 p = {fx * (0.1 + L0 + L * cos(b) + L * cos(b + c)), 0.06 * fy - w * sin(a), w * cos(a)};
  return p;
}

static void leg_inverse(int leg, hfVec3 p, double q[3]) {
  double fx = front(leg), fy = left(leg), dy = p.y - 0.06 * fy, x = fx * p.x - 0.1 - L0, w = -hypot(dy, p.z);
  double c = acos((x * x + w * w - 2 * L * L) / (2 * L * L)), b = atan2(-w, x) - c / 2;
  q[0] = fx * atan2(dy, -p.z), q[1] = fx * fy * b, q[2] = fx * fy * c;
}

static hfVec3 cross(hfVec3 a, hfVec3 b) {
  hfVec3 c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  return c;
}
double leg_dot(hfVec3 a, hfVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static hfVec3 minus(hfVec3 a, hfVec3 b) {
  hfVec3 c = {a.x - b.x, a.y - b.y, a.z - b.z};
  return c;
}

// Columns axis x (p - joint).
void leg_jacobian(int leg, const double q[3], hfVec3 p, hfVec3 J[3]) {
  double a, b, c, fx = front(leg), fy = left(leg);
  leg_angles(leg, q, &a, &b, &c);
  double w = -L * sin(b);
  hfVec3 hip = {0.1 * fx, 0.06 * fy, 0}, thigh = {fx * (0.1 + L0), 0.06 * fy, 0};
  hfVec3 knee = {fx * (0.1 + L0 + L * cos(b)), 0.06 * fy - w * sin(a), w * cos(a)};
  hfVec3 roll = {fx, 0, 0}, pitch = {0, fy * cos(a), fy * sin(a)};
  J[0] = cross(roll, minus(p, hip)), J[1] = cross(pitch, minus(p, thigh)), J[2] = cross(pitch, minus(p, knee));
}

// Rows of the inverse of a matrix given by its columns, by Cramer's rule.
void leg_inverse_jacobian(const hfVec3 J[3], hfVec3 K[3]) {
  double det = leg_dot(J[0], cross(J[1], J[2]));
  for (int i = 0; i < 3; ++i) {
    hfVec3 c = cross(J[(i + 1) % 3], J[(i + 2) % 3]);
    K[i] = (hfVec3){c.x / det, c.y / det, c.z / det};
  }
}

// Diagonal pairs of legs move together. The small constant makes a step that ends where a stance begins belong to the
// stance, whatever the rounding is.
static double leg_phase(int leg) { return (leg == 0 || leg == 3 ? 0 : 0.5) + 1e-9; }

double plan_cycle(int leg, double time) {
  double cycle = leg_phase(leg) + time / gait.period;
  return (cycle - floor(cycle)) * gait.period;
}

int plan_stands(int leg, double from, double to) {
  return plan_leg(leg, from).stance && plan_leg(leg, 0.5 * (from + to)).stance && plan_leg(leg, to).stance;
}

legPlan plan_leg(int leg, double time) {
  double phase = leg_phase(leg);
  hfFootPlan foot = hf_trot(&gait, phase, time);
  legPlan plan = {foot.stance, {0.13 * front(leg) + foot.x.q, 0.1 * left(leg), -0.13 + foot.z.q}, {0, 0, 0}};
  leg_inverse(leg, plan.p, plan.q);
  return plan;
}

legPlan plan_motion(const legSway* sway, int leg, double time) {
  if (sway->rate == 0) return plan_leg(leg, time);
  double side = leg == 0 || leg == 3 ? 1 : -1, angle = side * sway->amplitude * sin(sway->rate * time);
  legPlan plan = {1, {0, 0, 0}, {0, 0, 0}};
  hfVec3 rest = {0.13 * front(leg), 0.1 * left(leg), -0.13};
  leg_inverse(leg, rest, plan.q);
  plan.q[1] += front(leg) * left(leg) * angle;
  plan.q[2] -= front(leg) * left(leg) * angle;
  plan.p = leg_foot(leg, plan.q);
  return plan;
}
