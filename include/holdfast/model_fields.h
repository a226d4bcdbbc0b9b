// Counts and fields of a model, in the order in which they lie in its block. Made of src/model/fields.txt by the test
// that compares both; included by model.h.
//
// hf_model_NAME(m) returns the array of field NAME. Behind it stand its shape, rows or (rows x columns), and its
// meaning with the unit; a star: the parameters of a world (hfParams) may change it. HF_FIELD_ and the name is its number.
// Ids are -1 where there is none. Frames: B body, P parent body, G geom, S site, C camera, W world.
#ifndef HOLDFAST_MODEL_FIELDS_H
#define HOLDFAST_MODEL_FIELDS_H

#include <holdfast/status.h>
#include <stdint.h>

// ---- counts
//
//   nq             positions
//   nv             velocities, which are the degrees of freedom
//   nu             actuators and their controls
//   na             activations
//   nM             non-zeros of the lower triangle of M
//   nbody          bodies, the world included
//   ntree          kinematic trees
//   njnt           joints
//   ngeom          geoms
//   nsite          sites
//   ncam           cameras
//   nmesh          meshes
//   nhullvert      vertices of all hulls
//   nhullface      faces of all hulls
//   nhullfacevert  vertices around all faces
//   nhulledge      directed edges of all hulls
//   nsurfvert      vertices of all surfaces
//   nsurftri       triangles of all surfaces
//   nhfield        height fields
//   nhfieldheight  heights of all height fields
//   nhfieldtri     triangles of all height fields
//   ntendon        tendons
//   nwrap          places on all tendons
//   neq            equalities
//   npair          explicit contact pairs
//   nexclude       excluded pairs of bodies
//   nmocap         mocap bodies
//   nkey           keyframes
//   nsensor        sensors
//   nsensordata    numbers of all sensors
//   nsignal        signals
//   nsignaldata    numbers of all signals
//   nhistory       numbers of the histories in a state
//   nrest          rests of springs in a state
//   nnames         bytes of all names
#define HF_MODEL_COUNTS(X) \
  X(nq) X(nv) X(nu) X(na) X(nM) X(nbody) X(ntree) X(njnt) X(ngeom) X(nsite) X(ncam) X(nmesh) X(nhullvert) X(nhullface) \
  X(nhullfacevert) X(nhulledge) X(nsurfvert) X(nsurftri) X(nhfield) X(nhfieldheight) X(nhfieldtri) X(ntendon) X(nwrap) \
  X(neq) X(npair) X(nexclude) X(nmocap) X(nkey) X(nsensor) X(nsensordata) X(nsignal) X(nsignaldata) X(nhistory) \
  X(nrest) X(nnames)

// ---- fields: X(type, name, rows, columns, overlay); overlay 1 is the star of the declarations below

