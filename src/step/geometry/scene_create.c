// Creation of a scene (scene.h): shapes, hulls with their indices, the pairs that can touch, and what is known of each
// pair beforehand.
#include "base/sort.h"
#include "step/geometry/box_hull.h"
#include "step/geometry/scene.h"
#include "step/geometry/shape_table.h"

#include <string.h>

// A hull of this many vertices or more gets an index.
enum { LARGE_HULL_VERTICES = 24 };
// A model with at most this many pairs keeps all of them for good.
enum { MAX_LISTED_PAIRS = 8192 };
// A model with more pairs has room for this many candidates a geom, and MAX_LISTED_PAIRS more.
enum { CANDIDATES_PER_GEOM = 64 };
// At most this many pairs of hulls, or of a hull and a box, remember their last face, 0.7 kB each.
enum { MAX_LAST_FACES = 1024 };
// At most this many pairs that stay candidates for good remember their last contact, 0.3 kB each.
enum { MAX_RECENT_CONTACTS = 1024 };

// Makes the shapes of all geoms, and the box of each. Writes s->shape and half.
static void view_shapes(hfiScene* s) {
  const hfModel* m = s->model;
  for (int g = 0; g < m->ngeom; ++g) {
    int mesh = hf_model_geom_mesh(m)[g];
    int hfield = hf_model_geom_hfield(m)[g];
    const hfiHull* hull = mesh >= 0 ? &s->assets.hull[mesh] : NULL;
    const hfiHeightField* field = hfield >= 0 ? &s->assets.field[hfield] : NULL;
    s->shape[g] = hfi_model_shape(m, g, hull, field);

    // the smallest box about the geom's origin
    hfPose X_GG = pose_identity();
    hfiAabb box = hfi_shape_aabb(&s->shape[g], &X_GG);
    s->half[g] = v3(max2(box.hi.x, -box.lo.x), max2(box.hi.y, -box.lo.y), max2(box.hi.z, -box.lo.z));
  }
}

// Compares two candidates for hfi_sort: by their geoms, then by the number of the explicit pair.
static int compare_candidates(const void* x, const void* y) {
  const hfiCandidate* first = x;
  const hfiCandidate* second = y;
  if (first->a != second->a) return first->a < second->a ? -1 : 1;
  if (first->b != second->b) return first->b < second->b ? -1 : 1;
  if (first->pair != second->pair) return first->pair < second->pair ? -1 : 1;
  return 0;
}

// Makes candidates of all pairs that the filter lets through.
static void list_all(hfiScene* s) {
  for (int a = 0; a < s->model->ngeom; ++a) {
    hfiPartners partners = hfi_filter_partners(&s->filter, a);
    for (int k = s->filter.geom[a].next; k < partners.count; ++k) {
      hfiCandidate c = {.a = a, .b = partners.geom[k], .pair = -1};
      if (hfi_filter_test(&s->filter, c.a, c.b)) s->pairs.candidate[s->pairs.count++] = c;
    }
  }
}

// Is the body fixed in the world? A mocap body is not.
static int is_fixed(const hfModel* m, int body) {
  return hf_model_body_lastdof(m)[body] < 0 && hf_model_body_mocap(m)[hf_model_body_weld(m)[body]] < 0;
}

// Returns the hinge or slide between a body and the fixed world if nothing else moves the body; otherwise -1.
static int find_only_joint(const hfModel* m, int body) {
  int dof = hf_model_body_lastdof(m)[body];
  if (dof < 0 || hf_model_dof_parent(m)[dof] >= 0) return -1;

  int joint = hf_model_dof_jnt(m)[dof];
  int type = hf_model_jnt_type(m)[joint];
  if (type != HF_JOINT_HINGE && type != HF_JOINT_SLIDE) return -1;
  return is_fixed(m, hf_model_body_parent(m)[hf_model_jnt_body(m)[joint]]) ? joint : -1;
}

// Returns the hinge or slide that alone moves the geoms of a pair against each other, such as the joint between an
// arm's base and first link; -1 if there is none.
static int find_joint_between(const hfModel* m, const hfiCandidate* c) {
  int a = hf_model_geom_body(m)[c->a];
  int b = hf_model_geom_body(m)[c->b];

  if (is_fixed(m, a)) return find_only_joint(m, b);
  return is_fixed(m, b) ? find_only_joint(m, a) : -1;
}

