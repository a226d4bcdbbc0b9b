// Warnings about parts of a model that SDFormat and URDF cannot describe, one for each kind.
//
// m: the model, v: its world, w: the writer.
#include "io/robots/robot_write.h"

#include "base/finite.h"
#include "model/spring.h"

#include <string.h>

// ---- counts -------------------------------------------------------------------------------------

static int count_tendons(const hfModel* m) { return m->ntendon; }
static int count_sensors(const hfModel* m) { return m->nsensor; }
static int count_keyframes(const hfModel* m) { return m->nkey; }
static int count_cameras(const hfModel* m) { return m->ncam; }
static int count_pairs(const hfModel* m) { return m->npair; }
static int count_mocap(const hfModel* m) { return m->nmocap; }
static int count_signals(const hfModel* m) { return m->nsignal; }

// Geoms with parameters of contact that these formats lack.
static int count_soft_contacts(const hfModel* m) {
  int count = 0;
  for (int i = 0; i < m->ngeom; ++i)
    count += hf_model_geom_solref(m)[2 * i] != 0 || hf_model_geom_stiction_speed(m)[i] >= 0 ||
             hf_model_geom_tangential_stiffness(m)[i] >= 0 || hf_model_geom_tangential_damping(m)[i] >= 0;
  return count;
}

// Geoms whose masks say something else than "collides with everything" (1 and 1) or "with nothing" (0 and 0).
static int count_masks(const hfModel* m) {
  int count = 0;
  for (int i = 0; i < m->ngeom; ++i) {
    int contype = hf_model_geom_contype(m)[i];
    int conaffinity = hf_model_geom_conaffinity(m)[i];
    count += contype != conaffinity || contype > 1;
  }
  return count;
}

// Geoms that collide with friction other than of sliding.
static int count_rolling(const hfModel* m) {
  int count = 0;
  for (int i = 0; i < m->ngeom; ++i) count += hfi_robot_collides(m, i) && hf_model_geom_condim(m)[i] != 3;
  return count;
}

// Geoms with a moving surface, adhesion or a margin.
static int count_surfaces(const hfModel* m) {
  int count = 0;
  for (int i = 0; i < m->ngeom; ++i) {
    int moves = hfi_any_nonzero(hf_model_geom_surface_velocity(m) + 6 * i, 6);
    count += moves || hf_model_geom_adhesion(m)[i] != 0 || hf_model_geom_margin(m)[i] != 0;
  }
  return count;
}

static int is_free_or_ball(const hfModel* m, int joint) { return hf_joint_info(hf_model_jnt_type(m)[joint]).nv > 1; }

// Free joints and balls with damping, a rotor, springs or limits: they have no axis to which these numbers could
// belong. The damping of a ball is an exception.
static int count_turning(const hfModel* m) {
  int count = 0;
  for (int j = 0; j < m->njnt; ++j) {
    int dof = hf_model_jnt_dofadr(m)[j];
    if (!is_free_or_ball(m, j)) continue;

    int is_damped = hf_model_dof_damping(m)[dof] != 0 && hf_model_jnt_type(m)[j] == HF_JOINT_FREE;
    int has_rotor = hf_model_dof_armature(m)[dof] != 0 || hf_model_dof_frictionloss(m)[dof] != 0;
    count += is_damped || has_rotor || hf_model_jnt_limited(m)[j] || hf_model_jnt_stiffness(m)[j] != 0;
  }
  return count;
}

// Joints with a reference other than zero, where a joint of SDFormat and URDF stands until a program moves it.
static int count_references(const hfModel* m) {
  int count = 0;
  for (int j = 0; j < m->njnt; ++j)
    count += !is_free_or_ball(m, j) && hf_model_qpos0(m)[hf_model_jnt_qposadr(m)[j]] != 0;
  return count;
}