#define HF_MODEL_FIELDS(X) \
  X(int32_t, body_parent, nbody, 1, 0) X(int32_t, body_jntadr, nbody, 1, 0) X(int32_t, body_jntnum, nbody, 1, 0) \
  X(int32_t, body_dofadr, nbody, 1, 0) X(int32_t, body_dofnum, nbody, 1, 0) X(int32_t, body_geomadr, nbody, 1, 0) \
  X(int32_t, body_geomnum, nbody, 1, 0) X(int32_t, body_tree, nbody, 1, 0) X(int32_t, body_root, nbody, 1, 0) \
  X(int32_t, body_weld, nbody, 1, 0) X(int32_t, body_lastdof, nbody, 1, 0) X(int32_t, body_mocap, nbody, 1, 0) \
  X(int32_t, body_subtreeend, nbody, 1, 0) X(double, body_pos, nbody, 3, 0) X(double, body_quat, nbody, 4, 0) \
  X(double, body_mass, nbody, 1, 1) X(double, body_com, nbody, 3, 1) X(double, body_inertia, nbody, 6, 1) \
  X(double, body_iquat, nbody, 4, 1) X(double, body_gravcomp, nbody, 1, 1) X(double, body_subtreemass, nbody, 1, 1) \
  X(int32_t, tree_body, ntree, 1, 0) X(int32_t, tree_dofadr, ntree, 1, 0) X(int32_t, tree_dofnum, ntree, 1, 0) \
  X(int32_t, tree_sleep, ntree, 1, 0) X(int32_t, jnt_type, njnt, 1, 0) X(int32_t, jnt_body, njnt, 1, 0) \
  X(int32_t, jnt_qposadr, njnt, 1, 0) X(int32_t, jnt_dofadr, njnt, 1, 0) X(int32_t, jnt_limited, njnt, 1, 0) \
  X(int32_t, jnt_actfrclimited, njnt, 1, 0) X(int32_t, jnt_actgravcomp, njnt, 1, 0) X(double, jnt_pos, njnt, 3, 0) \
  X(double, jnt_axis, njnt, 3, 0) X(double, jnt_pitch, njnt, 1, 0) X(double, jnt_range, njnt, 2, 1) \
  X(double, jnt_margin, njnt, 1, 1) X(double, jnt_stiffness, njnt, 1, 1) X(double, jnt_springyield, njnt, 1, 0) \
  X(double, jnt_stiffness_poly, njnt, 2, 1) X(double, jnt_bend, njnt, 3, 1) X(double, jnt_bend_rest, njnt, 3, 1) \
  X(double, jnt_limit_stiffness, njnt, 1, 1) X(double, jnt_limit_damping, njnt, 1, 1) \
  X(double, jnt_limit_solref, njnt, 2, 1) X(double, jnt_limit_solimp, njnt, 5, 1) \
  X(double, jnt_actfrcrange, njnt, 2, 1) X(double, qpos0, nq, 1, 0) X(double, qpos_spring, nq, 1, 1) \
  X(int32_t, dof_body, nv, 1, 0) X(int32_t, dof_jnt, nv, 1, 0) X(int32_t, dof_parent, nv, 1, 0) \
  X(int32_t, dof_tree, nv, 1, 0) X(int32_t, dof_depth, nv, 1, 0) X(int32_t, dof_Madr, nv, 1, 0) \
  X(int32_t, M_col, nM, 1, 0) X(double, dof_armature, nv, 1, 1) X(double, dof_damping, nv, 1, 1) \
  X(double, dof_damping_poly, nv, 2, 1) X(double, dof_frictionloss, nv, 1, 1) X(double, dof_M0, nv, 1, 1) \
  X(int32_t, geom_type, ngeom, 1, 0) X(int32_t, geom_body, ngeom, 1, 0) X(int32_t, geom_mesh, ngeom, 1, 0) \
  X(int32_t, geom_hfield, ngeom, 1, 0) X(int32_t, geom_contype, ngeom, 1, 0) X(int32_t, geom_conaffinity, ngeom, 1, 0) \
  X(int32_t, geom_condim, ngeom, 1, 0) X(int32_t, geom_priority, ngeom, 1, 0) X(int32_t, geom_group, ngeom, 1, 0) \
  X(double, geom_pos, ngeom, 3, 0) X(double, geom_quat, ngeom, 4, 0) X(double, geom_size, ngeom, 3, 1) \
  X(double, geom_friction, ngeom, 3, 1) X(double, geom_friction_dynamic, ngeom, 1, 1) \
  X(double, geom_margin, ngeom, 1, 0) X(double, geom_gap, ngeom, 1, 0) X(double, geom_solmix, ngeom, 1, 1) \
  X(double, geom_stiffness, ngeom, 1, 1) X(double, geom_dissipation, ngeom, 1, 1) \
  X(double, geom_stiction_speed, ngeom, 1, 1) X(double, geom_tangential_stiffness, ngeom, 1, 1) \
  X(double, geom_restitution, ngeom, 1, 1) X(double, geom_tangential_damping, ngeom, 1, 1) \
  X(double, geom_surface_velocity, ngeom, 6, 1) X(double, geom_adhesion, ngeom, 1, 1) \
  X(double, geom_solref, ngeom, 2, 1) X(double, geom_solimp, ngeom, 5, 1) X(double, geom_fluid, ngeom, 12, 1) \
  X(double, geom_fluid_axes, ngeom, 3, 0) X(double, geom_fluid_quat, ngeom, 4, 0) X(double, geom_rbound, ngeom, 1, 1) \
  X(float, geom_rgba, ngeom, 4, 0) X(int32_t, mesh_vertadr, nmesh, 1, 0) X(int32_t, mesh_vertnum, nmesh, 1, 0) \
  X(int32_t, mesh_faceadr, nmesh, 1, 0) X(int32_t, mesh_facenum, nmesh, 1, 0) \
  X(int32_t, mesh_facevertadr, nmesh, 1, 0) X(int32_t, mesh_edgeadr, nmesh, 1, 0) \
  X(double, hull_vert, nhullvert, 3, 0) X(double, hull_faceplane, nhullface, 4, 0) \
  X(int32_t, hull_facestart, nhullface+nmesh, 1, 0) X(int32_t, hull_facevert, nhullfacevert, 1, 0) \
  X(int32_t, hull_edgestart, nhullvert+nmesh, 1, 0) X(int32_t, hull_edgevert, nhulledge, 1, 0) \
  X(int32_t, mesh_surfvertadr, nmesh, 1, 0) X(int32_t, mesh_surfvertnum, nmesh, 1, 0) \
  X(int32_t, mesh_surftriadr, nmesh, 1, 0) X(int32_t, mesh_surftrinum, nmesh, 1, 0) \
  X(float, surf_vert, nsurfvert, 3, 0) X(int32_t, surf_tri, nsurftri, 3, 0) X(int32_t, hfield_nrow, nhfield, 1, 0) \
  X(int32_t, hfield_ncol, nhfield, 1, 0) X(int32_t, hfield_adr, nhfield, 1, 0) \
  X(int32_t, hfield_regionadr, nhfield, 1, 0) X(double, hfield_size, nhfield, 3, 0) \
  X(double, hfield_range, nhfield, 2, 0) X(double, hfield_height, nhfieldheight, 1, 0) \
  X(int32_t, hfield_region, nhfieldtri, 1, 0) X(int32_t, site_body, nsite, 1, 0) X(int32_t, site_type, nsite, 1, 0) \
  X(double, site_pos, nsite, 3, 0) X(double, site_quat, nsite, 4, 0) X(double, site_size, nsite, 3, 0) \
  X(int32_t, cam_body, ncam, 1, 0) X(int32_t, cam_mode, ncam, 1, 0) X(int32_t, cam_target, ncam, 1, 0) \
  X(int32_t, cam_orthographic, ncam, 1, 0) X(int32_t, cam_resolution, ncam, 2, 0) X(double, cam_pos, ncam, 3, 0) \
  X(double, cam_quat, ncam, 4, 0) X(double, cam_offset, ncam, 3, 0) X(double, cam_axes, ncam, 4, 0) \
  X(double, cam_fovy, ncam, 1, 0) X(double, cam_sensorsize, ncam, 2, 0) X(double, cam_focal, ncam, 2, 0) \
  X(double, cam_principal, ncam, 2, 0) X(int32_t, tendon_adr, ntendon, 1, 0) X(int32_t, tendon_num, ntendon, 1, 0) \
  X(int32_t, tendon_limited, ntendon, 1, 0) X(int32_t, tendon_actfrclimited, ntendon, 1, 0) \
  X(double, tendon_range, ntendon, 2, 1) X(double, tendon_margin, ntendon, 1, 1) \
  X(double, tendon_limit_solref, ntendon, 2, 1) X(double, tendon_limit_solimp, ntendon, 5, 1) \
  X(double, tendon_stiffness, ntendon, 1, 1) X(double, tendon_springyield, ntendon, 1, 0) \
  X(double, tendon_damping, ntendon, 1, 1) X(double, tendon_stiffness_poly, ntendon, 2, 1) \
  X(double, tendon_damping_poly, ntendon, 2, 1) X(double, tendon_frictionloss, ntendon, 1, 1) \
  X(double, tendon_armature, ntendon, 1, 1) X(double, tendon_springlength, ntendon, 2, 1) \
  X(double, tendon_actfrcrange, ntendon, 2, 1) X(double, tendon_length0, ntendon, 1, 0) \
  X(int32_t, wrap_type, nwrap, 1, 0) X(int32_t, wrap_obj, nwrap, 1, 0) X(int32_t, wrap_side, nwrap, 1, 0) \
  X(double, wrap_coef, nwrap, 1, 1) X(int32_t, eq_type, neq, 1, 0) X(int32_t, eq_objkind, neq, 1, 0) \
  X(int32_t, eq_obj1, neq, 1, 0) X(int32_t, eq_obj2, neq, 1, 0) X(int32_t, eq_active, neq, 1, 0) \
  X(double, eq_data, neq, 11, 1) X(double, eq_solref, neq, 2, 1) X(double, eq_solimp, neq, 5, 1) \
  X(int32_t, pair_geom, npair, 2, 0) X(int32_t, pair_condim, npair, 1, 0) X(double, pair_friction, npair, 5, 1) \
  X(double, pair_margin, npair, 1, 0) X(double, pair_gap, npair, 1, 0) X(double, pair_adhesion, npair, 1, 1) \
  X(double, pair_solref, npair, 2, 1) X(double, pair_solimp, npair, 5, 1) X(int32_t, exclude_body, nexclude, 2, 0) \
  X(int32_t, actuator_trntype, nu, 1, 0) X(int32_t, actuator_trnid, nu, 2, 0) X(int32_t, actuator_dyntype, nu, 1, 0) \
  X(int32_t, actuator_gaintype, nu, 1, 0) X(int32_t, actuator_biastype, nu, 1, 0) \
  X(int32_t, actuator_ctrllimited, nu, 1, 0) X(int32_t, actuator_forcelimited, nu, 1, 0) \
  X(int32_t, actuator_actlimited, nu, 1, 0) X(int32_t, actuator_actadr, nu, 1, 0) \
  X(int32_t, actuator_actearly, nu, 1, 0) X(int32_t, actuator_drive, nu, 1, 0) X(int32_t, actuator_signal, nu, 1, 0) \
  X(int32_t, actuator_inputs, nu, 1, 0) X(int32_t, actuator_states, nu, 1, 0) X(int32_t, actuator_nsample, nu, 1, 0) \
  X(int32_t, actuator_interp, nu, 1, 0) X(int32_t, actuator_historyadr, nu, 1, 0) X(int32_t, actuator_group, nu, 1, 0) \
  X(double, actuator_dynprm, nu, 3, 1) X(double, actuator_gainprm, nu, 3, 1) X(double, actuator_biasprm, nu, 3, 1) \
  X(double, actuator_muscle, nu, 8, 1) X(double, actuator_passive, nu, 5, 1) \
  X(double, actuator_motor, nu, HF_MOTOR_PARAMETERS, 1) X(double, actuator_ctrlrange, nu, 2, 1) \
  X(double, actuator_forcerange, nu, 2, 1) X(double, actuator_actrange, nu, 2, 1) X(double, actuator_gear, nu, 6, 1) \
  X(double, actuator_delay, nu, 1, 1) X(double, actuator_cranklength, nu, 1, 1) X(double, actuator_length0, nu, 1, 0) \
  X(int32_t, signal_type, nsignal, 1, 0) X(int32_t, signal_adr, nsignal, 1, 0) X(int32_t, signal_num, nsignal, 1, 0) \
  X(double, signal_data, nsignaldata, 1, 0) X(int32_t, sensor_type, nsensor, 1, 0) \
  X(int32_t, sensor_objkind, nsensor, 1, 0) X(int32_t, sensor_obj, nsensor, 1, 0) \
  X(int32_t, sensor_refkind, nsensor, 1, 0) X(int32_t, sensor_ref, nsensor, 1, 0) \
  X(int32_t, sensor_dim, nsensor, 1, 0) X(int32_t, sensor_data, nsensor, 1, 0) X(int32_t, sensor_num, nsensor, 1, 0) \
  X(int32_t, sensor_reduce, nsensor, 1, 0) X(int32_t, sensor_subtree, nsensor, 1, 0) \
  X(int32_t, sensor_adr, nsensor, 1, 0) X(int32_t, sensor_positive, nsensor, 1, 0) \
  X(int32_t, sensor_nsample, nsensor, 1, 0) X(int32_t, sensor_interp, nsensor, 1, 0) \
  X(int32_t, sensor_historyadr, nsensor, 1, 0) X(double, sensor_interval, nsensor, 2, 0) \
  X(double, sensor_delay, nsensor, 1, 1) X(double, sensor_noise, nsensor, 1, 1) \
  X(double, sensor_cutoff, nsensor, 1, 0) X(int32_t, mocap_body, nmocap, 1, 0) X(double, key_time, nkey, 1, 0) \
  X(double, key_qpos, nkey, nq, 0) X(double, key_qvel, nkey, nv, 0) X(double, key_act, nkey, na, 0) \
  X(double, key_ctrl, nkey, nu, 0) X(double, key_mpos, nkey, 3*nmocap, 0) X(double, key_mquat, nkey, 4*nmocap, 0) \
  X(int32_t, body_name, nbody, 1, 0) X(int32_t, jnt_name, njnt, 1, 0) X(int32_t, geom_name, ngeom, 1, 0) \
  X(int32_t, site_name, nsite, 1, 0) X(int32_t, cam_name, ncam, 1, 0) X(int32_t, mesh_name, nmesh, 1, 0) \
  X(int32_t, hfield_name, nhfield, 1, 0) X(int32_t, tendon_name, ntendon, 1, 0) X(int32_t, eq_name, neq, 1, 0) \
  X(int32_t, actuator_name, nu, 1, 0) X(int32_t, sensor_name, nsensor, 1, 0) X(int32_t, key_name, nkey, 1, 0) \
  X(int32_t, pair_name, npair, 1, 0) X(char, names, nnames, 1, 0)

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hfModel hfModel;

