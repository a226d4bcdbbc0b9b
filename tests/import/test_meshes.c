// Mesh readers, transformation and hulls. Oracles: Euler's formula and the volume of known solids.
#include "import/support.h"

#include "import/mesh.h"
#include "math/vec3.h"

#include <stdlib.h>

static hfiTriMesh load_mesh(const char* path) {
  hfiTriMesh mesh = {0};
  hfError error = {HF_OK, ""};
  if (hfi_trimesh_load(&mesh, path, &error) != HF_OK) fail_msg("%s", error.message);
  return mesh;
}

// Signed volume by the divergence theorem.
static double volume(const hfiTriMesh* m, const int32_t* tri, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    hfVec3 a = v3_load(m->vert + 3 * tri[3 * i]), b = v3_load(m->vert + 3 * tri[3 * i + 1]), c = v3_load(m->vert + 3 * tri[3 * i + 2]);
    sum += v3_dot(a, v3_cross(b, c)) / 6;
  }
  return sum;
}

// The L-shaped prism: area 4, height 0.5. Its hull cuts the corner off: area 5.
static void test_three_formats_of_one_solid(void** state) {
  (void)state;
  static const char* const files[] = {DATA "/ell.obj", DATA "/ell.stl", DATA "/ell_ascii.stl"};
  for (int i = 0; i < 3; ++i) {
    hfiTriMesh m = load_mesh(files[i]);
    assert_int_equal(m.nvert, 12);
    assert_int_equal(m.ntri, 20); // V - E + F = 2 with E = 3 F/2
    assert_float_equal(volume(&m, m.tri, m.ntri), 2, 1e-14);
    assert_int_equal(hfi_trimesh_hull(&m, -1, "ell", NULL), HF_OK);
    assert_float_equal(volume(&m, m.hulltri, m.nhulltri), 2.5, 1e-14);
    hfi_trimesh_release(&m);
  }
}

static void test_transformation(void** state) {
  (void)state;
  hfiTriMesh m = load_mesh(DATA "/ell.obj");
  const double mirror[3] = {-2, 3, 1}, at[3] = {1, 1, 1}, turn[4] = {1, 1, 0, 0};
  assert_int_equal(hfi_trimesh_transform(&m, mirror, at, turn, "ell", NULL), HF_OK);
  // a mirror image stays oriented outward: the volume is positive
  assert_float_equal(volume(&m, m.tri, m.ntri), 2 * 6, 1e-12);
  // (0, 0, 0) - at = (-1, -1, -1); turned back about x by 90 degrees: (-1, -1, 1); scaled (2, -3, 1)
  ASSERT_NUMBERS(m.vert, 2, -3, 1);
  const double huge[3] = {1e300, 1, 1}, zero[3] = {0, 0, 0}, none[4] = {1, 0, 0, 0};
  hfError error;
  assert_int_equal(hfi_trimesh_transform(&m, huge, zero, none, "ell", &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "ell: vertex"));
  hfi_trimesh_release(&m);
}

