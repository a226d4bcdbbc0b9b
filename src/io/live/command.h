// Commands of the page to a session, live or inside the page: bytes from outside, read and checked here.
//
// A command is uint32 kind, uint32 index, then as many doubles as its kind has (little-endian).
#ifndef HFI_LIVE_COMMAND_H
#define HFI_LIVE_COMMAND_H

#include <holdfast/status.h>
#include <stddef.h>
#include <stdint.h>

typedef enum hfiCommandKind {
  HFI_COMMAND_PLAY = 1,    // (speed)
  HFI_COMMAND_PAUSE = 2,   // stops the time of the world until it plays again
  HFI_COMMAND_STEP = 3,    // index: how many steps
  HFI_COMMAND_RESET = 4,   // index: 0 the start, else keyframe + 1
  HFI_COMMAND_SEEK = 5,    // (time [s]): go back to this time; everything after it is forgotten
  HFI_COMMAND_CONTROL = 6, // index: actuator; (value)
  HFI_COMMAND_RELEASE = 7, // the controls of the start act again
  HFI_COMMAND_JOINT = 8,   // index: hinge or slide; (position [m or rad])
  HFI_COMMAND_DRAG = 9,    // index: body; (point in the body, target in the world [m], stiffness [N/m])
  HFI_COMMAND_DROP = 10,   // end of the drag
  HFI_COMMAND_FIELD = 11,  // index: field of the model; (element, value)
  HFI_COMMAND_SCALE = 12,  // index: hfiScale; (factor on the scene's values)
  HFI_COMMAND_OPTION = 13, // index: field of the configuration; (value)
  HFI_COMMAND_SAVE = 14,   // index: 0 a recording, 1 a report (server)
  HFI_COMMAND_TAKE = 15,   // ask for control (server)
  HFI_COMMAND_KINDS
} hfiCommandKind;

typedef enum hfiScale {
  HFI_SCALE_FRICTION,  // friction of all contacts
  HFI_SCALE_MASS,      // masses of free bodies
  HFI_SCALE_ACTUATION, // gains and force limits of all actuators
  HFI_SCALES
} hfiScale;

enum { HFI_COMMAND_NUMBERS = 7, HFI_COMMAND_BYTES = 8 + 8 * HFI_COMMAND_NUMBERS };

typedef struct hfiCommand {
  uint32_t kind, index;
  double x[HFI_COMMAND_NUMBERS];
} hfiCommand;

// Refuses unknown kinds, wrong sizes and numbers that are not finite. The session checks whether an index fits the
// model.
hfStatus hfi_command_read(hfiCommand* command, const void* bytes, size_t size, hfError* error);

#endif