// ---- bodies; body 0 is the world

HF_API const int32_t* hf_model_body_parent(const hfModel* m); // (nbody) parent body; 0 for the world itself
HF_API const int32_t* hf_model_body_jntadr(const hfModel* m); // (nbody) first joint, or -1
HF_API const int32_t* hf_model_body_jntnum(const hfModel* m); // (nbody) number of joints
HF_API const int32_t* hf_model_body_dofadr(const hfModel* m); // (nbody) first dof, or -1
HF_API const int32_t* hf_model_body_dofnum(const hfModel* m); // (nbody) number of dofs of its joints
HF_API const int32_t* hf_model_body_geomadr(const hfModel* m); // (nbody) first geom, or -1
HF_API const int32_t* hf_model_body_geomnum(const hfModel* m); // (nbody) number of geoms
HF_API const int32_t* hf_model_body_tree(const hfModel* m); // (nbody) kinematic tree, -1: fixed in the world or mocap
// (nbody) ancestor that is a child of the world (0 for the world)
HF_API const int32_t* hf_model_body_root(const hfModel* m);
// (nbody) nearest ancestor-or-self with joints or mocap, or 0
HF_API const int32_t* hf_model_body_weld(const hfModel* m);
HF_API const int32_t* hf_model_body_lastdof(const hfModel* m); // (nbody) last dof that moves it, -1: none
HF_API const int32_t* hf_model_body_mocap(const hfModel* m); // (nbody) mocap id, or -1
HF_API const int32_t* hf_model_body_subtreeend(const hfModel* m); // (nbody) one past the last body of its subtree
HF_API const double* hf_model_body_pos(const hfModel* m); // (nbody x 3) p_PB at q = 0 [m]
HF_API const double* hf_model_body_quat(const hfModel* m); // (nbody x 4) q_PB at q = 0
HF_API const double* hf_model_body_mass(const hfModel* m); // (nbody)* [kg]
HF_API const double* hf_model_body_com(const hfModel* m); // (nbody x 3)* p_BoBcm_B [m]
HF_API const double* hf_model_body_inertia(const hfModel* m); // (nbody x 6)* about Bcm in B: xx yy zz xy xz yz [kg m^2]
HF_API const double* hf_model_body_iquat(const hfModel* m); // (nbody x 4)* principal axes in B
// (nbody)* fraction of its weight that is compensated [-]
HF_API const double* hf_model_body_gravcomp(const hfModel* m);
HF_API const double* hf_model_body_subtreemass(const hfModel* m); // (nbody)* [kg]