// The folder in front of ".." need not exist, as in MuJoCo: the path is taken by its words.
static void test_folder_that_is_not_there(void** state) {
  (void)state;
  static const char* const folders[] = {"gone/..", "gone/../", "gone/away/../.././parts/.."};
  for (int i = 0; i < 3; ++i) {
    char text[512];
    hfModel* m = NULL;
    hfError error = {HF_OK, ""};
    snprintf(text, sizeof text, "<mujoco><compiler meshdir='%s'/><asset><mesh name='e' file='ell.obj'/></asset>"
             "<worldbody><geom type='mesh' mesh='e'/></worldbody></mujoco>", folders[i]);
    if (hf_model_parse(&m, text, strlen(text), "test", DATA, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
    assert_int_equal(m->nmesh, 1);
    hf_model_free(m);
  }
}

static hfiTriMesh cloud(int n, unsigned seed) {
  hfiTriMesh m = {0};
  m.vert = malloc((size_t)n * 3 * sizeof *m.vert);
  m.nvert = n;
  srand(seed);
  for (int i = 0; i < 3 * n; ++i) m.vert[i] = rand() / (double)RAND_MAX - 0.5;
  return m;
}

static void test_random_hulls(void** state) {
  (void)state;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    hfiTriMesh m = cloud(10 + 20 * (int)seed, seed);
    assert_int_equal(hfi_trimesh_hull(&m, -1, "cloud", NULL), HF_OK);
    char* used = calloc((size_t)m.nvert, 1);
    int corners = 0;
    for (int i = 0; i < 3 * m.nhulltri; ++i) used[m.hulltri[i]] = 1;
    for (int i = 0; i < m.nvert; ++i) corners += used[i];
    assert_int_equal(m.nhulltri, 2 * corners - 4); // Euler: triangles on a sphere
    for (int t = 0; t < m.nhulltri; ++t) {         // every point is behind every face
      hfVec3 a = v3_load(m.vert + 3 * m.hulltri[3 * t]), b = v3_load(m.vert + 3 * m.hulltri[3 * t + 1]), c = v3_load(m.vert + 3 * m.hulltri[3 * t + 2]);
      hfVec3 n = v3_unit(v3_cross(v3_sub(b, a), v3_sub(c, a)));
      for (int i = 0; i < m.nvert; ++i) assert_true(v3_dot(n, v3_sub(v3_load(m.vert + 3 * i), a)) <= 1e-12);
    }
    assert_int_equal(m.ntri, m.nhulltri); // points alone: the hull is the surface
    free(used);
    hfi_trimesh_release(&m);
  }
}

static void test_hull_limits(void** state) {
  (void)state;
  hfiTriMesh m = cloud(500, 7);
  assert_int_equal(hfi_trimesh_hull(&m, 12, "cloud", NULL), HF_OK);
  assert_true(m.nhulltri <= 2 * 12 - 4);
  hfi_trimesh_release(&m);
  hfError error;
  hfiTriMesh flat = cloud(50, 3);
  for (int i = 0; i < 50; ++i) flat.vert[3 * i + 2] = 1;
  assert_int_equal(hfi_trimesh_hull(&flat, -1, "flat", &error), HF_ERROR_MODEL);
  assert_non_null(strstr(error.message, "flat: the points are flat"));
  hfi_trimesh_release(&flat);
  hfiTriMesh one = cloud(50, 3);
  for (int i = 0; i < 150; ++i) one.vert[i] = 1;
  assert_int_equal(hfi_trimesh_hull(&one, -1, "one", &error), HF_ERROR_MODEL);
  hfi_trimesh_release(&one);
}

// Through assimp: a tetrahedron as COLLADA (z up) and as glTF would be; only where it is in the build.
static void test_collada(void** state) {
  (void)state;
  static const char text[] =
      "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>"
      "<asset><unit meter='0.001' name='millimeter'/><up_axis>Z_UP</up_axis></asset>"
      "<library_geometries><geometry id='g'><mesh><source id='p'><float_array id='pa' count='12'>0 0 0 1000 0 0 0 2000 0 0 0 3000</float_array>"
      "<technique_common><accessor source='#pa' count='4' stride='3'><param name='X' type='float'/><param name='Y' type='float'/><param name='Z' type='float'/></accessor></technique_common></source>"
      "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
      "<triangles count='4'><input semantic='VERTEX' source='#v' offset='0'/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>"
      "<library_visual_scenes><visual_scene id='s'><node id='n'><instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>"
      "<scene><instance_visual_scene url='#s'/></scene></COLLADA>";
  char path[] = "/tmp/holdfast_mesh_XXXXXX.dae";
  int file = mkstemps(path, 4);
  assert_true(file >= 0);
  FILE* out = fdopen(file, "w");
  fputs(text, out);
  fclose(out);
  hfiTriMesh m = {0};
  hfError error;
  hfStatus status = hfi_trimesh_load(&m, path, &error);
  remove(path);
  if (status == HF_ERROR_UNSUPPORTED) skip();
  assert_int_equal(status, HF_OK);
  assert_int_equal(m.ntri, 4);
  double top = 0;
  for (int i = 0; i < m.nvert; ++i) top = fmax(top, m.vert[3 * i + 2]);
  // millimetres became metres, z stayed up; assimp works in single precision
  assert_float_equal(top, 3, 1e-6);
  assert_float_equal(volume(&m, m.tri, m.ntri), 1, 1e-5);
  hfi_trimesh_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_three_formats_of_one_solid), cmocka_unit_test(test_folder_that_is_not_there), cmocka_unit_test(test_transformation),
      cmocka_unit_test(test_random_hulls),               cmocka_unit_test(test_hull_limits),
      cmocka_unit_test(test_collada),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
