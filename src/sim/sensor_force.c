// Sensors of forces.
//
// Interaction force: what a body's parent exerts on it. Newton-Euler over the body's subtree,
//   F_parent = sum_b (I_b A_b + V_b x* I_b V_b) - wrenches - contacts - connect and weld forces
//
// Touch: normal forces of contacts of the site's body whose outward ray from the contact point meets the
// site's volume. A contact inside the volume always does.
#include "sim/sensor.h"

// ---- interaction force ------------------------------------------------------------------------------

static int in_subtree(const hfModel* m, int body, int root) {
  return body >= root && body < hf_model_body_subtreeend(m)[root];
}

// F less a force f and torque n that act at p, about p0
static hfForce without(hfForce F, hfVec3 p0, hfVec3 p, hfVec3 f, hfVec3 n) {
  F.f = v3_sub(F.f, f);
  F.n = v3_sub(F.n, v3_add(n, v3_cross(v3_sub(p, p0), f)));
  return F;
}

static hfVec3 contact_force(const hfContact* c) { return v3_axpy(c->fn, c->n_W, c->ft); } // on A

static hfForce without_contacts(const hfiSensorInput* in, int root, hfVec3 p, hfForce F) {
  const hfModel* m = in->dynamics->model;
  for (int i = 0; i < in->ncontact; ++i) {
    const hfContact* c = &in->contact[i];
    int sign = in_subtree(m, c->body_a, root) - in_subtree(m, c->body_b, root);
    if (sign)
      F = without(F, p, c->p_W, v3_scale(sign, contact_force(c)), v3_scale(sign, c->torque));
  }
  return F;
}

// Force on body 1 at its anchor is lambda, torque turn^T lambda_rot; body 2 gets the opposite.
static hfForce without_equalities(const hfiSensorInput* in, int root, hfVec3 p, hfForce F) {
  const hfDynamics* d = in->dynamics;
  for (int i = 0; in->equality_force && i < d->model->neq; ++i) {
    hfiEquality e = hfi_equality_evaluate(in->actuation, d, i, in->q);
    if (e.dim < 3) continue;
    const double* lambda = in->equality_force + 6 * i;
    hfVec3 torque = e.dim == 6 ? m3_tmulv(e.turn, v3_load(lambda + 3)) : v3_zero();
    for (int k = 0; k < 2; ++k)
      if (in_subtree(d->model, e.body[k], root))
        F = without(F, p, e.p_W[k], v3_scale(k ? -1 : 1, v3_load(lambda)),
                    v3_scale(k ? -1 : 1, torque));
  }
  return F;
}

hfForce hfi_interaction_force(const hfiSensorInput* in, int body, hfVec3 p_W) {
  const hfDynamics* d = in->dynamics;
  hfForce F = hfi_subtree_force(d, body, p_W);
  for (int b = body; in->wrench && b < hf_model_body_subtreeend(d->model)[body]; ++b)
    F = without(F, p_W, hfi_body_com(d, b), in->wrench[b].f,
                in->wrench[b].n);
  return without_equalities(in, body, p_W, without_contacts(in, body, p_W, F));
}

// ---- touch ------------------------------------------------------------------------------------------

// Part of a ray p + t u that lies in a convex volume.
typedef struct Interval {
  double lo, hi;
} Interval;

static Interval intersect(Interval a, Interval b) {
  Interval r = {max2(a.lo, b.lo), min2(a.hi, b.hi)};
  return r;
}
static int is_ahead(Interval a) { return a.lo <= a.hi && a.hi >= 0; }

// |p + t u| <= r along one axis
static Interval cut_slab(double p, double u, double r) {
  Interval all = {-INFINITY, INFINITY}, none = {1, 0};
  if (u == 0) return fabs(p) <= r ? all : none;
  double t0 = (-r - p) / u, t1 = (r - p) / u;
  Interval cut = {min2(t0, t1), max2(t0, t1)};
  return cut;
}
// a t^2 + 2 b t + c <= 0, a >= 0
static Interval cut_quadric(double a, double b, double c) {
  Interval all = {-INFINITY, INFINITY}, none = {1, 0};
  if (a == 0) return c <= 0 ? all : none;
  double D = b * b - a * c;
  if (D < 0) return none;
  Interval cut = {(-b - sqrt(D)) / a, (-b + sqrt(D)) / a};
  return cut;
}
static Interval cut_sphere(hfVec3 p, hfVec3 u, double r) {
  return cut_quadric(v3_norm2(u), v3_dot(p, u), v3_norm2(p) - r * r);
}
static Interval cut_cylinder(hfVec3 p, hfVec3 u, double r, double half) {
  Interval side =
      cut_quadric(u.x * u.x + u.y * u.y, p.x * u.x + p.y * u.y, p.x * p.x + p.y * p.y - r * r);
  return intersect(side, cut_slab(p.z, u.z, half));
}

