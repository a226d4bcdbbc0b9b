// Mass properties of geoms and meshes, for bodies whose inertia is inferred.
#ifndef HFI_BUILD_MASS_H
#define HFI_BUILD_MASS_H

#include <holdfast/builder.h>
#include "math/vec3.h"

// About a point O: I is the inertia about the centre of mass, in the axes of O's frame.
typedef struct hfiMass { double mass; hfVec3 com; double I[6]; } hfiMass;

// Unit-density properties of a mesh in its own frame: mass is the volume (or the area of a shell).
hfStatus hfi_mesh_mass(const hfMeshDef* mesh, hfiMass* out, hfError* error);
// Properties of a bounded geom in its body's frame. `mesh`: unit-density properties of its mesh in the
// geom's frame, for shapes that use one.
hfiMass hfi_geom_mass(const hfGeomDef* geom, const hfiMass* mesh);
// Sum of two, about the common centre of mass.
hfiMass hfi_mass_add(const hfiMass* a, const hfiMass* b);

#endif