// The same, if the pair is one for which it pays to ask whether the joint keeps its geoms apart; otherwise -1.
static int find_keeping_joint(const hfModel* m, const hfiCandidate* c, const hfiCull* cull) {
  int joint = find_joint_between(m, c);
  if (joint < 0) return -1;

  int pays = cull->collide == hfi_convex_convex;
  if (hf_model_jnt_type(m)[joint] == HF_JOINT_SLIDE) pays = cull->compares_boxes && cull->radius >= 0;
  return pays ? joint : -1;
}

// Is there a body that only a hinge or a slide moves against the fixed world?
static int any_body_has_only_joint(const hfModel* m) {
  int b = 0;
  while (b < m->nbody && find_only_joint(m, b) < 0) ++b;
  return b < m->nbody;
}

// Returns the cull of a pair, without its memories. is_kept: 1 if the cull is kept for later queries, which may then
// try the direction that separated the two. With a plane the radius of the cull is -1.
static hfiCull measure_pair(const hfiScene* s, const hfiCandidate* c, int is_kept) {
  const hfModel* m = s->model;
  const double* margin = hf_model_geom_margin(m);
  const double* radius = hf_model_geom_rbound(m);
  int a = hf_model_geom_type(m)[c->a];
  int b = hf_model_geom_type(m)[c->b];
  int are_bounded = radius[c->a] > 0 && radius[c->b] > 0;
  int swapped = a > b;
  hfiPairFunction* collide = swapped ? hfi_pair_function(b, a) : hfi_pair_function(a, b);

  // a sphere finds the nearest point of all shapes but a mesh quickly
  int is_sphere_on_mesh = collide == hfi_sphere_convex && (a == HF_GEOM_MESH || b == HF_GEOM_MESH);
  int none_is_quick = !hfi_shape_functions[a]->is_quick && !hfi_shape_functions[b]->is_quick;

  hfiCull cull = {.margin = c->pair >= 0 ? hf_model_pair_margin(m)[c->pair] : margin[c->a] + margin[c->b],
                  .radius = are_bounded ? radius[c->a] + radius[c->b] : -1,
                  .compares_boxes = is_sphere_on_mesh || none_is_quick,
                  .swapped = swapped,
                  .joint = -1,
                  .pair_reach = INFINITY,
                  .collide = collide,
                  .is_general = is_kept && (is_sphere_on_mesh || collide == hfi_convex_convex)};
  if (s->pairs.any_has_only_joint) cull.joint = find_keeping_joint(m, c, &cull);
  return cull;
}

// Does GJK find the contact of such pairs, or some of their contacts?
static int may_need_gjk(hfiPairFunction* collide) {
  return collide == hfi_convex_convex || collide == hfi_ellipsoid_box || collide == hfi_cylinder_box;
}

// Measures all candidates. Pairs of two hulls, or of a hull and a box, have a memory of their last face, and pairs that
// stay candidates for good one of their last contact, as long as there is room.
static void measure_pairs(hfiScene* s) {
  hfiSceneMemory* memory = &s->memory;
  int nlast = 0;
  int nrecent = 0;

  for (int i = 0; i < s->pairs.count; ++i) {
    const hfiCandidate* c = &s->pairs.candidate[i];
    hfiCull* cull = &s->pairs.cull[i];
    *cull = measure_pair(s, c, s->near.has_skin);

    int has_hulls = cull->is_general && hfi_are_hulls(&s->shape[c->a], &s->shape[c->b]);
    if (has_hulls && nlast < memory->max_last) {
      cull->last = &memory->last[nlast];
      nlast++;
    }

    int repeats_gjk = s->pairs.are_listed && may_need_gjk(cull->collide);
    if (repeats_gjk && nrecent < memory->max_recent) {
      cull->recent = &memory->recent[nrecent];
      nrecent++;
    }
  }

  if (nrecent) memset(memory->recent, 0, (size_t)nrecent * sizeof *memory->recent);
  if (nlast) memset(memory->last, 0, (size_t)nlast * sizeof *memory->last);
}

