// Writing what a builder holds as MJCF: attributes, and the names of objects.
#ifndef HFI_IMPORT_MJCF_WRITE_H
#define HFI_IMPORT_MJCF_WRITE_H

#include "io/xml/xml_write.h"
#include "build/builder.h"

typedef struct hfiMjcfWriter {
  hfiXmlWriter xml;
  const hfBuilder* b;
  const char** name[HF_OBJECT_KINDS]; // names of the objects of each kind, (count of the kind); NULL: unnamed
  hfiPool pool;                       // names that were made, and other memory
  // MJCF has one set of rules about inertia for all bodies. If bodies of the builder follow different rules, this model
  // has the inertias that are written; otherwise it is NULL.
  hfModel* model;
  int all_inertias; // 1: the inertia of every body is written, because the rules of the file would change some of them
} hfiMjcfWriter;

// ---- mjcf_print.c -------------------------------------------------------------------------------

// Writes the attribute `name` if the object has one.
void hfi_mjcf_put_name(hfiMjcfWriter* w, hfObjectKind kind, int id);
// Writes a coefficient and, if they are not zero, those of the second and third power.
void hfi_mjcf_put_polynomial(hfiMjcfWriter* w, const char* attribute, double linear, const double poly[2]);
void hfi_mjcf_put_pose(hfiMjcfWriter* w, const double pos[3], const double quat[4]);
// Writes limited="…" and the range.
void hfi_mjcf_put_range(hfiMjcfWriter* w, const char* limited, const char* range, int is_limited, const double x[2]);
void hfi_mjcf_put_solver(hfiMjcfWriter* w, const char* ref_name, const char* imp_name, const double solref[2],
                         const double solimp[5]);
// Writes attribute="NAME OF THE OBJECT", or nothing if id < 0.
void hfi_mjcf_put_reference(hfiMjcfWriter* w, const char* attribute, hfObjectKind kind, int id);

// ---- sections -----------------------------------------------------------------------------------

void hfi_mjcf_write_custom(hfiMjcfWriter* w);
void hfi_mjcf_write_assets(hfiMjcfWriter* w);
void hfi_mjcf_write_tree(hfiMjcfWriter* w);
void hfi_mjcf_write_contacts(hfiMjcfWriter* w);
void hfi_mjcf_write_tendons(hfiMjcfWriter* w);
void hfi_mjcf_write_equalities(hfiMjcfWriter* w);
void hfi_mjcf_write_actuators(hfiMjcfWriter* w);
void hfi_mjcf_write_sensors(hfiMjcfWriter* w);
void hfi_mjcf_write_keys(hfiMjcfWriter* w);

#endif