// ---- kinematic trees: dofs [tree_dofadr, + tree_dofnum), bodies [tree_body, body_subtreeend)

HF_API const int32_t* hf_model_tree_body(const hfModel* m); // (ntree) first body with a dof
HF_API const int32_t* hf_model_tree_dofadr(const hfModel* m); // (ntree) first dof
HF_API const int32_t* hf_model_tree_dofnum(const hfModel* m); // (ntree) number of dofs
HF_API const int32_t* hf_model_tree_sleep(const hfModel* m); // (ntree) hfSleepPolicy

// ---- joints

HF_API const int32_t* hf_model_jnt_type(const hfModel* m); // (njnt) hfJointType
HF_API const int32_t* hf_model_jnt_body(const hfModel* m); // (njnt) body that it moves
HF_API const int32_t* hf_model_jnt_qposadr(const hfModel* m); // (njnt) first coordinate in q
HF_API const int32_t* hf_model_jnt_dofadr(const hfModel* m); // (njnt) first dof
HF_API const int32_t* hf_model_jnt_limited(const hfModel* m); // (njnt) 1: its range limits it
// (njnt) 1: actfrcrange bounds the summed force of its actuators
HF_API const int32_t* hf_model_jnt_actfrclimited(const hfModel* m);
// (njnt) gravity compensation counts as actuator force
HF_API const int32_t* hf_model_jnt_actgravcomp(const hfModel* m);
HF_API const double* hf_model_jnt_pos(const hfModel* m); // (njnt x 3) anchor in B [m]
HF_API const double* hf_model_jnt_axis(const hfModel* m); // (njnt x 3) unit, in B
// (njnt) screw: travel along the axis per angle, right-handed [m/rad]
HF_API const double* hf_model_jnt_pitch(const hfModel* m);
HF_API const double* hf_model_jnt_range(const hfModel* m); // (njnt x 2)* [m or rad]; ball: [0, largest angle]
// (njnt)* distance to the limit at which it begins to act [m or rad]
HF_API const double* hf_model_jnt_margin(const hfModel* m);
HF_API const double* hf_model_jnt_stiffness(const hfModel* m); // (njnt)* [N/m or N m/rad]
// (njnt) displacement from which on the spring yields; 0: never [m or rad]
HF_API const double* hf_model_jnt_springyield(const hfModel* m);
// (njnt x 2)* of x^2 and x^3; the force is -(a x + b x^2 + c x^3)
HF_API const double* hf_model_jnt_stiffness_poly(const hfModel* m);
// (njnt x 3)* ball: stiffness against turns about the axes of its parent body [N m/rad]
HF_API const double* hf_model_jnt_bend(const hfModel* m);
// (njnt x 3)* ball: rotation vector of the body in its parent where that rests [rad]
HF_API const double* hf_model_jnt_bend_rest(const hfModel* m);
HF_API const double* hf_model_jnt_limit_stiffness(const hfModel* m); // (njnt)* 0: near-rigid [N/m or N m/rad]
HF_API const double* hf_model_jnt_limit_damping(const hfModel* m); // (njnt)* [N s/m or N m s/rad]
// (njnt x 2)* MuJoCo's, where the model set it; else (0, 0)
HF_API const double* hf_model_jnt_limit_solref(const hfModel* m);
// (njnt x 5)* MuJoCo's impedance of the limit; counts with limit_solref
HF_API const double* hf_model_jnt_limit_solimp(const hfModel* m);
// (njnt x 2)* bounds of the summed actuator force [N or N m]
HF_API const double* hf_model_jnt_actfrcrange(const hfModel* m);
HF_API const double* hf_model_qpos0(const hfModel* m); // (nq) reference configuration
HF_API const double* hf_model_qpos_spring(const hfModel* m); // (nq)* springs rest here

// ---- degrees of freedom

HF_API const int32_t* hf_model_dof_body(const hfModel* m); // (nv) body that it moves
HF_API const int32_t* hf_model_dof_jnt(const hfModel* m); // (nv) joint that it belongs to
HF_API const int32_t* hf_model_dof_parent(const hfModel* m); // (nv) previous dof on the way to the root, or -1
HF_API const int32_t* hf_model_dof_tree(const hfModel* m); // (nv) kinematic tree
HF_API const int32_t* hf_model_dof_depth(const hfModel* m); // (nv) dofs above it
// (nv) row of M: dof_depth + 1 entries, ancestors ascending, diagonal last
HF_API const int32_t* hf_model_dof_Madr(const hfModel* m);
HF_API const int32_t* hf_model_M_col(const hfModel* m); // (nM) column of each entry
HF_API const double* hf_model_dof_armature(const hfModel* m); // (nv)* [kg or kg m^2]
HF_API const double* hf_model_dof_damping(const hfModel* m); // (nv)* [N s/m or N m s/rad]
HF_API const double* hf_model_dof_damping_poly(const hfModel* m); // (nv x 2)* of v|v| and v^3
HF_API const double* hf_model_dof_frictionloss(const hfModel* m); // (nv)* [N or N m]
// (nv)* diagonal of M at qpos0, armature included [kg or kg m^2]
HF_API const double* hf_model_dof_M0(const hfModel* m);