// Joints with springs, dampers or limits that these formats lack.
static int count_joint_laws(const hfModel* m) {
  int count = 0;
  for (int j = 0; j < m->njnt; ++j) {
    const double* spring = hf_model_jnt_stiffness_poly(m) + 2 * j;
    const double* damper = hf_model_dof_damping_poly(m) + 2 * hf_model_jnt_dofadr(m)[j];

    int is_polynomial = spring[0] != 0 || spring[1] != 0 || damper[0] != 0 || damper[1] != 0;
    int yields = hf_model_jnt_springyield(m)[j] != 0 || hfi_joint_bends(m, j);
    int is_soft = hf_model_jnt_limit_stiffness(m)[j] != 0 || hf_model_jnt_limit_solref(m)[2 * j] != 0 ||
                  hf_model_jnt_margin(m)[j] != 0;
    count += is_polynomial || yields || is_soft;
  }
  return count;
}

static int count_media(const hfModel* m) { return m->world.density != 0 || m->world.viscosity != 0; }

static int count_flags(const hfModel* m) {
  const hfWorld* v = &m->world;
  return v->disable_contact + v->disable_limit + v->disable_frictionloss + v->disable_spring + v->disable_damper +
         v->disable_equality + v->disable_actuation + v->disable_clamp_control + !v->filter_parent +
         (v->disabled_groups != 0);
}

// 1 if the rule of combining friction is not the one of these formats and matters. All rules give the same if all geoms
// have the same coefficient.
static int count_friction_rules(const hfModel* m) {
  double mu = -1;
  int differ = 0;
  for (int i = 0; i < m->ngeom; ++i) {
    if (!hfi_robot_collides(m, i)) continue;
    differ |= mu >= 0 && hf_model_geom_friction(m)[3 * i] != mu;
    mu = hf_model_geom_friction(m)[3 * i];
  }
  return m->world.friction_rule != HF_COMBINE_HARMONIC && differ;
}

// A kind of things that these formats cannot describe.
typedef struct UnsaidKind {
  int (*count)(const hfModel* m);
  const char* what; // for the warning
} UnsaidKind;

static const UnsaidKind kinds[] = {
    {count_tendons, "tendons"},
    {count_sensors, "sensors"},
    {count_keyframes, "keyframes"},
    {count_cameras, "cameras"},
    {count_signals, "signals of controls"},
    {count_pairs, "contact pairs with values of their own"},
    {count_soft_contacts,
     "softness of contacts other than a stiffness and dissipation (solref, stiction speed, tangential spring)"},
    {count_masks, "masks of contacts (contype, conaffinity): all of these geoms collide"},
    {count_rolling, "friction other than of sliding (condim)"},
    {count_surfaces, "moving surfaces, adhesion and margins of contacts"},
    {count_turning, "damping of free joints, and armature, friction loss, springs and limits of free and ball joints"},
    {count_references,
     "references of joints (ref): "
     "these joints stand at zero at first, where all coordinates mean the same poses as here"},
    {count_joint_laws, "polynomials, yielding springs and soft limits of joints"},
    {count_media, "the medium (density, viscosity, wind)"},
    {count_flags, "flags of the scene that switch features off"},
    {count_friction_rules, "the rule that a pair has the larger friction of its geoms: the harmonic mean applies"},
    {hfi_robot_count_touching_bases, "contacts of bodies with the one that carries them where that stands still"},
    {count_mocap, "the motion of mocap bodies: they stand still"}};

// ---- warnings -----------------------------------------------------------------------------------

// Warns of everything in the model that neither SDFormat nor URDF can describe, kind by kind.
void hfi_robot_warn_left_out(hfiRobotWriter* w) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) hfi_robot_left_out(w, kinds[i].count(w->m), kinds[i].what);
  hfi_robot_left_out(
      w, w->lost_drives,
      "actuators that act on no joint with one axis, on one that follows another, or beside another actuator");
  hfi_robot_left_out(w, w->lost_couplings, "couplings of joints that are not linear, and of tendons");
}
