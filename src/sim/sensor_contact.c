// Contact sensors: contacts that match, reduced to `num` slots of the chosen data.
//
// A contact matches if one of its geoms belongs to the first object of the sensor and the other to the second. An
// object is a geom, a body, a body with all that it carries, or every body. The first one may also be the volume of a
// site, which the contact point must be in. The normal points from the first to the second object. If the contact
// matches both ways, it points from the geom with the lower type, or with the lower id.
#include "sim/sensor.h"

#include <string.h>

// The data of a contact in the contact frame. Forces act on the second object; velocities are those of the second
// object relative to the first.
typedef struct Seen {
  double dist; // negative depth [m]
  hfVec3 p_W, normal, tangent, force, torque, linvel, angvel;
} Seen;

// ---- matching ---------------------------------------------------------------------------------------

// The two objects of a sensor, and the end of the range of bodies that belong to each.
typedef struct Match {
  int kind[2], id[2], end[2];
} Match;

// The objects of sensor s.
static Match find_objects(const hfModel* m, int s) {
  Match x = {.kind = {hf_model_sensor_objkind(m)[s], hf_model_sensor_refkind(m)[s]},
             .id = {hf_model_sensor_obj(m)[s], hf_model_sensor_ref(m)[s]}};

  for (int k = 0; k < 2; ++k) {
    if (x.kind[k] != HF_OBJECT_BODY) continue;
    int with_subtree = hf_model_sensor_subtree(m)[s] >> k & 1;
    x.end[k] = with_subtree ? hf_model_body_subtreeend(m)[x.id[k]] : x.id[k] + 1;
  }

  return x;
}

// Whether a side of a contact, which has this geom and body, belongs to object k.
static inline int is_of_object(const hfiSensorInput* in, const Match* x, int k, int geom, int body, const hfVec3* p_W) {
  switch (x->kind[k]) {
  case HF_OBJECT_NONE: return 1;
  case HF_OBJECT_GEOM: return x->id[k] == geom;
  case HF_OBJECT_SITE: return hfi_site_contains(in->dynamics, x->id[k], *p_W);
  default: return body >= x->id[k] && body < x->end[k];
  }
}

// Whether a geom comes before another one by its type and, within a type, by its number.
static int comes_first(const hfModel* m, int geom, int other) {
  int type = hf_model_geom_type(m)[geom];
  int other_type = hf_model_geom_type(m)[other];
  return type != other_type ? type < other_type : geom < other;
}

// Returns 1 if side A of a contact is of the first object and B of the second, -1 for the other way, 0 if it does not
// match.
static inline int match_objects(const hfiSensorInput* in, const Match* x, const hfContact* c) {
  int forth = is_of_object(in, x, 0, c->geom_a, c->body_a, &c->p_W) &&
              is_of_object(in, x, 1, c->geom_b, c->body_b, &c->p_W);
  int back = is_of_object(in, x, 0, c->geom_b, c->body_b, &c->p_W) &&
             is_of_object(in, x, 1, c->geom_a, c->body_a, &c->p_W);
  if (forth && back) return comes_first(in->dynamics->model, c->geom_a, c->geom_b) ? 1 : -1;
  return forth - back;
}

// ---- reduction --------------------------------------------------------------------------------------

// The value by which contacts are ordered: the least comes first. Without an order it is the same for all.
static double rank_of(int reduce, const hfContact* c) {
  if (reduce == HF_REDUCE_MINDIST) return -c->depth;
  if (reduce == HF_REDUCE_MAXFORCE) return -v3_norm(hfi_contact_force(c));
  return 0;
}

// Finds the contact that follows `last` (-1: none yet) in the order of the reduction; equal ones follow in their order
// in the list. Returns its index, or -1. *found: how many match.
static int find_next_contact(const hfiSensorInput* in, const Match* x, int reduce, int last, int* found) {
  double last_rank = last < 0 ? -INFINITY : rank_of(reduce, &in->contact[last]);
  int best = -1;
  double best_rank = 0;
  *found = 0;

  for (int i = 0; i < in->ncontact; ++i) {
    if (!match_objects(in, x, &in->contact[i])) continue;
    ++*found;
    double rank = rank_of(reduce, &in->contact[i]);
    int follows = rank > last_rank || (rank == last_rank && i > last);
    if (follows && (best < 0 || rank < best_rank)) {
      best = i;
      best_rank = rank;
    }
  }
  return best;
}

// ---- extraction -------------------------------------------------------------------------------------

// A tangent to the normal: the world's y axis, or its z axis if y is too near to the normal, made perpendicular to it.
static hfVec3 choose_tangent(hfVec3 n) {
  hfVec3 t = fabs(n.y) < 0.5 ? v3(0, 1, 0) : v3(0, 0, 1);
  return v3_unit(v3_axpy(-v3_dot(t, n), n, t));
}