// ---- geoms, grouped by body

HF_API const int32_t* hf_model_geom_type(const hfModel* m); // (ngeom) hfGeomType
HF_API const int32_t* hf_model_geom_body(const hfModel* m); // (ngeom) body that it is fixed in
HF_API const int32_t* hf_model_geom_mesh(const hfModel* m); // (ngeom) mesh of a geom of type mesh; else -1
HF_API const int32_t* hf_model_geom_hfield(const hfModel* m); // (ngeom) height field of a geom of type hfield; else -1
// (ngeom) bits that touch the conaffinity bits of other geoms
HF_API const int32_t* hf_model_geom_contype(const hfModel* m);
// (ngeom) bits that are touched by the contype bits of other geoms
HF_API const int32_t* hf_model_geom_conaffinity(const hfModel* m);
HF_API const int32_t* hf_model_geom_condim(const hfModel* m); // (ngeom) 1, 3, 4 or 6
// (ngeom) of two geoms the one with the higher priority gives the friction
HF_API const int32_t* hf_model_geom_priority(const hfModel* m);
HF_API const int32_t* hf_model_geom_group(const hfModel* m); // (ngeom) group, for drawing and for inferred inertias
HF_API const double* hf_model_geom_pos(const hfModel* m); // (ngeom x 3) p_BG [m]
HF_API const double* hf_model_geom_quat(const hfModel* m); // (ngeom x 4) q_BG
HF_API const double* hf_model_geom_size(const hfModel* m); // (ngeom x 3)* meaning by type: hfGeomType [m]
// (ngeom x 3)* sliding [-], torsional [m], rolling [m] (static)
HF_API const double* hf_model_geom_friction(const hfModel* m);
HF_API const double* hf_model_geom_friction_dynamic(const hfModel* m); // (ngeom)* sliding; negative: same as static [-]
// (ngeom) contacts are found below this gap, of two geoms the sum [m]
HF_API const double* hf_model_geom_margin(const hfModel* m);
// (ngeom) and act below margin - gap, of two geoms the sums [m]
HF_API const double* hf_model_geom_gap(const hfModel* m);
// (ngeom)* weight of its solref and solimp beside those of the other geom [-]
HF_API const double* hf_model_geom_solmix(const hfModel* m);
HF_API const double* hf_model_geom_stiffness(const hfModel* m); // (ngeom)* k; negative: the world's default [N/m]
HF_API const double* hf_model_geom_dissipation(const hfModel* m); // (ngeom)* d; negative: the world's default [s/m]
HF_API const double* hf_model_geom_stiction_speed(const hfModel* m); // (ngeom)* negative: the world's default [m/s]
HF_API const double* hf_model_geom_tangential_stiffness(const hfModel* m); // (ngeom)* negative: ratio times k [N/m]
HF_API const double* hf_model_geom_restitution(const hfModel* m); // (ngeom)* speed after an impact over that before [-]
HF_API const double* hf_model_geom_tangential_damping(const hfModel* m); // (ngeom)* negative: critical [N s/m]
// (ngeom x 6)* of the surface as contacts see it, a belt: linear, then angular about the geom's origin, in its frame
// [m/s, rad/s]
HF_API const double* hf_model_geom_surface_velocity(const hfModel* m);
// (ngeom)* force with which each contact point pulls; of two geoms the sum [N]
HF_API const double* hf_model_geom_adhesion(const hfModel* m);
// (ngeom x 2)* MuJoCo's, where the model set it; else (0, 0)
HF_API const double* hf_model_geom_solref(const hfModel* m);
HF_API const double* hf_model_geom_solimp(const hfModel* m); // (ngeom x 5)* MuJoCo's impedance; counts with solref
// (ngeom x 12)* as an ellipsoid in a medium: 1 (0: not so), coefficients of blunt, slender and angular drag, Kutta and
// Magnus; mass (3) and moment (3) it carries over the density [m^3, m^5]
HF_API const double* hf_model_geom_fluid(const hfModel* m);
HF_API const double* hf_model_geom_fluid_axes(const hfModel* m); // (ngeom x 3) half axes of that ellipsoid [m]
HF_API const double* hf_model_geom_fluid_quat(const hfModel* m); // (ngeom x 4) its orientation in B
// (ngeom)* bounding radius about the centre, 0: infinite [m]
HF_API const double* hf_model_geom_rbound(const hfModel* m);
HF_API const float* hf_model_geom_rgba(const hfModel* m); // (ngeom x 4) colour, 0 to 1

// ---- hulls of meshes; vertices in the frame of the geom that uses the mesh

HF_API const int32_t* hf_model_mesh_vertadr(const hfModel* m); // (nmesh) first vertex in hull_vert
HF_API const int32_t* hf_model_mesh_vertnum(const hfModel* m); // (nmesh) number of vertices of its hull
HF_API const int32_t* hf_model_mesh_faceadr(const hfModel* m); // (nmesh) into hull_faceplane
HF_API const int32_t* hf_model_mesh_facenum(const hfModel* m); // (nmesh) number of faces of its hull
HF_API const int32_t* hf_model_mesh_facevertadr(const hfModel* m); // (nmesh) first entry in hull_facevert
HF_API const int32_t* hf_model_mesh_edgeadr(const hfModel* m); // (nmesh) into hull_edgevert
HF_API const double* hf_model_hull_vert(const hfModel* m); // (nhullvert x 3) vertices of hulls [m]
// (nhullface x 4) outward unit normal and offset [m] of each face
HF_API const double* hf_model_hull_faceplane(const hfModel* m);
// (nhullface+nmesh) mesh i at mesh_faceadr + i, facenum + 1 entries, local
HF_API const int32_t* hf_model_hull_facestart(const hfModel* m);
// (nhullfacevert) vertices around each face, local to the mesh
HF_API const int32_t* hf_model_hull_facevert(const hfModel* m);
// (nhullvert+nmesh) mesh i at mesh_vertadr + i, vertnum + 1 entries, local
HF_API const int32_t* hf_model_hull_edgestart(const hfModel* m);
// (nhulledge) neighbours of each vertex, local to the mesh
HF_API const int32_t* hf_model_hull_edgevert(const hfModel* m);

