/* The launcher: what `ktcc nvcc …` does, from command line to exec. */
#ifndef KT_LAUNCH_LAUNCH_H
#define KT_LAUNCH_LAUNCH_H

/*
 * Runs the compiler command. Returns only when the compiler was not exec'd:
 * its exit code after the first compilation of an emission, 127 when it cannot
 * be started, a code from 100 on for KTUNE_MODE=require.
 */
int kt_launch(int argc, char **argv);

#endif
