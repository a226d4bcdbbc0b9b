// For each element or attribute of MJCF that is not used: what this means for the motion. The first entry that fits
// counts. An entry without text reports nothing; it is for things that are only drawn.
#include "io/mjcf/mjcf.h"
#include "io/mjcf/mjcf_settings.h"

#include <stddef.h>

static const char bookkeeping[] = HFI_NO_EFFECT;
static const char sizes[] = "memory sizes: no effect on the motion";

const hfiMeaning hfi_mjcf_meanings[] = {
    // elements
    {"visual", NULL, 1, NULL},
    {"statistic", NULL, 1, NULL},
    {"size", NULL, 1, sizes},
    {"light", NULL, 1, NULL},
    {"texture", NULL, 1, NULL},
    {"layer", NULL, 1, NULL},
    {"skin", NULL, 1, NULL},
    {"numeric", NULL, 1, "a user's own numbers: not used"},
    {"text", NULL, 1, "a user's own text: not used"},
    {"tuple", NULL, 1, "a user's own list: not used"},
    {"option", NULL, 1, "of an attached model: the outer model's options hold"},
    {"extension", NULL, 0, "plugins are not supported: what they do is missing"},
    {"plugin", NULL, 0, "plugins are not supported: what they do is missing"},
    {"composite", NULL, 0, "composite objects other than cables are not supported: they are missing"},
    {"flexcomp", NULL, 0, "deformable objects are not supported: they are missing"},
    {"deformable", NULL, 0, "deformable objects are not supported: they are missing"},
    {"flex", NULL, 0, "deformable objects are not supported: the constraint is missing"},
    {"flexstrain", NULL, 0, "deformable objects are not supported: the constraint is missing"},
    {"tactile", NULL, 0,
     "sensor left out: not supported; the numbers of the sensors after it come earlier than in MuJoCo"},
    // attributes of any element
    {"*", "user", 1, "a user's own numbers: not used"},
    {"*", "group", 1, NULL},
    {"size", "*", 1, sizes},
    HFI_COMPILER_MEANINGS,
    HFI_OPTION_MEANINGS,
    // assets
    {"material", "*", 1, NULL},
    {"mesh", "normal", 1, NULL},
    {"mesh", "texcoord", 1, NULL},
    {"mesh", "smoothnormal", 1, NULL},
    {"mesh", "material", 1, NULL},
    {"mesh", "content_type", 1, "the format is taken from the file's name"},
    {"model", "content_type", 1, "the format is taken from the file"},
    // tree
    {"body", "simple", 1, bookkeeping},
    {"body", "fuse", 1, "static bodies are kept: the motion is the same"},
    {"frame", "scale", 0, "scaling a frame is not supported: its contents keep their size"},
    {"frame", "scaling", 0, "scaling a frame is not supported: its contents keep their size"},
    {"frame", "massscale", 0, "scaling a frame is not supported: its contents keep their mass"},
    {"geom", "castshadow", 1, NULL},
    {"camera", "ipd", 1, NULL},
    {"camera", "output", 1, NULL},
    {"site", "rgba", 1, NULL},
    {"site", "material", 1, NULL},
    {"site", "mesh", 1, NULL},
    {"spatial", "rgba", 1, NULL},
    {"spatial", "width", 1, NULL},
    {"spatial", "material", 1, NULL},
    {"tendon", "rgba", 1, NULL},
    {"tendon", "width", 1, NULL},
    {"tendon", "material", 1, NULL},
    // actuators and keyframes
    {"*", "slidersite", 1, "only a slider-crank, which has a cranksite, uses it"},
    {"general", "input", 0, "an actuator has one input"},
    {"general", "velrange", 0, "an actuator has one input"},
    {"general", "ffrange", 0, "an actuator has one input"},
    {"key", "plastic", 0, "springs stay elastic"},
    {NULL, NULL, 0, NULL},
};
