// Rigid contact by complementarity and by dissipation, against closed forms.
#include "support/near.h"
#include "support/sim_world.h"
#include "support/step_problems.h"
#include <holdfast/mlcp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double kPi = 3.14159265358979323846;

// A block of 2 kg on the ground, pushed along x.
static const char* const kBlock =
    "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='1 1 1' friction='0.5'/>"
    "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='2' friction='0.5'/></body></worldbody></mujoco>";

static simWorld make(const char* xml, int form, int method, int edges) {
  simWorld w = {.model = parse_model(xml)};
  hfError error;
  hfSimConfig config = hf_sim_config_default();
  config.method = HF_METHOD_MLCP;
  config.mlcp.form = form;
  config.mlcp.method = method;
  config.mlcp.edges = edges;
  if (hf_sim_create(&w.sim, w.model, &config, &error) != HF_OK) fail_msg("%s", error.message);
  w.state = hf_state_create(w.model);
  w.input = hf_input_create(w.model);
  return w;
}

static const struct { int form, method; } kWays[] = {
    {HF_MLCP_COMPLEMENTARITY, HF_LCP_LEMKE}, {HF_MLCP_COMPLEMENTARITY, HF_LCP_DANTZIG}, {HF_MLCP_TWO_STAGE, HF_LCP_LEMKE}, {HF_MLCP_DISSIPATION, HF_LCP_LEMKE}};
enum { WAYS = sizeof kWays / sizeof *kWays };

// Below mu m g = 9.81 N it stays; above, it gains (F - mu m g)/m.
static void test_block_sticks_and_slides(void** state) {
  (void)state;
  for (int k = 0; k < WAYS; ++k) {
    simWorld w = make(kBlock, kWays[k].form, kWays[k].method, 8);
    w.input->force[0] = 5;
    sim_world_step(&w, 20);
    // the dissipation form adds 1e-4 of the diagonal to contacts: that part of g h = 0.1 m/s
    double still = kWays[k].form == HF_MLCP_DISSIPATION ? 2e-5 : 1e-6;
    assert_below(fabs(sim_v(&w)[0]), still);
    assert_below(fabs(sim_v(&w)[2]), still);
    if (kWays[k].form == HF_MLCP_DISSIPATION) { // lifts what slides: normal forces buy friction
      sim_world_free(&w);
      continue;
    }
    w.input->force[0] = 15;
    sim_world_step(&w, 20);
    // x is an edge of the cone and a side of the pyramid; the push acts at the centre of mass
    assert_below(fabs(sim_v(&w)[0] - 0.2 * (15 - 0.5 * 2 * 9.81) / 2), 1e-5);
    sim_world_free(&w);
  }
}

// Where nothing pushes a block, the first stage of the two leaves velocities that are rounding errors: step 2 of 1 kg was not solved.
static void test_block_rests(void** state) {
  (void)state;
  static const double masses[] = {0.01, 0.3, 1, 2, 7, 1000};
  for (int k = 0; k < WAYS; ++k)
    for (size_t i = 0; i < sizeof masses / sizeof *masses; ++i) {
      char xml[500];
      snprintf(xml, sizeof xml,
               "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='1 1 1' friction='0.5'/>"
               "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='%g' friction='0.5'/></body></worldbody></mujoco>",
               masses[i]);
      simWorld w = make(xml, kWays[k].form, kWays[k].method, 8);
      sim_world_step(&w, 100); // fails where a step is not solved
      // the dissipation form adds 1e-4 of the diagonal to contacts: that part of g h = 0.1 m/s
      assert_below(fabs(sim_v(&w)[2]), (kWays[k].form == HF_MLCP_DISSIPATION ? 2e-5 : 1e-9));
      sim_world_free(&w);
    }
}