// Adds the explicit pairs to the candidates, sorts all of them, and prepares their culls.
void hfi_scene_complete_candidates(hfiScene* s) {
  hfiScenePairs* pairs = &s->pairs;
  if (pairs->are_listed || s->model->npair) {
    for (int i = 0; i < s->model->npair; ++i) pairs->candidate[pairs->count++] = hfi_explicit_candidate(s->model, i);
    hfi_sort(pairs->candidate, (size_t)pairs->count, sizeof *pairs->candidate, compare_candidates);
  }
  measure_pairs(s);
}

// Returns how many pairs may need a memory of their last face: pairs of two hulls, or of a hull and a box,
// MAX_LAST_FACES at most.
static int count_last_faces(const hfModel* m) {
  long hulls = 0;
  long boxes = 0;

  for (int g = 0; g < m->ngeom; ++g) {
    if (!hfi_geom_may_touch(m, g)) continue;
    hulls += hf_model_geom_type(m)[g] == HF_GEOM_MESH;
    boxes += hf_model_geom_type(m)[g] == HF_GEOM_BOX;
  }
  long pairs = hulls * (hulls - 1) / 2 + hulls * boxes;
  return (int)(pairs < MAX_LAST_FACES ? pairs : MAX_LAST_FACES);
}

// Returns the largest number of pairs that can have a memory of their last contact, MAX_RECENT_CONTACTS at most.
static int count_recent(const hfModel* m) {
  long count[HFI_SHAPES] = {0}; // geoms of each type
  for (int g = 0; g < m->ngeom; ++g) count[hf_model_geom_type(m)[g]] += hfi_geom_may_touch(m, g);

  long pairs = m->npair;
  for (int a = 0; a < HFI_SHAPES; ++a)
    for (int b = a; b < HFI_SHAPES; ++b) {
      if (!may_need_gjk(hfi_pair_function(a, b))) continue;
      if (a == b) pairs += count[a] * (count[a] - 1) / 2;
      else pairs += count[a] * count[b];
    }
  return (int)(pairs < MAX_RECENT_CONTACTS ? pairs : MAX_RECENT_CONTACTS);
}

hfiCull hfi_scene_cull(const hfiScene* s, const hfiCandidate* c) { return measure_pair(s, c, 0); }

// May a geom touch any other one?
static int is_active(const hfiFilter* f, int a) {
  if (f->geom[a].is_paired) return 1;

  hfiPartners partners = hfi_filter_partners(f, a);
  for (int k = 0; k < partners.count; ++k) {
    int b = partners.geom[k];
    if (a != b && hfi_filter_test(f, imin2(a, b), imax2(a, b))) return 1;
  }
  return 0;
}

// Lists the geoms that can touch another one. Writes s->active, nactive and the geoms of the grid.
static void find_active(hfiScene* s) {
  s->nactive = 0;
  for (int a = 0; a < s->model->ngeom; ++a)
    if (is_active(&s->filter, a)) s->active[s->nactive++] = a;
  s->grid.nbox = s->nactive;
  s->grid.geom = s->active;
}

// The usual skin is this share of the mean bounding radius of all shapes except height fields. Then a list serves
// several steps and has few pairs too many [-].
static const double SKIN_SHARE = 0.25;

// Returns the usual skin: a share of the mean bounding radius of the active geoms, without planes and height fields, or
// 0 if there are no others [m].
static double choose_skin(const hfiScene* s) {
  const double* radius = hf_model_geom_rbound(s->model);
  double sum = 0;
  int bounded = 0;

  for (int k = 0; k < s->nactive; ++k) {
    int g = s->active[k];
    if (!(radius[g] > 0) || s->shape[g].field) continue;
    sum += radius[g];
    bounded++;
  }
  return bounded ? SKIN_SHARE * sum / bounded : 0;
}

// Does a mesh need an index? It does if it is large and belongs to a geom that can touch something.
static int needs_index(const hfModel* m, int mesh) {
  if (hf_model_mesh_vertnum(m)[mesh] < LARGE_HULL_VERTICES) return 0;
  for (int g = 0; g < m->ngeom; ++g)
    if (hf_model_geom_mesh(m)[g] == mesh && hfi_geom_may_touch(m, g)) return 1;
  return 0;
}