// ---- surfaces of meshes as they were given, for drawing; in the same frame as the hulls

HF_API const int32_t* hf_model_mesh_surfvertadr(const hfModel* m); // (nmesh) first vertex in surf_vert
HF_API const int32_t* hf_model_mesh_surfvertnum(const hfModel* m); // (nmesh) number of vertices of its surface
HF_API const int32_t* hf_model_mesh_surftriadr(const hfModel* m); // (nmesh) first triangle in surf_tri
HF_API const int32_t* hf_model_mesh_surftrinum(const hfModel* m); // (nmesh) number of triangles of its surface
HF_API const float* hf_model_surf_vert(const hfModel* m); // (nsurfvert x 3) vertices of surfaces [m]
// (nsurftri x 3) counter-clockwise seen from outside; local to the mesh
HF_API const int32_t* hf_model_surf_tri(const hfModel* m);

// ---- height fields: heights over a grid, two triangles a cell along +x +y; matter down to z = -base

HF_API const int32_t* hf_model_hfield_nrow(const hfModel* m); // (nhfield) vertices along y
HF_API const int32_t* hf_model_hfield_ncol(const hfModel* m); // (nhfield) vertices along x
HF_API const int32_t* hf_model_hfield_adr(const hfModel* m); // (nhfield) into hfield_height
HF_API const int32_t* hf_model_hfield_regionadr(const hfModel* m); // (nhfield) into hfield_region
HF_API const double* hf_model_hfield_size(const hfModel* m); // (nhfield x 3) half lengths along x and y, base [m]
HF_API const double* hf_model_hfield_range(const hfModel* m); // (nhfield x 2) lowest and highest height [m]
// (nhfieldheight) z in the geom's frame, rows along +y [m]
HF_API const double* hf_model_hfield_height(const hfModel* m);
// (nhfieldtri) equal for connected triangles in one plane
HF_API const int32_t* hf_model_hfield_region(const hfModel* m);

// ---- sites

HF_API const int32_t* hf_model_site_body(const hfModel* m); // (nsite) body that it is fixed in
HF_API const int32_t* hf_model_site_type(const hfModel* m); // (nsite) hfGeomType, for touch sensors
HF_API const double* hf_model_site_pos(const hfModel* m); // (nsite x 3) p_BS [m]
HF_API const double* hf_model_site_quat(const hfModel* m); // (nsite x 4) q_BS
HF_API const double* hf_model_site_size(const hfModel* m); // (nsite x 3) meaning by type, as of geoms [m]

// ---- cameras, grouped by body

HF_API const int32_t* hf_model_cam_body(const hfModel* m); // (ncam) body that it is fixed in
HF_API const int32_t* hf_model_cam_mode(const hfModel* m); // (ncam) hfCameraMode
HF_API const int32_t* hf_model_cam_target(const hfModel* m); // (ncam) body that it looks at, or -1
HF_API const int32_t* hf_model_cam_orthographic(const hfModel* m); // (ncam) 1: rays are parallel
HF_API const int32_t* hf_model_cam_resolution(const hfModel* m); // (ncam x 2) pixels: width, height
HF_API const double* hf_model_cam_pos(const hfModel* m); // (ncam x 3) p_BC [m]
HF_API const double* hf_model_cam_quat(const hfModel* m); // (ncam x 4) q_BC
// (ncam x 3) tracking: from what it follows to the camera at qpos0, in the world [m]
HF_API const double* hf_model_cam_offset(const hfModel* m);
HF_API const double* hf_model_cam_axes(const hfModel* m); // (ncam x 4) tracking: q_WC
// (ncam) vertical angle of the picture [rad]; orthographic: its height [m]
HF_API const double* hf_model_cam_fovy(const hfModel* m);
// (ncam x 2) of the chip, width and height [m]; 0: fovy and square pixels say all
HF_API const double* hf_model_cam_sensorsize(const hfModel* m);
HF_API const double* hf_model_cam_focal(const hfModel* m); // (ncam x 2) focal lengths of a chip, along x and y [m]
// (ncam x 2) how far the middle of a chip is to the right of the optical axis, and above it [m]
HF_API const double* hf_model_cam_principal(const hfModel* m);

// ---- tendons. Fixed: length = sum coef qpos. Spatial: length of the path through sites and around geoms

HF_API const int32_t* hf_model_tendon_adr(const hfModel* m); // (ntendon) first of its wraps
HF_API const int32_t* hf_model_tendon_num(const hfModel* m); // (ntendon) number of its wraps
HF_API const int32_t* hf_model_tendon_limited(const hfModel* m); // (ntendon) 1: its range limits it
// (ntendon) 1: actfrcrange bounds the summed force of its actuators
HF_API const int32_t* hf_model_tendon_actfrclimited(const hfModel* m);
// (ntendon x 2)* lengths at which it is limited [m, or that of a fixed tendon]
HF_API const double* hf_model_tendon_range(const hfModel* m);
// (ntendon)* distance to the limit at which it begins to act [m]
HF_API const double* hf_model_tendon_margin(const hfModel* m);
// (ntendon x 2)* MuJoCo's, where the model set it; else (0, 0)
HF_API const double* hf_model_tendon_limit_solref(const hfModel* m);
// (ntendon x 5)* MuJoCo's impedance of the limit; counts with limit_solref
HF_API const double* hf_model_tendon_limit_solimp(const hfModel* m);
HF_API const double* hf_model_tendon_stiffness(const hfModel* m); // (ntendon)* of its spring [N/m]
// (ntendon) stretch from which on the spring yields; 0: never [m]
HF_API const double* hf_model_tendon_springyield(const hfModel* m);
HF_API const double* hf_model_tendon_damping(const hfModel* m); // (ntendon)* [N s/m]
HF_API const double* hf_model_tendon_stiffness_poly(const hfModel* m); // (ntendon x 2)* of x^2 and x^3
HF_API const double* hf_model_tendon_damping_poly(const hfModel* m); // (ntendon x 2)* of v|v| and v^3
HF_API const double* hf_model_tendon_frictionloss(const hfModel* m); // (ntendon)* dry friction [N]
// (ntendon)* inertia against changes of its length [kg]
HF_API const double* hf_model_tendon_armature(const hfModel* m);
HF_API const double* hf_model_tendon_springlength(const hfModel* m); // (ntendon x 2)* dead band of the spring
// (ntendon x 2)* bounds of the summed actuator force [N]
HF_API const double* hf_model_tendon_actfrcrange(const hfModel* m);
HF_API const double* hf_model_tendon_length0(const hfModel* m); // (ntendon) of a spatial tendon at qpos0 [m]; else 0
HF_API const int32_t* hf_model_wrap_type(const hfModel* m); // (nwrap) hfWrapType
HF_API const int32_t* hf_model_wrap_obj(const hfModel* m); // (nwrap) joint, site or geom; -1: pulley
// (nwrap) geom: site on the side where the tendon passes, or -1
HF_API const int32_t* hf_model_wrap_side(const hfModel* m);
HF_API const double* hf_model_wrap_coef(const hfModel* m); // (nwrap)* joint: coefficient; pulley: divisor

