// Files that come with the command: models, examples, scripts.
#ifndef CLI_DATA_H
#define CLI_DATA_H

enum { DATA_PATH = 1024 };

// Writes the path of a file that comes with the command, for example "models/mug.xml", to `path` and returns it. The
// folder is that of the environment variable HOLDFAST_DATA; else the Python package in which the command lies; else
// the sources that the build folder names in which it lies; else share/holdfast of the installation to which it
// belongs.
const char* data_path(char path[DATA_PATH], const char* file);

#endif
