/* What lies in the folder of a staged run: see stage_store.h. */
#ifndef RUNTIME_STAGE_STAGE_NAMES_H
#define RUNTIME_STAGE_STAGE_NAMES_H

#define STAGE_FOLDER "stage" /* in the folder of the state */
#define STAGE_RECORD "record"
#define STAGE_BASE "base"
#define STAGE_BUNDLE "bundle.polb"

#endif