// ---- equalities

HF_API const int32_t* hf_model_eq_type(const hfModel* m); // (neq) hfEqualityType
HF_API const int32_t* hf_model_eq_objkind(const hfModel* m); // (neq) BODY or SITE for connect and weld
HF_API const int32_t* hf_model_eq_obj1(const hfModel* m); // (neq) first object
HF_API const int32_t* hf_model_eq_obj2(const hfModel* m); // (neq) -1 where there is none
HF_API const int32_t* hf_model_eq_active(const hfModel* m); // (neq) 1: it acts
// (neq x 11)* connect: anchor1(3) anchor2(3); weld: anchor in 2 (3), in 1 (3), quat of 2 in 1 (4), torquescale; joint,
// tendon: polycoef(5)
HF_API const double* hf_model_eq_data(const hfModel* m);
HF_API const double* hf_model_eq_solref(const hfModel* m); // (neq x 2)* where the model set it; else (0, 0): near-rigid
HF_API const double* hf_model_eq_solimp(const hfModel* m); // (neq x 5)* MuJoCo's impedance; counts with solref

// ---- explicit contact pairs and excluded body pairs

HF_API const int32_t* hf_model_pair_geom(const hfModel* m); // (npair x 2) the two geoms
HF_API const int32_t* hf_model_pair_condim(const hfModel* m); // (npair) 1, 3, 4 or 6
HF_API const double* hf_model_pair_friction(const hfModel* m); // (npair x 5)* slide1 slide2 torsion roll1 roll2
HF_API const double* hf_model_pair_margin(const hfModel* m); // (npair) contacts are found below this gap [m]
HF_API const double* hf_model_pair_gap(const hfModel* m); // (npair) and act below margin - gap [m]
HF_API const double* hf_model_pair_adhesion(const hfModel* m); // (npair)* force with which each contact point pulls [N]
// (npair x 2)* MuJoCo's, where the model set it; else (0, 0)
HF_API const double* hf_model_pair_solref(const hfModel* m);
HF_API const double* hf_model_pair_solimp(const hfModel* m); // (npair x 5)* MuJoCo's impedance; counts with solref
HF_API const int32_t* hf_model_exclude_body(const hfModel* m); // (nexclude x 2) the two bodies

// ---- actuators: force = gain ctrl_or_act + bias, on the length of their transmission

HF_API const int32_t* hf_model_actuator_trntype(const hfModel* m); // (nu) hfTransmission
// (nu x 2) joint, tendon, site or body; reference site, site of the slider, or -1
HF_API const int32_t* hf_model_actuator_trnid(const hfModel* m);
HF_API const int32_t* hf_model_actuator_dyntype(const hfModel* m); // (nu) hfActivation
HF_API const int32_t* hf_model_actuator_gaintype(const hfModel* m); // (nu) hfGain
HF_API const int32_t* hf_model_actuator_biastype(const hfModel* m); // (nu) hfBias
HF_API const int32_t* hf_model_actuator_ctrllimited(const hfModel* m); // (nu) 1: ctrlrange clamps its control
HF_API const int32_t* hf_model_actuator_forcelimited(const hfModel* m); // (nu) 1: forcerange clamps its force
HF_API const int32_t* hf_model_actuator_actlimited(const hfModel* m); // (nu) 1: actrange clamps its activation
HF_API const int32_t* hf_model_actuator_actadr(const hfModel* m); // (nu) first activation; -1: none
// (nu) 1: its force uses the activation at the end of the step
HF_API const int32_t* hf_model_actuator_actearly(const hfModel* m);
HF_API const int32_t* hf_model_actuator_drive(const hfModel* m); // (nu) hfDriveLaw
HF_API const int32_t* hf_model_actuator_signal(const hfModel* m); // (nu) signal that drives it, or -1
HF_API const int32_t* hf_model_actuator_inputs(const hfModel* m); // (nu) hfMotorInput or hfOrientationInput
HF_API const int32_t* hf_model_actuator_states(const hfModel* m); // (nu) of DC motors: hfMotorState
// (nu) controls of the last steps that states keep; 0: none
HF_API const int32_t* hf_model_actuator_nsample(const hfModel* m);
HF_API const int32_t* hf_model_actuator_interp(const hfModel* m); // (nu) hfInterpolation
// (nu) into the history of a state: nsample times, then controls; -1: none
HF_API const int32_t* hf_model_actuator_historyadr(const hfModel* m);
HF_API const int32_t* hf_model_actuator_group(const hfModel* m); // (nu) bit of disabled_groups that switches it off
// (nu x 3)* time constant [s]; of HF_ACTIVATION_ERROR the gain
HF_API const double* hf_model_actuator_dynprm(const hfModel* m);
HF_API const double* hf_model_actuator_gainprm(const hfModel* m); // (nu x 3)* gain = p0 + p1 length + p2 velocity
HF_API const double* hf_model_actuator_biasprm(const hfModel* m); // (nu x 3)* bias = p0 + p1 length + p2 velocity
// (nu x 8)* of muscles: tendon length, resting length [m], peak force [N], lmin, lmax, vmax, fpmax, fvmax
HF_API const double* hf_model_actuator_muscle(const hfModel* m);
// (nu x 5)* of passive forces of muscles: tendon length, resting length [m], peak force [N], lmax, fpmax
HF_API const double* hf_model_actuator_passive(const hfModel* m);
// (nu x HF_MOTOR_PARAMETERS)* of DC motors: hfMotorParameter; else 0
HF_API const double* hf_model_actuator_motor(const hfModel* m);
HF_API const double* hf_model_actuator_ctrlrange(const hfModel* m); // (nu x 2)* bounds of the control
HF_API const double* hf_model_actuator_forcerange(const hfModel* m); // (nu x 2)* bounds of the force [N or N m]
HF_API const double* hf_model_actuator_actrange(const hfModel* m); // (nu x 2)* bounds of the activation
// (nu x 6)* joint, tendon, slider-crank: [0]; site: force, then torque, in its axes
HF_API const double* hf_model_actuator_gear(const hfModel* m);
HF_API const double* hf_model_actuator_delay(const hfModel* m); // (nu)* how much later a control acts; 0: at once [s]
// (nu)* of a slider-crank: length of its rod [m]; else 0
HF_API const double* hf_model_actuator_cranklength(const hfModel* m);
HF_API const double* hf_model_actuator_length0(const hfModel* m); // (nu) at qpos0

