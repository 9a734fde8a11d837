/*
 * The verbs of the command line: one function a verb, rows of the table in
 * main.c. argv[0] is the verb's name. Each returns the process's exit code and
 * understands --json and --help.
 */
#ifndef KT_VERBS_VERBS_H
#define KT_VERBS_VERBS_H

/* Exit codes of ktcc's own; the compiler's pass through untouched. */
enum {
	KT_EXIT_FAILED = 100,  /* something that was asked for could not be done */
	KT_EXIT_USAGE = 101,   /* the command line is not understood */
	KT_EXIT_REQUIRED = 102 /* KTUNE_MODE=require and an entry is missing */
};

int kt_verb_scan(int argc, char **argv);
int kt_verb_space(int argc, char **argv);
int kt_verb_tune(int argc, char **argv);
int kt_verb_emit(int argc, char **argv);
int kt_verb_verify(int argc, char **argv);
int kt_verb_explain(int argc, char **argv);
int kt_verb_plan(int argc, char **argv);
int kt_verb_report(int argc, char **argv);
int kt_verb_cache(int argc, char **argv);
int kt_verb_key(int argc, char **argv);
int kt_verb_simulate(int argc, char **argv);
int kt_verb_doctor(int argc, char **argv);

#endif