// Makes the hull of a mesh and, if the mesh needs one, its index. Before there is memory, it only plans the size of the
// index.
static void view_hull(hfiScene* s, int mesh, hfiArena* arena) {
  hfiHull hull = hfi_model_hull(s->model, mesh);
  int is_indexed = needs_index(s->model, mesh);
  int has_memory = s->assets.index != NULL;

  hfiHullIndex plan;
  hfiHullIndex* index = has_memory ? &s->assets.index[mesh] : &plan;
  if (is_indexed) hfi_hull_index_init(index, &hull, arena);
  if (!has_memory) return;

  if (is_indexed) hull.index = index;
  s->assets.hull[mesh] = hull;
}

// Creates the scene of a model. With an arena without memory it only plans the size.
void hfi_scene_init(hfiScene* s, const hfModel* m, hfiArena* arena) {
  s->model = m;

  // shapes
  s->shape = HFI_TAKE(arena, hfiShape, m->ngeom);
  s->assets.hull = HFI_TAKE(arena, hfiHull, m->nmesh);
  s->assets.index = HFI_TAKE(arena, hfiHullIndex, m->nmesh);
  s->assets.field = HFI_TAKE(arena, hfiHeightField, m->nhfield);
  for (int i = 0; i < m->nmesh; ++i) view_hull(s, i, arena);
  for (int i = 0; s->assets.field && i < m->nhfield; ++i) s->assets.field[i] = hfi_model_height_field(m, i);
  s->half = HFI_TAKE(arena, hfVec3, m->ngeom);

  // candidates; the filter is not known while planning: there is enough for both cases
  hfi_filter_init(&s->filter, m, arena);
  long all = (long)m->ngeom * (m->ngeom - 1) / 2;
  long grown = (long)CANDIDATES_PER_GEOM * m->ngeom + MAX_LISTED_PAIRS;
  s->pairs.capacity = (int32_t)(all < grown ? all : grown) + m->npair;
  s->pairs.candidate = HFI_TAKE(arena, hfiCandidate, s->pairs.capacity);
  s->pairs.cull = HFI_TAKE(arena, hfiCull, s->pairs.capacity);
  s->memory.max_last = count_last_faces(m);
  s->memory.last = HFI_TAKE(arena, hfiLastFace, s->memory.max_last);
  s->memory.max_recent = count_recent(m);
  s->memory.recent = HFI_TAKE(arena, hfiRecent, s->memory.max_recent);

  // the list of near pairs
  s->near.candidate = HFI_TAKE(arena, int32_t, s->pairs.capacity);
  s->near.X0_WG = HFI_TAKE(arena, hfPose, m->ngeom);
  s->near.skin = HFI_TAKE(arena, double, m->ngeom);
  s->active = HFI_TAKE(arena, int32_t, m->ngeom);
  hfi_grid_init(&s->grid, m->ngeom, arena);
  s->box = HFI_TAKE(arena, hfiAabb, m->ngeom);
  s->pairs.count = 0;
  s->near.count = -1;
  s->near.queries = 0;
  s->near.has_skin = 1;

  // what the caller may set
  s->options.still = NULL;
  s->options.pair_reach = NULL;
  s->options.axis_W = NULL;
  s->options.flush = 0;

  // with memory: all that follows from the model
  if (!arena->base) return;
  view_shapes(s);
  find_active(s);
  s->pairs.any_has_only_joint = any_body_has_only_joint(m);
  s->near.usual_skin = choose_skin(s);
  s->pairs.are_listed = hfi_filter_count(&s->filter, MAX_LISTED_PAIRS + 1) <= MAX_LISTED_PAIRS;
  if (!s->pairs.are_listed) return;
  list_all(s);
  hfi_scene_complete_candidates(s);
}

// Does the model have another size of some geom than the scene?
static int any_size_changed(const hfiScene* s) {
  const double* size = hf_model_geom_size(s->model);
  int g = 0;
  while (g < s->model->ngeom && memcmp(s->shape[g].size, size + 3 * g, sizeof s->shape[g].size) == 0) ++g;
  return g < s->model->ngeom;
}

// Reads the sizes of geoms again. Returns 1 if some size is different.
int hfi_scene_refresh(hfiScene* s) {
  if (!any_size_changed(s)) return 0;
  view_shapes(s);
  s->near.usual_skin = choose_skin(s);
  s->near.count = -1;
  s->near.queries = 0;
  if (s->pairs.are_listed) measure_pairs(s);
  return 1;
}
