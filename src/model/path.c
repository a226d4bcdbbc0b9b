// length = sum of spans over the divisor of the pulley before them; a span is |p1 - p0|, or two straight parts and a
// curve.
#include "model/path.h"

#include <string.h>

int hfi_tendon_is_spatial(const hfModel* m, int t) {
  return hf_model_wrap_type(m)[hf_model_tendon_adr(m)[t]] != HF_WRAP_JOINT;
}

// ---- spans -----------------------------------------------------------------------------------------

hfiPathWalk hfi_path_begin(const hfModel* m, const hfPose* X_WB, const hfiPathConstants* constants, int t) {
  int first = hf_model_tendon_adr(m)[t];
  return (hfiPathWalk){m, X_WB, constants, first, first + hf_model_tendon_num(m)[t], 1};
}

// A site, in the world or in the frame of its body.
static hfVec3 site_point(const hfiPathWalk* walk, int site) {
  hfVec3 p_BS = v3_load(hf_model_site_pos(walk->m) + 3 * site);
  return walk->X_WB ? pose_point(walk->X_WB[hf_model_site_body(walk->m)[site]], p_BS) : p_BS;
}

static hfPose geom_in_body(const hfModel* m, int geom) {
  return pose_from(v3_load(hf_model_geom_pos(m) + 3 * geom), q_unit(q_load(hf_model_geom_quat(m) + 4 * geom)));
}

// The pose of the geom of a wrap, in the world or in the frame of its body.
static hfPose geom_pose(const hfiPathWalk* walk, int wrap) {
  int geom = hf_model_wrap_obj(walk->m)[wrap];
  hfPose X_BG = walk->known ? walk->known->X_BG[wrap] : geom_in_body(walk->m, geom);
  return walk->X_WB ? pose_mul(walk->X_WB[hf_model_geom_body(walk->m)[geom]], X_BG) : X_BG;
}

// Finds the way from p_W[0] to p_W[1] past the geom of a wrap, which is at X_WG.
static hfiWrap wrap_geom(const hfiPathWalk* walk, int wrap, const hfPose* X_WG, const hfVec3 p_W[2]) {
  const hfModel* m = walk->m;
  int geom = hf_model_wrap_obj(m)[wrap];
  int side = hf_model_wrap_side(m)[wrap];
  hfiObstacle obstacle = {.is_cylinder = hf_model_geom_type(m)[geom] == HF_GEOM_CYLINDER,
                          .radius = hf_model_geom_size(m)[3 * geom],
                          .has_side = side >= 0};
  if (side >= 0) obstacle.side = pose_inv_point(*X_WG, site_point(walk, side));

  return hfi_wrap(&obstacle, pose_inv_point(*X_WG, p_W[0]), pose_inv_point(*X_WG, p_W[1]));
}

// If a straight span touches the geom of a wrap, divides it into two straight parts and the curve around the geom.
static void bend_span(const hfiPathWalk* walk, int wrap, hfiPathSpan* span) {
  const hfModel* m = walk->m;
  int body = hf_model_geom_body(m)[hf_model_wrap_obj(m)[wrap]];
  hfPose X_WG = geom_pose(walk, wrap);
  hfiPathSegment whole = span->segment[0];
  hfiWrap w = wrap_geom(walk, wrap, &X_WG, whole.p_W);
  if (!w.touches) return;

  hfVec3 first = pose_point(X_WG, w.p[0]);
  hfVec3 last = pose_point(X_WG, w.p[1]);
  span->nsegment = 2;
  span->segment[0] = (hfiPathSegment){{whole.body[0], body}, {whole.p_W[0], first}};
  span->segment[1] = (hfiPathSegment){{body, whole.body[1]}, {last, whole.p_W[1]}};
  span->length = v3_norm(v3_sub(first, whole.p_W[0])) + w.curve + v3_norm(v3_sub(whole.p_W[1], last));
}

// Makes the span between the sites of two wraps. If there is a geom between them, wrap start + 1, the span goes around
// it.
static void make_span(const hfiPathWalk* walk, int start, int next, hfiPathSpan* span) {
  int from = hf_model_wrap_obj(walk->m)[start];
  int to = hf_model_wrap_obj(walk->m)[next];
  const int32_t* body = hf_model_site_body(walk->m);
  hfiPathSegment straight = {{body[from], body[to]}, {site_point(walk, from), site_point(walk, to)}};

  span->nsegment = 1;
  span->segment[0] = straight;
  span->length = v3_norm(v3_sub(straight.p_W[1], straight.p_W[0]));
  if (next > start + 1) bend_span(walk, start + 1, span);
}

// Moves the walk to the next span of a tendon, between two sites with or without a geom between them. Returns 0 if
// there is none. Pulleys on the way change the scale of the spans behind them. A span whose length is known and
// constant has no segments.
int hfi_path_next(hfiPathWalk* walk, hfiPathSpan* span) {
  const int32_t* type = hf_model_wrap_type(walk->m);
  for (; walk->next < walk->end; ++walk->next) {
    int start = walk->next;
    int next = start + 1;
    if (type[start] == HF_WRAP_PULLEY) walk->scale = 1 / hf_model_wrap_coef(walk->m)[start];
    if (type[start] != HF_WRAP_SITE) continue;
    if (next < walk->end && type[next] == HF_WRAP_GEOM) next++;
    // the last site before a pulley begins no span
    if (next >= walk->end || type[next] != HF_WRAP_SITE) continue;

    // a span from site `start` to site `next`: its known length (below zero: it is not constant), or its segments
    span->first = start;
    span->scale = walk->scale;
    if (walk->known && walk->known->length[start] >= 0) {
      span->nsegment = 0;
      span->length = walk->known->length[start];
    } else {
      make_span(walk, start, next, span);
    }
    walk->next = next;
    return 1;
  }

  return 0;
}

