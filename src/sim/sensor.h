// Sensors of a model at one instant. Conventions are MuJoCo's (docs/theory/sensors.md).
#ifndef HFI_SIM_SENSOR_H
#define HFI_SIM_SENSOR_H

#include "step/world/method.h"
#include <holdfast/sim.h>
#include <stdint.h>

// What sensors look at. Kinematics (position, velocity) and actuation (update, forces) are up to date.
typedef struct hfiSensorInput {
  hfDynamics* dynamics;         // accelerations are written into it
  const hfActuation* actuation;
  double time;                  // [s]
  const double* q;              // (nq)
  const double* vdot;           // (nv)
  const hfiConstraintForces* constraint; // NULL: none act
  const hfForce* wrench;        // (nbody) external, at the centres of mass, or NULL
  const hfContact* contact;     // (ncontact)
  const uint8_t* visible;       // (ngeom) 0: rangefinders do not see the geom; NULL: they see all
  int ncontact;
} hfiSensorInput;

// All sensors into out (nsensordata).
void hfi_sensors(const hfiSensorInput* in, double* out);

// Adds noise to the data of all sensors, which depends on the seed (0: no noise) and the time.
void hfi_add_noise(const hfModel* model, int32_t seed, double time, double* data);

// ---- parts ------------------------------------------------------------------------------------------

// A frame: of a body (HF_OBJECT_BODY), its principal axes (HF_OBJECT_INERTIAL), a geom, a site, a camera, or the world.
// It moves with the body.
typedef struct hfiFrame {
  int body;
  hfPose X_WF;
} hfiFrame;
hfiFrame hfi_frame_of(const hfDynamics* d, int kind, int id);

// Frame sensors, and those of a site's motion. out has the sensor's dimension.
void hfi_sense_frame(const hfiSensorInput* in, int sensor, double* out);
// Force and torque at p_W by which the body's parent holds it, in world axes.
hfForce hfi_interaction_force(const hfiSensorInput* in, int body, hfVec3 p_W);
// Sum of the normal forces of those contacts of the site's body that the site's volume sees [N].
double hfi_touch_force(const hfiSensorInput* in, int site);
// Writes a vector and returns the address after it.
static inline double* hfi_store_vector(double* out, hfVec3 v) {
  v3_store(out, v);
  return out + 3;
}
// Force on the first geom of a contact, in world axes.
static inline hfVec3 hfi_contact_force(const hfContact* c) { return v3_axpy(c->fn, c->n_W, c->ft); }
// What a contact sensor reports (sensor_contact.c).
void hfi_sense_contacts(const hfiSensorInput* in, int sensor, double* out);
// Distances along rays from a site or from all pixels of a camera, and the place of a site in a picture (sensor_ray.c).
void hfi_sense_rays(const hfiSensorInput* in, int sensor, double* out);
void hfi_sense_projection(const hfiSensorInput* in, int sensor, double* out);
// Distances and volumes (sensor_geom.c).
void hfi_sense_distance(const hfiSensorInput* in, int sensor, double* out);
double hfi_sense_inside(const hfiSensorInput* in, int sensor);
// Is the point inside of the site's volume?
int hfi_site_contains(const hfDynamics* d, int site, hfVec3 p_W);

#endif
