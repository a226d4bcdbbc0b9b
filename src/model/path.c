// length = sum of spans over the divisor of the pulley before them; a span is |p1 - p0|, or two straight parts and a curve.
#include "model/path.h"
#include <string.h>

// ---- path -------------------------------------------------------------------------------------------

int hfi_tendon_is_spatial(const hfModel* m, int t) { return hf_model_wrap_type(m)[hf_model_tendon_adr(m)[t]] != HF_WRAP_JOINT; }

hfiPathWalk hfi_path_begin(const hfModel* m, const hfPose* X_WB, const hfiPathConstants* constants, int t) {
  int first = hf_model_tendon_adr(m)[t];
  hfiPathWalk walk = {m, X_WB, constants, first, first + hf_model_tendon_num(m)[t], 1};
  return walk;
}

static hfVec3 site_point(const hfiPathWalk* k, int site) {
  hfVec3 p_BS = v3_load(hf_model_site_pos(k->m) + 3 * site);
  return k->X_WB ? pose_point(k->X_WB[hf_model_site_body(k->m)[site]], p_BS) : p_BS;
}

static hfPose geom_in_body(const hfModel* m, int geom) {
  return pose_from(v3_load(hf_model_geom_pos(m) + 3 * geom), q_unit(q_load(hf_model_geom_quat(m) + 4 * geom)));
}

static hfPose geom_pose(const hfiPathWalk* k, int wrap) {
  int geom = hf_model_wrap_obj(k->m)[wrap];
  hfPose X_BG = k->known ? k->known->X_BG[wrap] : geom_in_body(k->m, geom);
  return k->X_WB ? pose_mul(k->X_WB[hf_model_geom_body(k->m)[geom]], X_BG) : X_BG;
}

static hfiWrap wrap_geom(const hfiPathWalk* k, int wrap, const hfPose* X_WG, const hfVec3 p_W[2]) {
  const hfModel* m = k->m;
  int geom = hf_model_wrap_obj(m)[wrap], side = hf_model_wrap_side(m)[wrap];
  hfiObstacle o = {hf_model_geom_type(m)[geom] == HF_GEOM_CYLINDER, hf_model_geom_size(m)[3 * geom], side >= 0, v3_zero()};
  if (side >= 0) o.side = pose_inv_point(*X_WG, site_point(k, side));
  return hfi_wrap(&o, pose_inv_point(*X_WG, p_W[0]), pose_inv_point(*X_WG, p_W[1]));
}

// If a straight span touches the geom of a wrap, divides it into two straight parts and the curve around the geom.
static void bend_span(const hfiPathWalk* k, int wrap, hfiPathSpan* span) {
  const hfModel* m = k->m;
  int body = hf_model_geom_body(m)[hf_model_wrap_obj(m)[wrap]];
  hfPose X_WG = geom_pose(k, wrap);
  hfiPathSegment whole = span->segment[0];
  hfiWrap w = wrap_geom(k, wrap, &X_WG, whole.p_W);
  if (!w.touches) return;
  hfVec3 first = pose_point(X_WG, w.p[0]), last = pose_point(X_WG, w.p[1]);
  hfiPathSegment in = {{whole.body[0], body}, {whole.p_W[0], first}}, out = {{body, whole.body[1]}, {last, whole.p_W[1]}};
  span->nsegment = 2;
  span->segment[0] = in, span->segment[1] = out;
  span->length = v3_norm(v3_sub(first, whole.p_W[0])) + w.curve + v3_norm(v3_sub(whole.p_W[1], last));
}

// Makes the span between the sites of two wraps. If there is a geom between them, wrap start + 1, the span goes around it.
static void make_span(const hfiPathWalk* k, int start, int next, hfiPathSpan* span) {
  int from = hf_model_wrap_obj(k->m)[start], to = hf_model_wrap_obj(k->m)[next];
  hfiPathSegment straight = {{hf_model_site_body(k->m)[from], hf_model_site_body(k->m)[to]}, {site_point(k, from), site_point(k, to)}};
  span->nsegment = 1;
  span->segment[0] = straight;
  span->length = v3_norm(v3_sub(straight.p_W[1], straight.p_W[0]));
  if (next > start + 1) bend_span(k, start + 1, span);
}

