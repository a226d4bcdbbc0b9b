// The hulls of meshes like those of robots' links: a thousand vertices in millimetres, rounded to single precision as
// an STL file has them, with round, flat, thin and not convex parts. The test writes the files and reads them back.
#include "geometry/hull_checks.h"

#include <stdio.h>
#include <unistd.h>

// A closed surface of rings one above the other. point() gives the vertex at height z in [0, 1] and angle a [rad].
typedef struct linkMesh {
  const char* name;
  int rings, segments;
  hfVec3 (*point)(double z, double a);
} linkMesh;

static hfVec3 ring(double radius, double a, double height) { return v3(radius * cos(a), radius * sin(a), height); }

// The cylinder of a joint's motor, 120 mm high, with edges rounded by 12 mm.
static hfVec3 housing(double z, double a) {
  double h = 120 * z, inside = 12 - fmin(12, fmin(h, 120 - h));
  return ring(48 + sqrt(144 - inside * inside), a, h);
}
// A forearm that goes from a circle to a square with round corners and is bent in the middle.
static hfVec3 forearm(double z, double a) {
  double power = 2 + 6 * z, radius = 50 / pow(pow(fabs(cos(a)), power) + pow(fabs(sin(a)), power), 1 / power);
  hfVec3 p = ring(radius * (1 - 0.3 * z), a, 400 * z);
  p.x += 60 * sin(3.14159265358979 * z);
  return p;
}
// A gear: its two flat faces have many vertices in one plane, which are not the corners of a convex polygon.
static hfVec3 gear(double z, double a) { return ring(fmod(a, 0.2) < 0.1 ? 30 : 27, a, 8 * z); }
// A plate of 160 by 120 by 1.5 mm with rounded corners.
static hfVec3 plate(double z, double a) {
  double r = 1 / pow(pow(fabs(cos(a)), 8) + pow(fabs(sin(a)), 8), 0.125);
  return v3(80 * r * cos(a), 60 * r * sin(a), 1.5 * z);
}
// The tip of a finger: half an ellipsoid.
static hfVec3 fingertip(double z, double a) {
  double r = sqrt(fmax(0, 1 - z * z));
  return v3(12 * r * cos(a), 9 * r * sin(a), 25 * z);
}

static const linkMesh meshes[] = {{"housing", 25, 48, housing}, {"forearm", 33, 40, forearm}, {"gear", 3, 252, gear}, {"plate", 2, 96, plate}, {"fingertip", 24, 40, fingertip}};
enum { MESHES = sizeof meshes / sizeof *meshes };

static hfVec3 vertex(const linkMesh* m, int k, int j) {
  return m->point((double)k / (m->rings - 1), 6.283185307179586 * (j % m->segments) / m->segments);
}

// A triangle of an STL file: normal (not read), three corners, two spare bytes.
static void write_triangle(FILE* out, hfVec3 a, hfVec3 b, hfVec3 c) {
  float value[12] = {0, 0, 0, (float)a.x, (float)a.y, (float)a.z, (float)b.x, (float)b.y, (float)b.z, (float)c.x, (float)c.y, (float)c.z};
  char spare[2] = {0};
  fwrite(value, sizeof value, 1, out);
  fwrite(spare, sizeof spare, 1, out);
}

static void write_stl(const linkMesh* m) {
  char name[64], header[80] = {0};
  snprintf(name, sizeof name, "%s.stl", m->name);
  FILE* out = fopen(name, "wb");
  assert_non_null(out);
  uint32_t count = (uint32_t)(2 * m->segments * (m->rings - 1) + 2 * (m->segments - 2));
  fwrite(header, sizeof header, 1, out);
  fwrite(&count, sizeof count, 1, out);
  for (int k = 0; k + 1 < m->rings; ++k)
    for (int j = 0; j < m->segments; ++j) {
      write_triangle(out, vertex(m, k, j), vertex(m, k, j + 1), vertex(m, k + 1, j));
      write_triangle(out, vertex(m, k, j + 1), vertex(m, k + 1, j + 1), vertex(m, k + 1, j));
    }
  for (int j = 1; j + 1 < m->segments; ++j) { // the lids
    write_triangle(out, vertex(m, 0, 0), vertex(m, 0, j + 1), vertex(m, 0, j));
    write_triangle(out, vertex(m, m->rings - 1, 0), vertex(m, m->rings - 1, j), vertex(m, m->rings - 1, j + 1));
  }
  assert_int_equal(fclose(out), 0);
}

static hfModel* load_meshes(void) {
  char xml[2048], *at = xml;
  at += sprintf(at, "<mujoco><asset>");
  for (int i = 0; i < MESHES; ++i) at += sprintf(at, "<mesh name='%s' file='%s.stl' scale='0.001 0.001 0.001'/>", meshes[i].name, meshes[i].name);
  at += sprintf(at, "</asset><worldbody>");
  for (int i = 0; i < MESHES; ++i) at += sprintf(at, "<geom type='mesh' mesh='%s'/>", meshes[i].name);
  at += sprintf(at, "</worldbody></mujoco>");
  hfModel* m = NULL;
  hfError error;
  if (hf_model_parse(&m, xml, strlen(xml), "test.xml", ".", NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  assert_int_equal(m->nmesh, MESHES);
  return m;
}

static void test_hulls_of_links(void** state) {
  (void)state;
  char folder[] = "/tmp/holdfast-meshes-XXXXXX", file[64];
  testRandom r = {53};
  print_message("seed 53\n");
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  for (int i = 0; i < MESHES; ++i) write_stl(&meshes[i]);
  hfModel* m = load_meshes();
  check_model_hulls(&r, m);
  hf_model_free(m);
  for (int i = 0; i < MESHES; ++i) {
    snprintf(file, sizeof file, "%s.stl", meshes[i].name);
    remove(file);
  }
  assert_int_equal(chdir("/"), 0);
  assert_int_equal(rmdir(folder), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_hulls_of_links)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