// Returns the data of a contact that matches.
static Seen read_contact(const hfiSensorInput* in, const Match* match, const hfContact* c) {
  const hfDynamics* d = in->dynamics;
  int way = match_objects(in, match, c); // 1: B is of the second object, -1: A is
  int first = way > 0 ? c->body_a : c->body_b;
  int second = way > 0 ? c->body_b : c->body_a;

  // The frame of the contact itself has its normal from the geom that comes first (given: 1 if this is A, else -1); n_W
  // goes from B into A. Where the sensor asks for the other way, the frame is turned by 180 degrees about its third
  // axis.
  double given = comes_first(d->model, c->geom_a, c->geom_b) ? 1 : -1;
  hfVec3 frame_normal = v3_scale(-given, c->n_W);
  hfVec3 frame_tangent = choose_tangent(frame_normal);
  Seen x = {.dist = -c->depth,
            .p_W = c->p_W,
            .normal = v3_scale(given * way, frame_normal),
            .tangent = v3_scale(given * way, frame_tangent)};

  // force and torque on the second object, and its velocity against the first one, in the frame
  hfMat3 R = m3_from_cols(x.normal, x.tangent, v3_cross(x.normal, x.tangent));
  hfMotion V1 = hfi_point_velocity(d, first, c->p_W);
  hfMotion V2 = hfi_point_velocity(d, second, c->p_W);
  x.force = m3_tmulv(R, v3_scale(-way, hfi_contact_force(c)));
  x.torque = m3_tmulv(R, v3_scale(-way, c->torque));
  x.linvel = m3_tmulv(R, v3_sub(V2.v, V1.v));
  x.angvel = m3_tmulv(R, v3_sub(V2.w, V1.w));
  return x;
}

// Returns all contacts that match as one: their force on the second object, and its torque about the mean of their
// points, weighted by the size of their forces. Its frame has the axes of the world.
static Seen sum_contacts(const hfiSensorInput* in, const Match* match) {
  hfForce sum = fo_zero(); // on the second object, about the origin
  hfVec3 centre = v3_zero();
  double weight = 0;
  for (int i = 0; i < in->ncontact; ++i) {
    const hfContact* c = &in->contact[i];
    int way = match_objects(in, match, c);
    // 1: B is of the second object, -1: A is, 0: the contact does not match
    if (!way) continue;

    hfVec3 f = v3_scale(-way, hfi_contact_force(c));
    hfVec3 n = v3_scale(-way, c->torque);
    sum.f = v3_add(sum.f, f);
    sum.n = v3_add(sum.n, v3_add(n, v3_cross(c->p_W, f)));
    weight += v3_norm(f);
    centre = v3_axpy(v3_norm(f), c->p_W, centre);
  }

  // the torque about the centre
  if (weight > 0) {
    centre = v3_scale(1 / weight, centre);
    sum.n = v3_sub(sum.n, v3_cross(centre, sum.f));
  }
  return (Seen){.p_W = centre, .normal = v3(1, 0, 0), .tangent = v3(0, 1, 0), .force = sum.f, .torque = sum.n};
}

// Writes the chosen data of a contact and returns the address after them. found: how many contacts match.
static double* store_slot(double* out, int data, int found, const Seen* x) {
  if (data & HF_CONTACT_DATA_FOUND) *out++ = found;
  if (data & HF_CONTACT_DATA_FORCE) out = hfi_store_vector(out, x->force);
  if (data & HF_CONTACT_DATA_TORQUE) out = hfi_store_vector(out, x->torque);

  if (data & HF_CONTACT_DATA_DIST) *out++ = x->dist;
  if (data & HF_CONTACT_DATA_POS) out = hfi_store_vector(out, x->p_W);
  if (data & HF_CONTACT_DATA_NORMAL) out = hfi_store_vector(out, x->normal);
  if (data & HF_CONTACT_DATA_TANGENT) out = hfi_store_vector(out, x->tangent);

  if (data & HF_CONTACT_DATA_LINVEL) out = hfi_store_vector(out, x->linvel);
  if (data & HF_CONTACT_DATA_ANGVEL) out = hfi_store_vector(out, x->angvel);
  return out;
}

// Writes the data of contact sensor s: `num` slots, of which those without a contact are zero.
void hfi_sense_contacts(const hfiSensorInput* in, int s, double* out) {
  const hfModel* m = in->dynamics->model;
  const int data = hf_model_sensor_data(m)[s];
  const int num = hf_model_sensor_num(m)[s];
  const int reduce = hf_model_sensor_reduce(m)[s];
  Match match = find_objects(m, s);
  memset(out, 0, sizeof *out * (size_t)hf_model_sensor_dim(m)[s]);

  // the first contact in the order of the reduction; found: how many match
  int found;
  int contact = find_next_contact(in, &match, reduce, -1, &found);
  if (reduce == HF_REDUCE_NETFORCE && found > 0) {
    Seen sum = sum_contacts(in, &match);
    store_slot(out, data, found, &sum);
    return;
  }

  // a slot for each contact, in this order
  for (int k = 0; k < num && contact >= 0; ++k) {
    Seen x = read_contact(in, &match, &in->contact[contact]);
    out = store_slot(out, data, found, &x);
    if (k + 1 < num) contact = find_next_contact(in, &match, reduce, contact, &found);
  }
}