// A cone with k edges holds mu N along an edge and mu N cos(pi/k) halfway between two.
static void test_cones_of_k_edges(void** state) {
  (void)state;
  static const int edges[] = {4, 6, 8, 16};
  for (int i = 0; i < 8; ++i) {
    int k = edges[i / 2], between = i % 2;
    double angle = between ? kPi / k : 0, hold = 0.5 * 2 * 9.81 * (between ? cos(kPi / k) : 1);
    for (int slides = 0; slides < 2; ++slides) {
      simWorld w = make(kBlock, HF_MLCP_COMPLEMENTARITY, HF_LCP_LEMKE, k);
      double push = hold * (slides ? 1.02 : 0.98);
      w.input->force[0] = push * cos(angle), w.input->force[1] = push * sin(angle);
      sim_world_step(&w, 10);
      double speed = hypot(sim_v(&w)[0], sim_v(&w)[1]);
      // held friction is at most hold, so what slides gains 2 % of it over 0.1 s
      if (slides) assert_above(speed, 0.9 * 0.1 * 0.02 * hold / 2);
      else assert_below(speed, 1e-6);
      sim_world_free(&w);
    }
  }
}

// A sled of 1 kg on the ground drives a load of 10 kg along itself at 0.01 m/s, for which friction could hold it.
// Least kinetic energy is a sled that slides back by 10/11 of that, without any friction (two-stage): it
// skates. Energy measured from the prescribed motion leaves the sled at rest.
static void test_what_drives_sticks_by_dissipation_and_skates_by_energy(void** state) {
  (void)state;
  const char* xml = "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='1 1 1' friction='0.5'/>"
                    "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1' friction='0.5'/>"
                    "<body><joint type='slide' axis='1 0 0'/><geom type='box' size='0.05 0.05 0.05' mass='10' contype='0' conaffinity='0'/></body></body></worldbody></mujoco>";
  static const struct { int form; double sled, tolerance; } expect[] = {{HF_MLCP_DISSIPATION, 0, 2e-5}, {HF_MLCP_TWO_STAGE, -0.1 / 11, 1e-5}};
  for (int i = 0; i < 2; ++i) {
    simWorld w = make(xml, expect[i].form, HF_LCP_LEMKE, 8);
    w.input->velocity_target[6] = 0.01;
    sim_world_step(&w, 1);
    assert_below(fabs(sim_v(&w)[6] - 0.01), 1e-6);
    assert_below(fabs(sim_v(&w)[0] - expect[i].sled), expect[i].tolerance);
    sim_world_free(&w);
  }
}

// Targets with a limit on a slide under gravity: met within it, exactly the limit beyond.
static void test_target_under_limit(void** state) {
  (void)state;
  const char* xml = "<mujoco><worldbody><body><joint name='z' type='slide' axis='0 0 1'/><geom size='0.1' mass='1'/></body></worldbody></mujoco>";
  for (int k = 0; k < WAYS; ++k) {
    simWorld w = make(xml, kWays[k].form, kWays[k].method, 4);
    w.input->velocity_target[0] = 0.2;
    w.input->force_limit[0] = 200;
    sim_world_step(&w, 2);
    assert_below(fabs(sim_v(&w)[0] - 0.2), 1e-6);
    assert_below(fabs(hf_sim_target_force(w.sim)[0] - 9.81), 1e-4);
    sim_world_free(&w);
  }
  simWorld w = make(xml, HF_MLCP_COMPLEMENTARITY, HF_LCP_LEMKE, 4);
  w.input->velocity_target[0] = 0.2;
  w.input->force_limit[0] = 5;
  sim_world_step(&w, 10);
  assert_below(fabs(sim_v(&w)[0] + 10 * 0.002 * (9.81 - 5)), 1e-9);
  sim_world_free(&w);
}

// A mass held between two targets that cannot both be: no solution, and the state stays.
static void test_failure_keeps_the_state(void** state) {
  (void)state;
  const char* xml = "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.1'>"
                    "<joint type='slide' axis='0 0 1'/><geom size='0.1' mass='1'/></body></worldbody></mujoco>";
  simWorld w = make(xml, HF_MLCP_COMPLEMENTARITY, HF_LCP_LEMKE, 4);
  hfError error = {HF_OK, ""};
  hfStepReport report;
  w.input->velocity_target[0] = -1; // into the ground, without limit
  hfStatus status = hf_sim_step(w.sim, w.state, w.input, &report, &error);
  assert_above(status, 0);
  assert_true(report.status == status);
  assert_true(w.state->time == 0 && sim_v(&w)[0] == 0);
  sim_world_free(&w);
}

