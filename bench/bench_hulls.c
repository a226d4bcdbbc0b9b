// bench_hulls [SCENE [STEPS]]: time of a step of scenes whose geoms are hulls of about 1,500 vertices.
//
//   arms   two arms of 16 links with two hulls each swing over a plane on which four hulls lie; some 2,300 pairs
//   heap   twelve hulls fall onto a plane and each other
//   drawn  one hull lies on a plane among 200 hulls that are drawn only
//
// The hash is that of the final coordinates: what makes a step faster must leave it as it is.
#include <holdfast/builder.h>
#include <holdfast/holdfast.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RINGS = 37, TURNS = 40, VERTICES = RINGS * TURNS + 2, TRIANGLES = 2 * TURNS * RINGS };

static hfError error;

static int must(int status) {
  if (status >= 0) return status;
  fprintf(stderr, "%s\n", error.message);
  exit(1);
}

// An ellipsoid with the half axes a, b, c in RINGS x TURNS quadrilaterals, a little uneven so that no two
// heights are equal.
static int add_globe(hfBuilder* builder, double a, double b, double c) {
  static double vert[3 * VERTICES];
  static int32_t tri[3 * TRIANGLES];
  int n = 0, south = RINGS * TURNS, north = south + 1;
  const double poles[6] = {0, 0, -c, 0, 0, c};
  for (int k = 0; k < RINGS * TURNS; ++k) {
    double latitude = acos(-1) * ((k / TURNS + 1.0) / (RINGS + 1) - 0.5), longitude = 2 * acos(-1) * (k % TURNS) / TURNS;
    vert[3 * k] = a * cos(latitude) * cos(longitude);
    vert[3 * k + 1] = b * cos(latitude) * sin(longitude);
    vert[3 * k + 2] = c * sin(latitude);
  }
  memcpy(vert + 3 * south, poles, sizeof poles);
  for (int j = 0; j < TURNS; ++j) {
    int k = (j + 1) % TURNS, top = (RINGS - 1) * TURNS;
    const int32_t caps[6] = {south, k, j, north, top + j, top + k};
    for (int i = 0; i < 6; ++i) tri[n++] = caps[i];
    for (int i = 0; i + 1 < RINGS; ++i) {
      int p = i * TURNS + j, q = i * TURNS + k;
      const int32_t side[6] = {p, q, q + TURNS, p, q + TURNS, p + TURNS};
      for (int e = 0; e < 6; ++e) tri[n++] = side[e];
    }
  }
  hfMeshDef mesh = {.nvert = VERTICES, .ntri = TRIANGLES, .vert = vert, .tri = tri, .nhulltri = TRIANGLES, .hulltri = tri};
  return must(hf_builder_add_mesh(builder, &mesh, &error));
}

static int add_body(hfBuilder* b, int parent, double x, double y, double z, int joint, int mesh, int drawn) {
  hfBodyDef body = hf_body_def_default();
  body.parent = parent;
  body.pos[0] = x, body.pos[1] = y, body.pos[2] = z;
  int id = must(hf_builder_add_body(b, &body, &error));
  hfJointDef j = hf_joint_def_default();
  j.body = id;
  j.type = joint;
  j.axis[0] = 0.3, j.axis[1] = parent % 2 ? 1 : -1, j.axis[2] = 0.2;
  j.damping = joint == HF_JOINT_HINGE ? 0.1 : 0;
  if (joint >= 0) must(hf_builder_add_joint(b, &j, &error));
  hfGeomDef geom = hf_geom_def_default();
  geom.body = id;
  geom.type = HF_GEOM_MESH;
  geom.mesh = mesh;
  if (drawn) geom.contype = geom.conaffinity = 0;
  must(hf_builder_add_geom(b, &geom, &error));
  return id;
}

static hfModel* make_scene(const char* name) {
  hfBuilder* b = hf_builder_create();
  int globe = add_globe(b, 0.05, 0.06, 0.08), link = add_globe(b, 0.03, 0.035, 0.05);
  hfGeomDef plane = hf_geom_def_default();
  plane.type = HF_GEOM_PLANE;
  must(hf_builder_add_geom(b, &plane, &error));
  for (int arm = 0; arm < 2 && strcmp(name, "arms") == 0; ++arm)
    for (int i = 0, parent = 0; i < 16; ++i) {
      parent = add_body(b, parent, i ? 0 : 0.4 * arm, 0, i ? -0.11 : 2, HF_JOINT_HINGE, link, 0);
      add_body(b, parent, 0.02, 0, -0.05, -1, link, 0);
    }
  int bodies = strcmp(name, "heap") == 0 ? 12 : strcmp(name, "arms") == 0 ? 4 : 1;
  for (int i = 0; i < bodies; ++i)
    add_body(b, 0, 0.09 * (i % 3), 0.11 * (i / 3 % 2), 0.09 + 0.17 * (i / 6) + 0.001 * i, HF_JOINT_FREE, globe, 0);
  for (int i = 0; i < 200 && strcmp(name, "drawn") == 0; ++i) add_body(b, 0, 0.2 * i, 1, 0, HF_JOINT_HINGE, link, 1);
  hfModel* model = NULL;
  must(hf_builder_finish(b, &model, &error));
  hf_builder_free(b);
  return model;
}

static uint64_t hash(const double* x, int n) { // FNV-1a
  uint64_t h = UINT64_C(14695981039346656037);
  const unsigned char* byte = (const unsigned char*)x;
  for (size_t i = 0; i < sizeof *x * (size_t)n; ++i) h = (h ^ byte[i]) * UINT64_C(1099511628211);
  return h;
}

static void run(const char* name, int steps) {
  hfModel* model = make_scene(name);
  hfSimConfig config = hf_sim_config_default();
  hfSim* sim = NULL;
  must(hf_sim_create(&sim, model, &config, &error));
  hfState* state = hf_state_create(model);
  hfStepReport report;
  struct timespec t0, t1;
  long contacts = 0;
  clock_gettime(CLOCK_MONOTONIC, &t0);
  for (int i = 0; i < steps; ++i) {
    must(hf_sim_step(sim, state, NULL, &report, &error));
    contacts += report.ncontact;
  }
  clock_gettime(CLOCK_MONOTONIC, &t1);
  double us = 1e6 * (double)(t1.tv_sec - t0.tv_sec) + 1e-3 * (double)(t1.tv_nsec - t0.tv_nsec);
  printf("%-6s %3d geoms %8.2f us a step, %5.2f contacts a step, hash %016llx\n", name, model->ngeom, us / steps,
         (double)contacts / steps, (unsigned long long)hash(hf_state_q(state), model->nq));
  hf_state_free(state);
  hf_sim_free(sim);
  hf_model_free(model);
}

int main(int argc, char** argv) {
  static const char* const names[] = {"arms", "heap", "drawn"};
  for (int i = 0; i < 3; ++i)
    if (argc < 2 || strcmp(argv[1], names[i]) == 0) run(names[i], argc > 2 ? atoi(argv[2]) : 1000);
  return 0;
}