// Whether the ray from p along u, both in the site's frame, meets its volume.
static int ray_meets(int type, const double* size, hfVec3 p, hfVec3 u) {
  hfVec3 inv = v3(1 / size[0], 1 / size[1], 1 / size[2]), up = v3(0, 0, size[1]);
  switch (type) {
  case HF_GEOM_SPHERE:
    return is_ahead(cut_sphere(p, u, size[0]));
  case HF_GEOM_ELLIPSOID:
    return is_ahead(cut_sphere(v3_mul(inv, p), v3_mul(inv, u), 1));
  case HF_GEOM_CYLINDER:
    return is_ahead(cut_cylinder(p, u, size[0], size[1]));
  case HF_GEOM_CAPSULE:
    return is_ahead(cut_cylinder(p, u, size[0], size[1])) ||
           is_ahead(cut_sphere(v3_sub(p, up), u, size[0])) ||
           is_ahead(cut_sphere(v3_add(p, up), u, size[0]));
  default: // box
    return is_ahead(intersect(cut_slab(p.x, u.x, size[0]),
                              intersect(cut_slab(p.y, u.y, size[1]), cut_slab(p.z, u.z, size[2]))));
  }
}

double hfi_touch_force(const hfiSensorInput* in, int site) {
  const hfModel* m = in->dynamics->model;
  hfPose X = in->dynamics->X_WS[site];
  int body = hf_model_site_body(m)[site];
  double sum = 0;
  for (int i = 0; i < in->ncontact; ++i) {
    const hfContact* c = &in->contact[i];
    if ((c->body_a != body && c->body_b != body) || c->fn <= 0) continue;
    hfVec3 out = c->body_a == body ? v3_neg(c->n_W) : c->n_W; // n points from B into A
    if (ray_meets(hf_model_site_type(m)[site], hf_model_site_size(m) + 3 * site,
                  pose_inv_point(X, c->p_W), m3_tmulv(X.R, out)))
      sum += c->fn;
  }
  return sum;
}

// ---- contact sums -----------------------------------------------------------------------------------

static int touches(int kind, int id, int geom, int body) {
  return kind == HF_OBJECT_NONE || (kind == HF_OBJECT_GEOM && id == geom) ||
         (kind == HF_OBJECT_BODY && id == body);
}

// 1: A is the first and B the second object, -1: the other way round, 0: not between them.
static int orientation(const hfModel* m, int s, const hfContact* c) {
  int k1 = hf_model_sensor_objkind(m)[s], i1 = hf_model_sensor_obj(m)[s],
      k2 = hf_model_sensor_refkind(m)[s], i2 = hf_model_sensor_ref(m)[s];
  if (touches(k1, i1, c->geom_a, c->body_a) && touches(k2, i2, c->geom_b, c->body_b)) return 1;
  return touches(k1, i1, c->geom_b, c->body_b) && touches(k2, i2, c->geom_a, c->body_a) ? -1 : 0;
}

// The torque is about the mean of the contact points, weighted by the size of their forces.
void hfi_contact_sum(const hfiSensorInput* in, int s, double* out) {
  const hfModel* m = in->dynamics->model;
  hfForce sum = fo_zero(); // about the origin
  hfVec3 centre = v3_zero();
  double weight = 0;
  for (int i = 0; i < in->ncontact; ++i) {
    const hfContact* c = &in->contact[i];
    int way = orientation(m, s, c);
    if (!way) continue;
    hfVec3 f = v3_scale(-way, contact_force(c)),
           n = v3_scale(-way, c->torque); // on the second object
    sum.f = v3_add(sum.f, f);
    sum.n = v3_add(sum.n, v3_add(n, v3_cross(c->p_W, f)));
    weight += v3_norm(f);
    centre = v3_axpy(v3_norm(f), c->p_W, centre);
  }
  if (weight > 0) sum.n = v3_sub(sum.n, v3_cross(v3_scale(1 / weight, centre), sum.f));
  v3_store(out, sum.f);
  v3_store(out + 3, sum.n);
}