// A torque with which the numbers of the problem overflow: a difficulty of the step, not a refusal, and the state stays.
static void test_numbers_that_overflow(void** state) {
  (void)state;
  const char* xml = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.1'><freejoint/>"
                    "<geom type='box' size='.1 .1 .1' mass='1e-3'/></body></worldbody></mujoco>";
  simWorld w = make(xml, HF_MLCP_COMPLEMENTARITY, HF_LCP_LEMKE, 4);
  hfError error = {HF_OK, ""};
  hfStepReport report;
  w.input->force[4] = 1e308;
  assert_int_equal(hf_sim_step(w.sim, w.state, w.input, &report, &error), HF_SINGULAR);
  assert_int_equal(report.status, HF_SINGULAR);
  assert_true(w.state->time == 0 && sim_q(&w)[2] == 0.1);
  sim_world_free(&w);
}

// A target without a force limit that drives into the floor has no solution. Sensors and contacts are then those of the state that stays, and
// not those of the step before, which was taken elsewhere.
static void test_results_of_a_step_that_is_not_taken(void** state) {
  (void)state;
  simWorld w = make("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.1'><joint name='j' type='slide' axis='0 0 1'/>"
                    "<geom size='0.1' mass='1'/></body></worldbody><sensor><jointpos joint='j'/><clock/></sensor></mujoco>",
                    HF_MLCP_COMPLEMENTARITY, HF_LCP_LEMKE, 4);
  hfError error = {HF_OK, ""};
  sim_q(&w)[0] = 2;
  assert_int_equal(hf_sim_step(w.sim, w.state, w.input, NULL, &error), HF_OK);
  assert_int_equal(hf_sim_contact_count(w.sim), 0);
  sim_q(&w)[0] = -1e-4, sim_v(&w)[0] = 0, w.state->time = 7;
  w.input->velocity_target[0] = -1;
  assert_above(hf_sim_step(w.sim, w.state, w.input, NULL, &error), 0);
  assert_true(w.state->time == 7);
  assert_true(hf_sim_sensors(w.sim)[0] == -1e-4 && hf_sim_sensors(w.sim)[1] == 7);
  assert_int_equal(hf_sim_contact_count(w.sim), 1);
  sim_world_free(&w);
}

static void test_refuses_what_has_no_room(void** state) {
  (void)state;
  simWorld w = make(kBlock, HF_MLCP_COMPLEMENTARITY, HF_LCP_LEMKE, 4);
  hfError error = {HF_OK, ""};
  const hfStepProblem* p;
  hfSolveReport report;
  hfMlcp* mlcp;
  hfMlcpConfig config = hf_mlcp_config_default();
  hfStepCapacity c = hf_sim_capacity(w.sim);
  double v[6], impulse[64];
  assert_int_equal(hf_sim_problem(w.sim, w.state, w.input, &p, &error), HF_OK);
  assert_at_most(p->nrow, c.nrow);
  assert_at_most(p->nrow, 64);
  assert_above(p->nrow, 3);
  c.nrow = p->nrow - 1;
  assert_int_equal(hf_mlcp_create(&mlcp, &c, &config, &error), HF_OK);
  assert_int_equal(hf_mlcp_solve(mlcp, p, v, impulse, &report, &error), HF_ERROR_ARGUMENT);
  assert_int_equal(report.status, HF_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "rows"));
  hf_mlcp_free(mlcp);
  sim_world_free(&w);
}