// ---- signals that drive controls

HF_API const int32_t* hf_model_signal_type(const hfModel* m); // (nsignal) hfSignalType
// (nsignal) into signal_data: parameters, or time-value pairs
HF_API const int32_t* hf_model_signal_adr(const hfModel* m);
HF_API const int32_t* hf_model_signal_num(const hfModel* m); // (nsignal) how many numbers it has
HF_API const double* hf_model_signal_data(const hfModel* m); // (nsignaldata) numbers of all signals

// ---- sensors

HF_API const int32_t* hf_model_sensor_type(const hfModel* m); // (nsensor) hfSensorType
HF_API const int32_t* hf_model_sensor_objkind(const hfModel* m); // (nsensor) kind of what it measures (hfObjectKind)
HF_API const int32_t* hf_model_sensor_obj(const hfModel* m); // (nsensor) id of what it measures, or -1
HF_API const int32_t* hf_model_sensor_refkind(const hfModel* m); // (nsensor) kind of its reference (hfObjectKind)
HF_API const int32_t* hf_model_sensor_ref(const hfModel* m); // (nsensor) id of its reference, or -1
HF_API const int32_t* hf_model_sensor_dim(const hfModel* m); // (nsensor) how many numbers it delivers
HF_API const int32_t* hf_model_sensor_data(const hfModel* m); // (nsensor) bits: hfContactData or hfRayData
HF_API const int32_t* hf_model_sensor_num(const hfModel* m); // (nsensor) contacts that a contact sensor reports
HF_API const int32_t* hf_model_sensor_reduce(const hfModel* m); // (nsensor) hfContactReduce
// (nsensor) bit 0, 1: the object, the reference is a body with all it carries
HF_API const int32_t* hf_model_sensor_subtree(const hfModel* m);
HF_API const int32_t* hf_model_sensor_adr(const hfModel* m); // (nsensor) into the sensor data (nsensordata)
// (nsensor) 1: the cutoff clamps to [0, cutoff], else to +-cutoff
HF_API const int32_t* hf_model_sensor_positive(const hfModel* m);
HF_API const int32_t* hf_model_sensor_nsample(const hfModel* m); // (nsensor) measurements that states keep; 0: none
HF_API const int32_t* hf_model_sensor_interp(const hfModel* m); // (nsensor) hfInterpolation
// (nsensor) into the history of a state: the time at which the last measurement was due, nsample + 1 times, then as
// many rows; -1: none
HF_API const int32_t* hf_model_sensor_historyadr(const hfModel* m);
// (nsensor x 2) time between measurements, 0: each step; when they begin, from -interval to 0 [s]
HF_API const double* hf_model_sensor_interval(const hfModel* m);
// (nsensor)* how much later its numbers arrive; 0: at once [s]
HF_API const double* hf_model_sensor_delay(const hfModel* m);
// (nsensor)* standard deviation, for sims with a noise_seed
HF_API const double* hf_model_sensor_noise(const hfModel* m);
HF_API const double* hf_model_sensor_cutoff(const hfModel* m); // (nsensor) 0: none

// ---- mocap bodies and keyframes

HF_API const int32_t* hf_model_mocap_body(const hfModel* m); // (nmocap) its body
HF_API const double* hf_model_key_time(const hfModel* m); // (nkey) [s]
HF_API const double* hf_model_key_qpos(const hfModel* m); // (nkey x nq) positions
HF_API const double* hf_model_key_qvel(const hfModel* m); // (nkey x nv) velocities
HF_API const double* hf_model_key_act(const hfModel* m); // (nkey x na) activations
HF_API const double* hf_model_key_ctrl(const hfModel* m); // (nkey x nu) controls
HF_API const double* hf_model_key_mpos(const hfModel* m); // (nkey x 3*nmocap) p_WB of mocap bodies [m]
HF_API const double* hf_model_key_mquat(const hfModel* m); // (nkey x 4*nmocap) q_WB of mocap bodies

// ---- names: zero-terminated, one pool; -1: unnamed

HF_API const int32_t* hf_model_body_name(const hfModel* m); // (nbody) where its name begins in names, or -1
HF_API const int32_t* hf_model_jnt_name(const hfModel* m); // (njnt) where its name begins in names, or -1
HF_API const int32_t* hf_model_geom_name(const hfModel* m); // (ngeom) where its name begins in names, or -1
HF_API const int32_t* hf_model_site_name(const hfModel* m); // (nsite) where its name begins in names, or -1
HF_API const int32_t* hf_model_cam_name(const hfModel* m); // (ncam) where its name begins in names, or -1
HF_API const int32_t* hf_model_mesh_name(const hfModel* m); // (nmesh) where its name begins in names, or -1
HF_API const int32_t* hf_model_hfield_name(const hfModel* m); // (nhfield) where its name begins in names, or -1
HF_API const int32_t* hf_model_tendon_name(const hfModel* m); // (ntendon) where its name begins in names, or -1
HF_API const int32_t* hf_model_eq_name(const hfModel* m); // (neq) where its name begins in names, or -1
HF_API const int32_t* hf_model_actuator_name(const hfModel* m); // (nu) where its name begins in names, or -1
HF_API const int32_t* hf_model_sensor_name(const hfModel* m); // (nsensor) where its name begins in names, or -1
HF_API const int32_t* hf_model_key_name(const hfModel* m); // (nkey) where its name begins in names, or -1
HF_API const int32_t* hf_model_pair_name(const hfModel* m); // (npair) where its name begins in names, or -1
HF_API const char* hf_model_names(const hfModel* m); // (nnames) all names, one after the other, each ended by a zero

#ifdef __cplusplus
}
#endif
#endif