// Spans behind a pulley count less.
double hfi_path_length(const hfModel* m, const hfPose* X_WB, int t) {
  hfiPathWalk walk = hfi_path_begin(m, X_WB, NULL, t);
  hfiPathSpan span;
  double length = 0;
  while (hfi_path_next(&walk, &span)) length += span.scale * span.length;
  return length;
}

// ---- constants -------------------------------------------------------------------------------------

// Are all sites and geoms of the wraps from first to last on one body?
static int is_on_one_body(const hfModel* m, int first, int last) {
  const int32_t* of_site = hf_model_site_body(m);
  int body = of_site[hf_model_wrap_obj(m)[first]];

  for (int w = first; w <= last; ++w) {
    int obj = hf_model_wrap_obj(m)[w];
    int side = hf_model_wrap_side(m)[w];
    int is_around = hf_model_wrap_type(m)[w] == HF_WRAP_GEOM;
    if ((is_around ? hf_model_geom_body(m)[obj] : of_site[obj]) != body) return 0;
    if (is_around && side >= 0 && of_site[side] != body) return 0;
  }

  return 1;
}

static void measure_constant_spans(hfiPathConstants* c, const hfModel* m, int t) {
  hfiPathWalk walk = hfi_path_begin(m, NULL, c, t);
  hfiPathSpan span;
  while (hfi_path_next(&walk, &span))
    if (is_on_one_body(m, span.first, walk.next)) c->length[span.first] = span.length;
}

// Plans or fills what is constant for the paths of a model: poses of wrapped geoms in their bodies, and the lengths of
// spans on one body; -1 for the other spans.
void hfi_path_constants_init(hfiPathConstants* c, const hfModel* m, hfiArena* arena) {
  c->X_BG = HFI_TAKE(arena, hfPose, m->nwrap);
  c->length = HFI_TAKE(arena, double, m->nwrap);
  if (!arena->base) return;

  for (int w = 0; w < m->nwrap; ++w) {
    c->length[w] = -1;
    if (hf_model_wrap_type(m)[w] == HF_WRAP_GEOM) c->X_BG[w] = geom_in_body(m, hf_model_wrap_obj(m)[w]);
  }

  for (int t = 0; t < m->ntendon; ++t)
    if (hfi_tendon_is_spatial(m, t)) measure_constant_spans(c, m, t);
}

// ---- dofs ------------------------------------------------------------------------------------------

// Finds the dofs that a wrap depends on, ascending, as a view into the model. Returns their number.
static int find_wrap_dofs(const hfModel* m, int wrap, const int32_t** dof) {
  int type = hf_model_wrap_type(m)[wrap];
  int obj = hf_model_wrap_obj(m)[wrap];
  if (type == HF_WRAP_PULLEY) return 0;

  if (type == HF_WRAP_JOINT) {
    *dof = hf_model_jnt_dofadr(m) + obj;
    return 1;
  }

  // a row of M lists the dofs that move a body
  int body = type == HF_WRAP_SITE ? hf_model_site_body(m)[obj] : hf_model_geom_body(m)[obj];
  int last = hf_model_body_lastdof(m)[body];
  if (last < 0) return 0;

  *dof = hf_model_M_col(m) + hf_model_dof_Madr(m)[last];
  return hf_model_dof_depth(m)[last] + 1;
}

// Returns how many dofs, counted from the root, move all bodies of a spatial tendon alike and cannot change its length.
static int count_shared(const hfModel* m, int first, int end) {
  const int32_t* shared_dof = NULL;
  int shared = -1; // none yet

  for (int w = first; w < end; ++w) {
    if (hf_model_wrap_type(m)[w] == HF_WRAP_PULLEY) continue;
    const int32_t* dof = NULL;
    int n = find_wrap_dofs(m, w, &dof);
    if (shared < 0) {
      shared = n;
      shared_dof = dof;
    }
    int same = 0;
    while (same < n && same < shared && dof[same] == shared_dof[same]) same++;
    shared = same;
  }

  return shared;
}

// Inserts a dof into an ascending list of n, unless it is in the list. Returns the new length.
static int insert_dof(int32_t* list, int n, int32_t dof) {
  int place = n;
  while (place > 0 && list[place - 1] > dof) place--;
  if (place > 0 && list[place - 1] == dof) return n;

  memmove(list + place + 1, list + place, (size_t)(n - place) * sizeof *list);
  list[place] = dof;
  return n + 1;
}

// Dofs below those that all bodies share can change the length.
int hfi_tendon_dofs(const hfModel* m, int t, int32_t* dof) {
  int first = hf_model_tendon_adr(m)[t];
  int end = first + hf_model_tendon_num(m)[t];
  int shared = hfi_tendon_is_spatial(m, t) ? count_shared(m, first, end) : 0;
  int n = 0;

  for (int w = first; w < end; ++w) {
    const int32_t* of_wrap = NULL;
    int count = find_wrap_dofs(m, w, &of_wrap);
    if (!dof && count > shared) n += count - shared;
    for (int k = shared; dof && k < count; ++k) n = insert_dof(dof, n, of_wrap[k]);
  }

  return dof || n < m->nv ? n : m->nv;
}
