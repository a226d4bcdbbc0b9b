// Mesh readers, transformation and hulls. Oracles: Euler's formula and the volume of known solids.
#include "import/support.h"

#include "io/mesh/mesh.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <unistd.h>

static hfiTriMesh load_mesh(const char* path) {
  hfiTriMesh mesh = {0};
  hfError error = {HF_OK, ""};
  if (hfi_trimesh_load(&mesh, path, &error) != HF_OK) fail_msg("%s", error.message);
  return mesh;
}

static void put_bytes(char* out, size_t* n, const void* value, size_t size, int big_endian) {
  for (size_t i = 0; i < size; ++i) out[(*n)++] = ((const char*)value)[big_endian ? size - 1 - i : i]; // the machine is little-endian
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

// A box of 1 x 2 x 3 of six quadrilaterals: as text and as bytes in both orders, with elements and properties that say nothing of its shape.
static void test_ply(void** state) {
  (void)state;
  static const char* const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  static const uint16_t corner[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (int f = 0; f < 3; ++f) {
    char text[2000];
    size_t n = (size_t)snprintf(text, sizeof text,
                                "ply\r\nformat %s 1.0\ncomment a box\nobj_info none\nelement camera 1\nproperty list uchar short what\nelement vertex 8\n"
                                "property uchar red\nproperty float x\nproperty float64 y\nproperty float z\nelement face 6\nproperty list uchar ushort vertex_index\n"
                                "property int8 group\nend_header\n", formats[f]);
    if (f == 0) n += (size_t)snprintf(text + n, sizeof text - n, "2 -5 7\n");
    else put_bytes(text, &n, &(uint8_t){1}, 1, f == 2), put_bytes(text, &n, &(int16_t){-5}, 2, f == 2);
    for (int i = 0; i < 8; ++i) {
      float x = (float)(i & 1), z = 3 * (float)(i >> 2);
      double y = 2 * (i >> 1 & 1);
      if (f == 0) n += (size_t)snprintf(text + n, sizeof text - n, "255 %g %g %g\n", (double)x, y, (double)z);
      else put_bytes(text, &n, &(uint8_t){255}, 1, 0), put_bytes(text, &n, &x, 4, f == 2), put_bytes(text, &n, &y, 8, f == 2), put_bytes(text, &n, &z, 4, f == 2);
    }
    for (int i = 0; i < 6; ++i) {
      if (f == 0) n += (size_t)snprintf(text + n, sizeof text - n, "4 %d %d %d %d -1\n", corner[i][0], corner[i][1], corner[i][2], corner[i][3]);
      else put_bytes(text, &n, &(uint8_t){4}, 1, 0);
      for (int k = 0; f > 0 && k < 4; ++k) put_bytes(text, &n, &corner[i][k], 2, f == 2);
      if (f > 0) put_bytes(text, &n, &(int8_t){-1}, 1, 0);
    }
    text[n] = 0;
    hfiTriMesh m = {0};
    hfError error = {HF_OK, ""};
    if (hfi_trimesh_read_ply(&m, text, n, "box.ply", &error) != HF_OK) fail_msg("%s: %s", formats[f], error.message);
    assert_int_equal(m.nvert, 8);
    assert_int_equal(m.ntri, 12);
    assert_float_equal(volume(&m, m.tri, m.ntri), 6, 0);
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

// The corner of a unit cube has the volume 1/6 and its centre of mass at 1/4. In MJCF the second object adds points to the hull, in URDF mass too.
static void test_objects_of_a_file(void** state) {
  (void)state;
  static const char mjcf[] = "<mujoco><asset><mesh name='e' file='objects.obj'/></asset>"
                             "<worldbody><body><freejoint/><geom type='mesh' mesh='e'/></body></worldbody></mujoco>";
  hfModel* m = NULL;
  hfError error = {HF_OK, ""};
  if (hf_model_parse(&m, mjcf, strlen(mjcf), "test", DATA, NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  assert_below(fabs(hf_model_body_mass(m)[1] - 1000. / 6), 1e-9);
  for (int i = 0; i < 3; ++i) assert_below(fabs(hf_model_body_com(m)[3 + i] - 0.25), 1e-12);
  hf_model_free(m);
  hfiTriMesh mesh = load_mesh(DATA "/objects.obj");
  assert_int_equal(mesh.ntri, 8);
  assert_int_equal(mesh.nfirst, 4); // the empty object before it does not count
  hfi_trimesh_release(&mesh);
  mesh = load_mesh(DATA "/ell.obj");
  assert_int_equal(mesh.nfirst, mesh.ntri);
  hfi_trimesh_release(&mesh);
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
  assert_at_most(m.nhulltri, 2 * 12 - 4);
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

// Writes a mesh file, reads it and removes it.
static hfStatus load_text(hfiTriMesh* m, const char* extension, const void* bytes, size_t size, hfError* error) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/holdfast_mesh_XXXXXX.%s", extension);
  int file = mkstemps(path, (int)strlen(extension) + 1);
  assert_at_least(file, 0);
  assert_int_equal(write(file, bytes, size), (ssize_t)size);
  close(file);
  hfStatus status = hfi_trimesh_load(m, path, error);
  remove(path);
  return status;
}

#define COLLADA(unit, primitives, nodes)                                                                               \
  "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>"                \
  "<asset><unit meter='" unit "'/><up_axis>Z_UP</up_axis></asset>"                                                     \
  "<library_geometries><geometry id='g'><mesh><source id='p'><float_array id='pa' count='12'>"                         \
  "0 0 0 1000 0 0 0 2000 0 0 0 3000</float_array><technique_common><accessor source='#pa' count='4' stride='3'/>"      \
  "</technique_common></source><source id='n'><float_array id='na' count='3'>0 0 1</float_array></source>"             \
  "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>" primitives "</mesh></geometry></library_geometries>" \
  "<library_nodes><node id='part'><instance_geometry url='#g'/></node></library_nodes>"                                \
  "<library_visual_scenes><visual_scene id='s'>" nodes "</visual_scene></library_visual_scenes>"                       \
  "<scene><instance_visual_scene url='#s'/></scene></COLLADA>"
#define TRIANGLES "<triangles count='4'><input semantic='VERTEX' source='#v' offset='0'/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>"
#define NODE "<node id='n'><instance_geometry url='#g'/></node>"

static void expect_tetrahedron(const char* extension, const void* bytes, size_t size, double factor) {
  hfiTriMesh m = {0};
  hfError error;
  if (load_text(&m, extension, bytes, size, &error) != HF_OK) fail_msg("%s", error.message);
  assert_int_equal(m.nvert, 4);
  assert_int_equal(m.ntri, 4);
  double top = 0;
  for (int i = 0; i < m.nvert; ++i) top = fmax(top, m.vert[3 * i + 2]);
  assert_float_equal(top, 3 * factor, 1e-12);
  assert_float_equal(volume(&m, m.tri, m.ntri), factor * factor * factor, 1e-12); // outward, so positive
  hfi_trimesh_release(&m);
}

// A tetrahedron of 1 x 2 x 3 m, volume 1, in every way that COLLADA has to write it.
static void test_collada(void** state) {
  (void)state;
  static const char* const texts[] = {
      COLLADA("0.001", TRIANGLES, NODE),
      // polygons with a second input between the indices of positions; two primitives
      COLLADA("0.001",
              "<polylist count='2'><input semantic='VERTEX' source='#v' offset='1'/><input semantic='NORMAL' source='#n' offset='0'/>"
              "<vcount>3 3</vcount><p>0 0 0 2 0 1 0 0 0 1 0 3</p></polylist>"
              "<polygons count='2'><input semantic='VERTEX' source='#v' offset='0'/><p>0 3 2</p><p>1 2 3</p></polygons>",
              NODE),
      COLLADA("0.001",
              "<tristrips count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>1 2 3 0</p></tristrips>"
              "<trifans count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>1 0 2</p><p>1 3 0</p></trifans>",
              "<node><instance_geometry url='#g'/></node>"),
      // the node mirrors x and a second scale mirrors it back; a node that is placed by reference
      COLLADA("1", TRIANGLES, "<node><scale>0.001 0.001 0.001</scale><node><scale>-1 1 1</scale><node><scale>-1 1 1</scale>"
                              "<instance_node url='#part'/></node></node></node>"),
      COLLADA("0.001", TRIANGLES, "<node><rotate>0 0 1 90</rotate><rotate>0 0 1 -90</rotate><translate>5 0 0</translate>"
                                  "<matrix>1 0 0 -5 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url='#g'/></node>"),
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) expect_tetrahedron("dae", texts[i], strlen(texts[i]), 1);
}

static void test_broken_collada_is_refused(void** state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {COLLADA("1", TRIANGLES, "<node><instance_geometry url='#missing'/></node>"), "there is no <geometry> \"#missing\""},
      {COLLADA("1", "<triangles count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 9</p></triangles>", NODE), "index 9, but there are 4 positions"},
      {COLLADA("1", "<polylist count='1'><input semantic='VERTEX' source='#v' offset='0'/><vcount>7</vcount><p>0 1 2</p></polylist>", NODE), "polygon 0 has 7 corners, 3 are left"},
      {COLLADA("1", "<triangles count='1'><input semantic='VERTEX' source='#p' offset='0'/><p>0 1 2</p></triangles>", NODE), "there is no <vertices> \"#p\""},
      {COLLADA("1", TRIANGLES, "<node id='self'><instance_node url='#self'/></node>"), "does a node contain itself?"},
      {COLLADA("1", "", NODE), "no triangles"},
      {"<a/>", "this is no COLLADA file"},
      {"<COLLADA", "malformed XML"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    hfiTriMesh m = {0};
    hfError error;
    assert_below(load_text(&m, "dae", cases[i].text, strlen(cases[i].text), &error), 0);
    if (!strstr(error.message, cases[i].message)) fail_msg("%s", error.message);
    assert_null(m.vert);
  }
}

// ---- glTF -------------------------------------------------------------------------------------------

// The tetrahedron with y up: (x, y, z) of the scene is (x, z, -y) of the file. 48 bytes of positions, 12 bytes of indices.
static void put_gltf_bytes(unsigned char bytes[60]) {
  const float position[12] = {0, 0, 0, 1, 0, 0, 0, 0, -2, 0, 3, 0};
  const unsigned char corner[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  memcpy(bytes, position, 48);
  memcpy(bytes + 48, corner, 12);
}

#define GLTF(buffer, node)                                                                                             \
  "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[" node "],"                    \
  "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"                                   \
  "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"                            \
  "{\"bufferView\":1,\"componentType\":5121,\"count\":12,\"type\":\"SCALAR\"}],"                                       \
  "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":12}],"             \
  "\"buffers\":[{\"byteLength\":60" buffer "}]}"

static void encode_base64(const unsigned char* bytes, size_t size, char* text) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size; i += 3) { // size is a multiple of 3
    unsigned word = (unsigned)bytes[i] << 16 | (unsigned)bytes[i + 1] << 8 | bytes[i + 2];
    for (int k = 18; k >= 0; k -= 6) *text++ = digits[word >> k & 63];
  }
  *text = '\0';
}

static size_t put_word(unsigned char* at, uint32_t word) {
  for (int i = 0; i < 4; ++i) at[i] = (unsigned char)(word >> (8 * i));
  return 4;
}

static size_t make_glb(const char* json, const unsigned char* binary, size_t size, unsigned char* out) {
  size_t n = 0, length = strlen(json);
  memcpy(out, "glTF", 4), n = 4;
  n += put_word(out + n, 2);
  n += put_word(out + n, (uint32_t)(12 + 8 + length + 8 + size));
  n += put_word(out + n, (uint32_t)length), n += put_word(out + n, 0x4E4F534A);
  memcpy(out + n, json, length), n += length;
  n += put_word(out + n, (uint32_t)size), n += put_word(out + n, 0x004E4942);
  memcpy(out + n, binary, size);
  return n + size;
}

// The bytes in the text, in the binary file and in a file beside it; nodes that move, turn and scale.
static void test_gltf(void** state) {
  (void)state;
  unsigned char bytes[60], glb[4096];
  char base64[100], text[4096];
  put_gltf_bytes(bytes);
  encode_base64(bytes, sizeof bytes, base64);
  snprintf(text, sizeof text, GLTF(",\"uri\":\"data:application/octet-stream;base64,%s\"", "{\"mesh\":0}"), base64);
  expect_tetrahedron("gltf", text, strlen(text), 1);
  snprintf(text, sizeof text, GLTF(",\"uri\":\"data:application/octet-stream;base64,%s\"",
                                   "{\"children\":[1],\"scale\":[-2,2,2]},{\"mesh\":0,\"matrix\":[-1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}"), base64);
  expect_tetrahedron("gltf", text, strlen(text), 2);
  size_t size = make_glb(GLTF("", "{\"mesh\":0,\"rotation\":[0,1,0,0],\"children\":[]}"), bytes, sizeof bytes, glb);
  expect_tetrahedron("glb", glb, size, 1);
  FILE* beside = fopen("/tmp/holdfast mesh.bin", "wb");
  fwrite(bytes, 1, sizeof bytes, beside);
  fclose(beside);
  const char* json = GLTF(",\"uri\":\"holdfast%20mesh.bin\"", "{\"mesh\":0}");
  expect_tetrahedron("gltf", json, strlen(json), 1);
  remove("/tmp/holdfast mesh.bin");
}

static void test_broken_gltf_is_refused(void** state) {
  (void)state;
  unsigned char bytes[60], glb[4096];
  put_gltf_bytes(bytes);
  static const struct {
    const char *json, *message;
  } cases[] = {
      {GLTF("", "{\"children\":[0]}"), "more than 500 deep"},
      {GLTF("", "{\"children\":[7]}"), "node 7 is not there"},
      {GLTF("0", "{\"mesh\":0}"), "buffer 0 has 60 bytes, not the announced 600"},
      {GLTF(",\"uri\":\"no such file\"", "{\"mesh\":0}"), "no such file"},
      {"[]", "this is no glTF document"},
      {"{", "end of file"},
      {"{}", "no scene"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    hfiTriMesh m = {0};
    hfError error;
    size_t size = make_glb(cases[i].json, bytes, sizeof bytes, glb);
    assert_below(load_text(&m, "glb", glb, size, &error), 0);
    if (!strstr(error.message, cases[i].message)) fail_msg("%s", error.message);
    assert_null(m.vert);
  }
  // every file that is cut short, and an index beyond the positions
  size_t size = make_glb(GLTF("", "{\"mesh\":0}"), bytes, sizeof bytes, glb);
  for (size_t n = 0; n < size; ++n) {
    hfiTriMesh m = {0};
    assert_below(load_text(&m, "glb", glb, n, NULL), 0);
  }
  bytes[59] = 4;
  hfiTriMesh m = {0};
  hfError error;
  assert_true(load_text(&m, "glb", glb, make_glb(GLTF("", "{\"mesh\":0}"), bytes, sizeof bytes, glb), &error) < 0);
  assert_non_null(strstr(error.message, "index 4, but there are 4 positions"));
}

// Areas of the triangles, all of which must face up: a polygon in the plane z = 0 that was divided well has its own area.
static double area_facing_up(const hfiTriMesh* m, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double *a = m->vert + 3 * m->tri[3 * i], *b = m->vert + 3 * m->tri[3 * i + 1], *c = m->vert + 3 * m->tri[3 * i + 2];
    double area = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
    assert_above(area, 0);
    sum += area;
  }
  return sum;
}

static hfiTriMesh read_obj(const char* text) {
  hfiTriMesh m = {0};
  hfError error;
  if (hfi_trimesh_read_obj(&m, text, strlen(text), "test.obj", &error) != HF_OK) fail_msg("%s", error.message);
  return m;
}

// A comb of three teeth has area 3 + 3 * 1: triangles that share its first corner would overlap.
static void test_concave_polygon(void** state) {
  (void)state;
  hfiTriMesh m = read_obj("v 0 0 0\nv 5 0 0\nv 5 1.6 0\nv 4 1.6 0\nv 4 0.6 0\nv 3 0.6 0\nv 3 1.6 0\nv 2 1.6 0\nv 2 0.6 0\nv 1 0.6 0\n"
                          "v 1 1.6 0\nv 0 1.6 0\nf 1 2 3 4 5 6 7 8 9 10 11 12\n");
  assert_int_equal(m.ntri, 10);
  assert_float_equal(area_facing_up(&m, 10), 6, 1e-13);
  hfi_trimesh_release(&m);
}

// Faces of two corners, as some tools write edges, have no area: MuJoCo reads such files, too.
static void test_faces_of_two_corners(void** state) {
  (void)state;
  hfiTriMesh m = read_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 -1\nf 1 2\nf 1 2 3\n");
  assert_int_equal(m.ntri, 1);
  assert_float_equal(area_facing_up(&m, 1), 0.5, 0);
  hfi_trimesh_release(&m);
}

// Which diagonal divides a quadrilateral: found with MuJoCo 4, as its mesh_face has them.
static void test_quads_as_in_mujoco(void** state) {
  (void)state;
  static const struct {
    const char* vertices;
    int32_t tri[6];
  } cases[] = {{"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n", {0, 1, 3, 1, 2, 3}},
               {"v 0 0 0\nv 1 0.4 0\nv 3 3 0\nv 0.4 1 0\n", {0, 1, 3, 1, 2, 3}},
               {"v 1 0.4 0\nv 3 3 0\nv 0.4 1 0\nv 0 0 0\n", {0, 1, 2, 0, 2, 3}},
               {"v 0 0 0\nv 2 0 0\nv 0.5 0.5 0\nv 0 2 0\n", {0, 1, 2, 0, 2, 3}},
               {"v 2 0 0\nv 0.5 0.5 0\nv 0 2 0\nv 0 0 0\n", {0, 1, 3, 1, 2, 3}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[200];
    snprintf(text, sizeof text, "%sf 1 2 3 4\n", cases[i].vertices);
    hfiTriMesh m = read_obj(text);
    assert_int_equal(m.ntri, 2);
    assert_memory_equal(m.tri, cases[i].tri, sizeof cases[i].tri);
    hfi_trimesh_release(&m);
  }
}

// Masses of built-in meshes, as MuJoCo 4.0.0 has them; its vertices are in single precision.
static void test_builtins(void** state) {
  (void)state;
  static const struct {
    const char *word, *params;
    double mass;
  } cases[] = {{"sphere", "0", 2536.15047266241}, {"sphere", "1", 3658.712126251761}, {"sphere", "3", 4152.7407781286}, {"hemisphere", "1", 1471.4044623592551},
               {"hemisphere", "4", 1973.01804225104}, {"cone", "4 0.5", 2333.333333333333}, {"cone", "5 0", 1585.094227875054},
               {"supersphere", "30 .5 .5", 6431.716949492077}, {"supersphere", "7 1.5 .3", 4190.17816654051}, {"supersphere", "9 3 2.5", 649.188111968754}, {"supertorus", "20 .3 1 1", 1718.84693253099},
               {"supertorus", "9 .4 .5 .7", 3604.68294965523}, {"wedge", "4 4 90 90 0", 1115.2212539129353}, {"wedge", "3 5 60 45 .3", 207.78308612390586},
               {"wedge", "6 3 180 80 .7", 2058.33172386588}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[400];
    snprintf(text, sizeof text, "<mujoco><asset><mesh name='m' builtin='%s' params='%s' inertia='exact'/></asset><worldbody><body><freejoint/>"
             "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>", cases[i].word, cases[i].params);
    hfModel* m = parse(text);
    assert_float_equal(hf_model_body_mass(m)[1] / cases[i].mass, 1, 1e-6);
    hf_model_free(m);
  }
}

// A tetrahedron with a normal and a texture coordinate between its vertices and its faces.
static void test_msh(void** state) {
  (void)state;
  static const float vertex[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, between[5] = {0, 0, 1, 0, 0};
  static const int32_t count[4] = {4, 1, 1, 4}, face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  char file[16 + 48 + 20 + 48 + 1] = {0};
  const int32_t one = 1;
  if (*(const char*)&one != 1) skip(); // the arrays above are written as this machine has them
  memcpy(file, count, 16), memcpy(file + 16, vertex, 48), memcpy(file + 64, between, 20), memcpy(file + 84, face, 48);
  hfiTriMesh m = {0};
  hfError error;
  assert_int_equal(hfi_trimesh_read_msh(&m, file, sizeof file - 1, "t.msh", &error), HF_OK);
  assert_int_equal(m.nvert, 4);
  assert_float_equal(volume(&m, m.tri, m.ntri), 1.0 / 6, 1e-14);
  hfi_trimesh_release(&m);
  assert_int_equal(hfi_trimesh_read_msh(&m, file, sizeof file - 2, "t.msh", &error), HF_ERROR_PARSE);
  assert_non_null(strstr(error.message, "t.msh: its size does not fit 4 vertices"));
  assert_int_equal(hfi_trimesh_read_msh(&m, file, 15, "t.msh", &error), HF_ERROR_PARSE);
  file[84] = 4;
  assert_int_equal(hfi_trimesh_read_msh(&m, file, sizeof file - 1, "t.msh", &error), HF_ERROR_PARSE);
  assert_non_null(strstr(error.message, "face 0 names vertex 4 of 4"));
  file[84] = 0, file[19] = 0x7f, file[18] = (char)0x80;
  assert_int_equal(hfi_trimesh_read_msh(&m, file, sizeof file - 1, "t.msh", &error), HF_ERROR_NONFINITE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_msh), cmocka_unit_test(test_ply), cmocka_unit_test(test_builtins),
      cmocka_unit_test(test_concave_polygon), cmocka_unit_test(test_faces_of_two_corners), cmocka_unit_test(test_quads_as_in_mujoco),
      cmocka_unit_test(test_three_formats_of_one_solid), cmocka_unit_test(test_folder_that_is_not_there), cmocka_unit_test(test_objects_of_a_file), cmocka_unit_test(test_transformation),
      cmocka_unit_test(test_random_hulls),               cmocka_unit_test(test_hull_limits),
      cmocka_unit_test(test_collada),                    cmocka_unit_test(test_broken_collada_is_refused),
      cmocka_unit_test(test_gltf),                       cmocka_unit_test(test_broken_gltf_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