static void test_fallback_steps(void** state) {
  (void)state;
  const char* xml = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.1'>"
                    "<joint type='slide' axis='0 0 1'/><geom size='0.1' mass='1'/></body></worldbody></mujoco>";
  simWorld w = {.model = parse_model(xml)};
  hfError error = {HF_OK, ""};
  hfSimConfig config = hf_sim_config_default();
  config.method = HF_METHOD_MLCP;
  config.mlcp.fallback = 1;
  assert_int_equal(hf_sim_create(&w.sim, w.model, &config, &error), HF_OK);
  w.state = hf_state_create(w.model);
  w.input = hf_input_create(w.model);
  w.input->velocity_target[0] = -1;
  w.input->force_limit[0] = 50;
  hfStepReport report;
  assert_at_least(hf_sim_step(w.sim, w.state, w.input, &report, &error), 0);
  assert_above(w.state->time, 0);
  sim_world_free(&w);
}

// A mass of 2 kg that weight presses on a plane for h = 0.01 s, with an anchor that is stretched by xi0. Where friction is
// strong the mass takes the velocity at which the anchor exerts no force; where it is weak, friction of mu m g h along x, an
// edge of the cone, moves it towards that velocity.
static void test_anchor_is_honoured(void** state) {
  (void)state;
  for (int k = 0; k < 2 * WAYS; ++k) {
    int way = k / 2, weak = k % 2;
    if (weak && kWays[way].form == HF_MLCP_DISSIPATION) continue; // it buys friction with normal forces
    double h = 0.01, m = 2, mu = weak ? 0.1 : 50, xi0 = weak ? 0.01 : 1e-3;
    int32_t tree_start[] = {0, 3}, M_start[] = {0, 9}, cols[] = {0, 1, 2};
    double M[9] = {m, 0, 0, 0, m, 0, 0, 0, m}, diag[3] = {0}, p[3] = {0, 0, -m * 9.81 * h}, v0[3] = {0};
    double J[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, v[3], impulse[3];
    hfStepBlock block = {HF_LAW_CONTACT, 3, 0, 0, 0, 1};
    hfStepPiece piece = {0, 3, 0, 0};
    hfContactLaw law = {.stiffness = 1e6, .mu = {mu}, .k_t = {1e6}, .c_t = {1e4}, .xi0 = {xi0, 0}, .friction = HF_FRICTION_ANCHORED};
    hfStepProblem problem = {.h = h, .nv = 3, .ntree = 1, .nblock = 1, .nrow = 3, .npiece = 1, .ncol = 3, .njac = 9, .ncontact = 1,
                             .tree_start = tree_start, .M_start = M_start, .M = M, .diag = diag, .p = p, .v0 = v0, .block = &block,
                             .piece = &piece, .cols = cols, .J = J, .contact = &law};
    assert_int_equal(hf_step_problem_validate(&problem, NULL), HF_OK);
    hfStepCapacity capacity = {3, 1, 1, 3, 1, 3, 9, 3, {0}};
    hfMlcpConfig config = hf_mlcp_config_default();
    config.form = kWays[way].form, config.method = kWays[way].method;
    hfMlcp* mlcp = NULL;
    hfSolveReport report;
    assert_int_equal(hf_mlcp_create(&mlcp, &capacity, &config, NULL), HF_OK);
    assert_int_equal(hf_mlcp_solve(mlcp, &problem, v, impulse, &report, NULL), HF_OK);
    double aim = -1e6 * xi0 / (1e6 * h + 1e4), want = weak ? -mu * 9.81 * h : aim;
    // the dissipation form adds 1e-4 of the diagonal to contacts; the residual is 1e-6
    assert_near(v[0], want, kWays[way].form == HF_MLCP_DISSIPATION ? 2e-4 * fabs(aim) : 1e-6);
    assert_near(v[1], 0, 1e-6);
    hf_mlcp_free(mlcp);
  }
}

// The second of three trees has a mass matrix that is not positive definite: of what is not solved nothing better is known than its velocities
// at the start.
static void test_island_that_is_singular(void** state) {
  (void)state;
  problemBuilder b;
  memset(&b, 0, sizeof b);
  double M[3] = {1, -1, 1}, v0[3] = {.25, .5, .75}, p[3] = {.25, -.5, .75}, v[3] = {NAN, NAN, NAN}, impulse[1] = {NAN};
  problem_reset(&b, 1e-3);
  for (int t = 0; t < 3; ++t) problem_add_tree(&b, 1, M + t, NULL, p + t, v0 + t);
  hfStepCapacity capacity = hf_step_problem_capacity(&b.P);
  hfMlcpConfig config = hf_mlcp_config_default();
  hfMlcp* mlcp = NULL;
  hfSolveReport report;
  assert_int_equal(hf_mlcp_create(&mlcp, &capacity, &config, NULL), HF_OK);
  assert_int_equal(hf_mlcp_solve(mlcp, &b.P, v, impulse, &report, NULL), HF_SINGULAR);
  for (int t = 0; t < 3; ++t) assert_near(v[t], v0[t], 0); // p* = M v0: what is solved keeps its velocity, too
  hf_mlcp_free(mlcp);
  problem_release(&b);
}

// Blocks that do not touch each other are islands: each moves as it does alone, bit for bit, whatever others are there.
static void test_islands(void** state) {
  (void)state;
  enum { BLOCKS = 5 };
  char all[2048] = "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='1 1 1' friction='0.5'/>";
  char body[BLOCKS][256];
  for (int k = 0; k < BLOCKS; ++k) {
    snprintf(body[k], sizeof body[k], "<body pos='%d 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='%d' friction='0.5'/></body>", k, 1 + k);
    strcat(all, body[k]);
  }
  strcat(all, "</worldbody></mujoco>");
  for (int way = 0; way < WAYS; ++way) {
    simWorld together = make(all, kWays[way].form, kWays[way].method, 8);
    for (int k = 0; k < BLOCKS; ++k) together.input->force[6 * k] = 3 * k + 3;
    sim_world_step(&together, 29);
    hfStepReport report;
    assert_int_equal(hf_sim_step(together.sim, together.state, together.input, &report, NULL), HF_OK);
    assert_int_equal(report.solve.islands, BLOCKS);
    for (int k = 0; k < BLOCKS; ++k) {
      char one[2048];
      snprintf(one, sizeof one, "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='1 1 1' friction='0.5'/>%s</worldbody></mujoco>", body[k]);
      simWorld alone = make(one, kWays[way].form, kWays[way].method, 8);
      alone.input->force[0] = 3 * k + 3;
      sim_world_step(&alone, 30);
      assert_memory_equal(sim_q(&together) + 7 * k, sim_q(&alone), 7 * sizeof(double));
      assert_memory_equal(sim_v(&together) + 6 * k, sim_v(&alone), 6 * sizeof(double));
      sim_world_free(&alone);
    }
    sim_world_free(&together);
  }
}

// Three fingers of a hand without weight all but rest, at 1e-61 rad/s, while its thumb turns at 0.5 rad/s. Beside the bounds of their rows such speeds
// alone cannot be told from zero: each finger as an island of its own broke down in the second step.
static void test_islands_at_rest(void** state) {
  (void)state;
  hfSimConfig config = hf_sim_config_default();
  config.method = HF_METHOD_MLCP;
  simWorld w = sim_world_with(load_model(HF_SOURCE_DIR "/models/allegro_mug.xml"), &config);
  sim_world_step(&w, 20); // each has the status HF_OK
  for (int i = 0; i < 12; ++i) assert_below(fabs(sim_v(&w)[i]), 1e-30);
  sim_world_free(&w);
}

// An allocator that counts, and gives nothing while it is shut.
typedef struct gate { int shut, count; } gate;
static void* gate_allocate(void* context, size_t size, size_t alignment) {
  gate* g = context;
  ++g->count;
  return g->shut ? NULL : aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
static void gate_release(void* context, void* memory) {
  (void)context;
  free(memory);
}

// A plate with twelve boxes: 52 contacts in one island, more than there is memory for from the start.
static hfModel* parse_plate(void) {
  char xml[4000] = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.1'><freejoint/><geom type='box' size='1 1 0.1' mass='10'/></body>";
  for (int i = 0; i < 12; ++i) {
    size_t used = strlen(xml);
    snprintf(xml + used, sizeof xml - used, "<body pos='%g %g 0.25'><freejoint/><geom type='box' size='0.05 0.05 0.05' mass='1'/></body>", 0.2 * (i % 4) - 0.3, 0.2 * (i / 4) - 0.3);
  }
  strcat(xml, "</worldbody></mujoco>");
  return parse_model(xml);
}

// The first step allocates once, later ones nothing. A step for which there is no memory is refused, says how much it needs for how many contacts, and
// leaves the state.
static void test_memory_follows_need(void** state) {
  (void)state;
  gate g = {0};
  hfSimConfig config = hf_sim_config_default();
  config.method = HF_METHOD_MLCP;
  config.allocator = (hfAllocator){&g, gate_allocate, gate_release};
  simWorld w = sim_world_with(parse_plate(), &config);
  hfError error;
  g.shut = 1;
  assert_int_equal(hf_sim_step(w.sim, w.state, NULL, NULL, &error), HF_ERROR_MEMORY);
  print_message("%s\n", error.message);
  assert_non_null(strstr(error.message, "GB for a dense problem of 52 contacts and 0 other rows"));
  assert_true(w.state->time == 0);
  g.shut = g.count = 0;
  sim_world_step(&w, 1);
  assert_int_equal(g.count, 1);
  sim_world_step(&w, 2);
  assert_int_equal(g.count, 1);
  sim_world_free(&w);
}

// A solver without memory leaves velocities and impulses as they were, and its report does not say that all is well.
static void test_refusal_leaves_the_outputs(void** state) {
  (void)state;
  gate g = {0};
  simWorld w = sim_world_with(parse_plate(), NULL);
  const hfStepProblem* p;
  hfMlcp* mlcp;
  hfMlcpConfig config = hf_mlcp_config_default();
  hfSolveReport report;
  hfError error;
  assert_int_equal(hf_sim_problem(w.sim, w.state, NULL, &p, &error), HF_OK);
  hfStepCapacity c = hf_step_problem_capacity(p);
  c.allocator = (hfAllocator){&g, gate_allocate, gate_release};
  assert_int_equal(hf_mlcp_create(&mlcp, &c, &config, &error), HF_OK);
  double *v = malloc(sizeof *v * (size_t)p->nv), *impulse = malloc(sizeof *impulse * (size_t)p->nrow);
  for (int i = 0; i < p->nv; ++i) v[i] = 7;
  for (int i = 0; i < p->nrow; ++i) impulse[i] = 7;
  g.shut = 1;
  assert_int_equal(hf_mlcp_solve(mlcp, p, v, impulse, &report, &error), HF_ERROR_MEMORY);
  assert_int_equal(report.status, HF_ERROR_MEMORY);
  for (int i = 0; i < p->nv; ++i) assert_true(v[i] == 7);
  for (int i = 0; i < p->nrow; ++i) assert_true(impulse[i] == 7);
  g.shut = 0;
  assert_int_equal(hf_mlcp_solve(mlcp, p, v, impulse, &report, &error), HF_OK);
  assert_true(v[0] != 7);
  free(v), free(impulse);
  hf_mlcp_free(mlcp);
  sim_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_block_sticks_and_slides), cmocka_unit_test(test_block_rests), cmocka_unit_test(test_memory_follows_need), cmocka_unit_test(test_refusal_leaves_the_outputs), cmocka_unit_test(test_cones_of_k_edges),
                                     cmocka_unit_test(test_what_drives_sticks_by_dissipation_and_skates_by_energy), cmocka_unit_test(test_target_under_limit),
                                     cmocka_unit_test(test_anchor_is_honoured), cmocka_unit_test(test_islands), cmocka_unit_test(test_island_that_is_singular), cmocka_unit_test(test_islands_at_rest), cmocka_unit_test(test_failure_keeps_the_state), cmocka_unit_test(test_fallback_steps), cmocka_unit_test(test_results_of_a_step_that_is_not_taken),
                                     cmocka_unit_test(test_numbers_that_overflow), cmocka_unit_test(test_refuses_what_has_no_room)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