int hfi_path_next(hfiPathWalk* k, hfiPathSpan* span) {
  const int32_t* type = hf_model_wrap_type(k->m);
  for (; k->at < k->end; ++k->at) {
    int start = k->at, next = start + 1;
    if (type[start] == HF_WRAP_PULLEY) k->scale = 1 / hf_model_wrap_coef(k->m)[start];
    if (type[start] != HF_WRAP_SITE) continue;
    if (next < k->end && type[next] == HF_WRAP_GEOM) next++;
    if (next >= k->end || type[next] != HF_WRAP_SITE) continue; // This is the last site before a pulley.
    span->first = start;
    span->scale = k->scale;
    if (k->known && k->known->length[start] >= 0) span->nsegment = 0, span->length = k->known->length[start];
    else make_span(k, start, next, span);
    k->at = next;
    return 1;
  }
  return 0;
}

double hfi_path_length(const hfModel* m, const hfPose* X_WB, int t) {
  hfiPathWalk walk = hfi_path_begin(m, X_WB, NULL, t);
  hfiPathSpan span;
  double length = 0;
  while (hfi_path_next(&walk, &span)) length += span.scale * span.length;
  return length;
}

// ---- constants --------------------------------------------------------------------------------------

// Are all sites and geoms of the wraps from first to last on one body?
static int is_on_one_body(const hfModel* m, int first, int last) {
  int body = hf_model_site_body(m)[hf_model_wrap_obj(m)[first]];
  for (int w = first; w <= last; ++w) {
    int obj = hf_model_wrap_obj(m)[w], side = hf_model_wrap_side(m)[w], around = hf_model_wrap_type(m)[w] == HF_WRAP_GEOM;
    if ((around ? hf_model_geom_body(m)[obj] : hf_model_site_body(m)[obj]) != body) return 0;
    if (around && side >= 0 && hf_model_site_body(m)[side] != body) return 0;
  }
  return 1;
}

static void measure_constant_spans(hfiPathConstants* c, const hfModel* m, int t) {
  hfiPathWalk walk = hfi_path_begin(m, NULL, c, t);
  hfiPathSpan span;
  while (hfi_path_next(&walk, &span))
    if (is_on_one_body(m, span.first, walk.at)) c->length[span.first] = span.length;
}

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

// ---- dofs -------------------------------------------------------------------------------------------

// The dofs that a wrap depends on, ascending, as a view into the model. Returns their number.
static int wrap_dofs(const hfModel* m, int wrap, const int32_t** dof) {
  int type = hf_model_wrap_type(m)[wrap], obj = hf_model_wrap_obj(m)[wrap];
  if (type == HF_WRAP_PULLEY) return 0;
  if (type == HF_WRAP_JOINT) {
    *dof = hf_model_jnt_dofadr(m) + obj;
    return 1;
  }
  int last = hf_model_body_lastdof(m)[type == HF_WRAP_SITE ? hf_model_site_body(m)[obj] : hf_model_geom_body(m)[obj]];
  if (last < 0) return 0;
  *dof = hf_model_M_col(m) + hf_model_dof_Madr(m)[last];
  return hf_model_dof_depth(m)[last] + 1;
}

// How many dofs, counted from the root, move all bodies of a spatial tendon alike and cannot change its length.
static int count_shared(const hfModel* m, int first, int end) {
  const int32_t *root = NULL, *dof = NULL;
  int shared = -1;
  for (int w = first; w < end; ++w) {
    if (hf_model_wrap_type(m)[w] == HF_WRAP_PULLEY) continue;
    int n = wrap_dofs(m, w, &dof), same = 0;
    if (shared < 0) shared = n, root = dof;
    while (same < n && same < shared && dof[same] == root[same]) same++;
    shared = same;
  }
  return shared;
}

// Inserts a dof into an ascending list of n, unless it is in the list. Returns the new length.
static int insert_dof(int32_t* list, int n, int32_t dof) {
  int at = n;
  while (at > 0 && list[at - 1] > dof) at--;
  if (at > 0 && list[at - 1] == dof) return n;
  memmove(list + at + 1, list + at, (size_t)(n - at) * sizeof *list);
  list[at] = dof;
  return n + 1;
}

int hfi_tendon_dofs(const hfModel* m, int t, int32_t* dof) {
  int first = hf_model_tendon_adr(m)[t], end = first + hf_model_tendon_num(m)[t], n = 0;
  int shared = hfi_tendon_is_spatial(m, t) ? count_shared(m, first, end) : 0;
  for (int w = first; w < end; ++w) {
    const int32_t* own = NULL;
    int count = wrap_dofs(m, w, &own);
    if (!dof && count > shared) n += count - shared;
    for (int k = shared; dof && k < count; ++k) n = insert_dof(dof, n, own[k]);
  }
  return dof || n < m->nv ? n : m->nv;
}
