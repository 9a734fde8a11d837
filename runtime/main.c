/*
 * ktcc-runner: verifies and times kernels for ktcc. One request a line on
 * standard input, one reply a line on standard output, both JSON
 * (docs/protocol-runner.md). It ends when its input does, or by itself after
 * a fault that took the device context with it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "messages.h"

#define PROTOCOL 1
#define EXIT_FATAL 3
#define LARGEST_COPY ((int64_t)1 << 30)
#define ENERGY_SECONDS 2.0
#define CPU_SECONDS_MOST 1000000

/* The backends that --backend names; the first is the default. */
static const struct backend_row {
	const char *name;
	const char *ordinal_key; /* the environment's device number, below --device; NULL: none */
	bool writes_files;       /* the driver keeps what it compiles */
	kt_status (*open)(struct kt_backend *out, struct kt_arena *arena, int ordinal, struct kt_error *err);
} backends[] = {{"cuda", NULL, false, kt_cuda_open}, {"opencl", "KTUNE_OPENCL_DEVICE", true, kt_opencl_open}};

struct runner {
	const struct backend_row *kind;
	const char *replay, *record_path, *ordinal_text;
	int ordinal;
	bool once; /* run by a tool */
	int64_t cpu_seconds; /* 0: no limit */
	struct kt_arena *arena;        /* as long as the process */
	struct kt_arena *region_arena; /* until the next region */
	struct kt_backend backend;
	bool open, fatal;
	struct kt_record *record;
	struct kt_run_region *region;
	struct kt_run_prepared *prepared;
};

/* The names of kt_status in replies. */
static const char *const codes[] = {
    [KT_OK] = "ok", [KT_ERR_MEMORY] = "memory", [KT_ERR_IO] = "io", [KT_ERR_SYNTAX] = "syntax",
    [KT_ERR_INVALID] = "invalid", [KT_ERR_MISSING] = "missing", [KT_ERR_LIMIT] = "limit", [KT_ERR_CHILD] = "device",
    [KT_ERR_BUSY] = "busy", [KT_ERR_CORRUPT] = "corrupt",
};

static kt_status on_hello(cJSON *reply, struct runner *r, struct kt_arena *arena, const cJSON *request,
                          struct kt_error *err)
{
	int64_t protocol = 0;
	(void)arena;
	TRY(kt_json_int_or(&protocol, request, "protocol", PROTOCOL, err));
	if (protocol != PROTOCOL)
		return kt_fail(err, KT_ERR_INVALID, "protocol %lld is asked for, this runner speaks %d",
		               (long long)protocol, PROTOCOL);
	if (!r->open) {
		TRY(r->replay ? kt_replay_open(&r->backend, r->arena, r->replay, err)
			      : r->kind->open(&r->backend, r->arena, r->ordinal, err));
		if (r->record_path)
			TRY(kt_record_open(&r->record, r->arena, r->record_path, r->backend.device, err));
		r->open = true;
	}
	(void)kt_json_add_int(reply, "protocol", PROTOCOL);
	(void)cJSON_AddStringToObject(reply, "ktcc", KT_VERSION);
	(void)cJSON_AddStringToObject(reply, "backend", r->backend.name);
	(void)cJSON_AddBoolToObject(reply, "wants_support", r->backend.wants_support);
	if (r->backend.measures_energy)
		(void)cJSON_AddBoolToObject(reply, "measures_energy", true);
	kt_json_add_text(reply, "date", r->backend.date);
	(void)cJSON_AddItemToObject(reply, "device", kt_device_json(r->backend.device));
	return KT_OK;
}

static kt_status on_support(cJSON *reply, struct runner *r, struct kt_arena *arena, const cJSON *request,
                            struct kt_error *err)
{
	const char *cubin = NULL;
	(void)reply;
	kt_status status = kt_json_string(&cubin, arena, request, "cubin", err);
	return status ? status : r->backend.support(r->backend.state, cubin, err);
}

static kt_status on_region(cJSON *reply, struct runner *r, struct kt_arena *arena, const cJSON *request,
                           struct kt_error *err)
{
	struct kt_run_failure failure = {false, SIZE_MAX};
	struct kt_run_region *region = NULL;
	(void)arena;
	r->region = NULL;
	kt_arena_free(r->region_arena);
	NEED(r->region_arena = kt_arena_new(KT_ARENA_REGION_BYTES), kt_no_memory(err));
	kt_status status = kt_message_region(&region, r->region_arena, request, err);
	if (status)
		return status;
	NEED(r->prepared = kt_arena_array(r->region_arena, region->problem_count, sizeof *r->prepared),
	     kt_no_memory(err));
	region->once = r->once;
	status = r->backend.region(r->prepared, &failure, r->backend.state, r->region_arena, region, err);
	r->fatal = failure.fatal;
	if (status && failure.problem < region->problem_count)
		(void)kt_json_add_int(reply, "problem", (int64_t)failure.problem);
	if (status && failure.problem < region->problem_count && r->prepared[failure.problem].by_host)
		(void)cJSON_AddBoolToObject(reply, "by_host", true);
	if (status)
		return status;
	r->region = region;
	cJSON *problems = cJSON_AddArrayToObject(reply, "problems");
	for (size_t p = 0; p < region->problem_count; p++) {
		cJSON *item = kt_json_append(problems);
		(void)cJSON_AddStringToObject(item, "problem", region->problems[p].text);
		kt_message_add_prepared(item, &r->prepared[p]);
	}
	return kt_record_region(r->record, region, r->prepared, err);
}

/* Beside times: what was launched and timed in this process can be set off against another's. */
static double launch_ns(struct runner *r)
{
	const double ns = r->backend.launch_ns ? r->backend.launch_ns(r->backend.state) : 0;
	kt_record_launch(r->record, ns);
	return ns;
}

static void add_launch(cJSON *reply, struct runner *r)
{
	const double ns = launch_ns(r);
	if (ns > 0)
		(void)cJSON_AddNumberToObject(reply, "launch_ns", ns);
}

static kt_status need_region(const struct runner *r, struct kt_error *err)
{
	return r->region ? KT_OK : kt_fail(err, KT_ERR_INVALID, "no region was prepared");
}

static kt_status on_try(cJSON *reply, struct runner *r, struct kt_arena *arena, const cJSON *request,
                        struct kt_error *err)
{
	struct kt_run_candidate candidate;
	struct kt_run_effort effort;
	struct kt_run_outcome outcome = {.verdict = KT_VERDICT_OK};
	TRY(need_region(r, err));
	TRY(kt_message_candidate(&candidate, arena, request, r->region, err));
	TRY(kt_message_effort(&effort, request, err));
	outcome.trials = kt_arena_array(arena, r->region->problem_count, sizeof *outcome.trials);
	outcome.notes = kt_arena_array(arena, r->region->problem_count, sizeof *outcome.notes);
	if (!outcome.trials || !outcome.notes)
		return kt_no_memory(err);
	TRY(r->backend.try_candidate(&outcome, r->backend.state, arena, &candidate, &effort, err));
	r->fatal = outcome.fatal;
	const size_t problems = r->region->problem_count;
	struct kt_reply_try made = {outcome.verdict, launch_ns(r), outcome.registers, outcome.local_bytes, outcome.shared_bytes,
	                            outcome.occupancy_blocks, problems, kt_arena_array(arena, problems, sizeof *made.rows)};
	NEED(made.rows, kt_no_memory(err));
	for (size_t p = 0; p < problems; p++) {
		const struct kt_run_notes *notes = &outcome.notes[p];
		made.rows[p] = (struct kt_reply_row){r->region->problems[p].text, outcome.trials[p], notes->ulp_count, notes->ulp,
		                                     kt_message_conditions(&notes->conditions)};
	}
	kt_print_members(reply, &made, &kt_reply_try_members, NULL);
	return kt_record_try(r->record, r->region, &candidate, &outcome, err);
}

/* One per problem, null where the device did not tell; nothing where it never did. */
static void add_conditions(cJSON *reply, const struct kt_run_conditions *conditions, size_t problems)
{
	size_t known = 0;
	for (size_t p = 0; p < problems; p++)
		known += conditions[p].known;
	cJSON *array = known ? cJSON_AddArrayToObject(reply, "conditions") : NULL;
	for (size_t p = 0; known && p < problems; p++) {
		cJSON *item = kt_message_conditions(&conditions[p]);
		(void)cJSON_AddItemToArray(array, item != NULL ? item : cJSON_CreateNull());
	}
}

static kt_status read_candidates(struct kt_run_candidate **out, size_t *count, struct runner *r, struct kt_arena *arena,
                                 const cJSON *request, struct kt_error *err)
{
	const cJSON *list = NULL, *item = NULL;
	size_t i = 0;
	TRY(need_region(r, err));
	TRY(kt_json_array_or(&list, request, "candidates", err));
	*count = (size_t)cJSON_GetArraySize(list);
	if (*count < 1 || *count > KT_RUN_CANDIDATES)
		return kt_fail(err, KT_ERR_LIMIT, "%zu candidates, 1 to %d can be compared", *count, KT_RUN_CANDIDATES);
	NEED(*out = kt_arena_array(arena, *count, sizeof **out), kt_no_memory(err));
	cJSON_ArrayForEach(item, list)
	{
		TRY(kt_message_candidate(&(*out)[i++], arena, item, r->region, err));
	}
	return KT_OK;
}

static kt_status on_compare(cJSON *reply, struct runner *r, struct kt_arena *arena, const cJSON *request,
                            struct kt_error *err)
{
	struct kt_run_failure failure = {false, SIZE_MAX};
	struct kt_run_effort effort;
	struct kt_run_candidate *candidates = NULL;
	size_t count = 0;
	kt_status status = read_candidates(&candidates, &count, r, arena, request, err);
	if (status || (status = kt_message_effort(&effort, request, err)))
		return status;
	const size_t problems = r->region->problem_count;
	struct kt_timing *timings = kt_arena_array(arena, count * problems, sizeof *timings);
	struct kt_run_conditions *conditions = kt_arena_array(arena, problems, sizeof *conditions);
	if (!timings || !conditions)
		return kt_no_memory(err);
	status =
	    r->backend.compare(timings, conditions, &failure, r->backend.state, arena, candidates, count, &effort, err);
	r->fatal = failure.fatal;
	if (status)
		return status;
	add_launch(reply, r);
	cJSON *rows = cJSON_AddArrayToObject(reply, "timings");
	for (size_t c = 0; c < count; c++) {
		cJSON *row = cJSON_CreateArray();
		for (size_t p = 0; p < problems; p++) {
			cJSON *cell = kt_json_append(row);
			kt_timing_add(cell, "timing", &timings[c * problems + p]);
		}
		(void)cJSON_AddItemToArray(rows, row);
	}
	add_conditions(reply, conditions, problems);
	return kt_record_compare(r->record, r->region, candidates, count, timings, err);
}

/* Of candidates that were verified before; null where a problem was not measured. */
static kt_status on_energy(cJSON *reply, struct runner *r, struct kt_arena *arena, const cJSON *request,
                           struct kt_error *err)
{
	struct kt_run_failure failure = {false, SIZE_MAX};
	struct kt_run_candidate *candidates = NULL;
	size_t count = 0;
	double most_s = 0;
	kt_status status = read_candidates(&candidates, &count, r, arena, request, err);
	THEN(status, kt_json_double_or(&most_s, request, "most_s", ENERGY_SECONDS, err));
	if (status)
		return status;
	if (!r->backend.measures_energy)
		return kt_fail(err, KT_ERR_MISSING, "the driver has no energy counter for this device");
	const size_t problems = r->region->problem_count;
	struct kt_run_energy *energies;
	NEED(energies = kt_arena_array(arena, count * problems, sizeof *energies), kt_no_memory(err));
	status = r->backend.energy(energies, &failure, r->backend.state, arena, candidates, count, most_s, err);
	r->fatal = failure.fatal;
	cJSON *rows = status ? NULL : cJSON_AddArrayToObject(reply, "energies");
	for (size_t c = 0; rows && c < count; c++) {
		cJSON *row = cJSON_CreateArray();
		for (size_t p = 0; p < problems; p++)
			kt_message_add_energy(row, &energies[c * problems + p]);
		(void)cJSON_AddItemToArray(rows, row);
	}
	return status;
}

static kt_status on_copy(cJSON *reply, struct runner *r, struct kt_arena *arena, const cJSON *request,
                          struct kt_error *err)
{
	struct kt_run_failure failure = {false, SIZE_MAX};
	struct kt_run_effort effort;
	kt_status status;
	if ((status = need_region(r, err)) || (status = kt_message_effort(&effort, request, err)))
		return status;
	double *copy_ns;
	NEED(copy_ns = kt_arena_array(arena, r->region->problem_count, sizeof *copy_ns), kt_no_memory(err));
	status = r->backend.copy(copy_ns, &failure, r->backend.state, &effort, err);
	r->fatal = failure.fatal;
	if (status)
		return status;
	add_launch(reply, r);
	cJSON *array = cJSON_AddArrayToObject(reply, "floor_ns");
	for (size_t p = 0; p < r->region->problem_count; p++)
		(void)cJSON_AddItemToArray(array, cJSON_CreateNumber(copy_ns[p]));
	return kt_record_copy(r->record, r->region, copy_ns, err);
}

static kt_status on_copy_curves(cJSON *reply, struct runner *r, struct kt_arena *arena, const cJSON *request,
                               struct kt_error *err)
{
	static struct kt_run_curve curves[KT_RUN_PATTERNS];
	struct kt_run_failure failure = {false, SIZE_MAX};
	struct kt_run_effort effort;
	int64_t largest = 0;
	(void)arena;
	kt_status status = kt_message_effort(&effort, request, err);
	THEN(status, kt_json_int_or(&largest, request, "largest_bytes", LARGEST_COPY, err));
	if (status)
		return status;
	if (largest < 1 || !r->backend.copy_curves)
		return kt_fail(err, KT_ERR_INVALID, "there is nothing to copy");
	status = r->backend.copy_curves(curves, &failure, r->backend.state, &effort, (uint64_t)largest, err);
	r->fatal = failure.fatal;
	if (status)
		return status;
	add_launch(reply, r);
	cJSON *array = cJSON_AddArrayToObject(reply, "patterns");
	for (size_t i = 0; i < KT_RUN_PATTERNS; i++) {
		const struct kt_curve curve = {curves[i].name, curves[i].count, curves[i].points};
		if (curve.count > 0)
			kt_print_members(kt_json_append(array), &curve, &kt_curve_members, NULL);
	}
	return KT_OK;
}

static const struct {
	const char *name;
	bool needs_backend;
	kt_status (*run)(cJSON *reply, struct runner *r, struct kt_arena *arena, const cJSON *request,
	                 struct kt_error *err);
} requests[] = {
    {"hello", false, on_hello},     {"support", true, on_support}, {"region", true, on_region},
    {"try", true, on_try},          {"compare", true, on_compare}, {"floor", true, on_copy},
    {"copy-floor", true, on_copy_curves}, {"energy", true, on_energy},
};

static kt_status answer(cJSON *reply, struct runner *r, struct kt_arena *arena, const cJSON *request,
                        struct kt_error *err)
{
	const char *name = NULL;
	TRY(kt_json_string(&name, arena, request, "request", err));
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
		if (strcmp(requests[i].name, name) != 0)
			continue;
		if (requests[i].needs_backend && !r->open)
			return kt_fail(err, KT_ERR_INVALID, "%s before hello", name);
		return requests[i].run(reply, r, arena, request, err);
	}
	return kt_fail(err, KT_ERR_INVALID, "unknown request '%s'", name);
}

static void add_warnings(cJSON *reply, struct runner *r)
{
	const char *warning = r->open && r->backend.warning ? r->backend.warning(r->backend.state) : NULL;
	cJSON *array = warning ? cJSON_AddArrayToObject(reply, "warnings") : NULL;
	for (; warning; warning = r->backend.warning(r->backend.state))
		(void)cJSON_AddItemToArray(array, cJSON_CreateString(warning));
}

/* Where the time went that this request has taken. */
static void add_spent(cJSON *reply, struct runner *r)
{
	static const char *const names[] = {[KT_PHASE_PREPARE] = "prepare", [KT_PHASE_LOAD] = "load",
	                                    [KT_PHASE_VERIFY] = "verify", [KT_PHASE_TIME] = "time", [KT_PHASE_DEVICE] = "device",
	                                    [KT_PHASE_COMPILE] = "compile"};
	double spent_s[KT_RUN_PHASES] = {0};
	cJSON *item;
	if (!r->open || !r->backend.spent)
		return;
	r->backend.spent(spent_s, r->backend.state);
	item = cJSON_AddObjectToObject(reply, "spent_s");
	for (int i = 0; i < KT_RUN_PHASES; i++)
		(void)cJSON_AddNumberToObject(item, names[i], spent_s[i]);
}

/* Reads, answers and writes one line. */
static kt_status serve(struct runner *r, const char *line, size_t size, struct kt_error *err)
{
	struct kt_error failure = {0};
	struct kt_buf out = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	cJSON *request = NULL, *reply = cJSON_CreateObject();
	kt_status status = arena && reply ? kt_json_parse(&request, line, size, &failure) : kt_no_memory(&failure);
	THEN(status, answer(reply, r, arena, request, &failure));
	if (status) {
		cJSON *problem = cJSON_DetachItemFromObjectCaseSensitive(reply, "problem");
		cJSON_Delete(reply);
		reply = cJSON_CreateObject();
		if (problem)
			(void)cJSON_AddItemToObject(reply, "problem", problem);
		(void)cJSON_AddStringToObject(reply, "error", failure.message);
		(void)cJSON_AddStringToObject(reply, "code", codes[status]);
	}
	if (r->fatal)
		(void)cJSON_AddBoolToObject(reply, "fatal", true);
	add_warnings(reply, r);
	add_spent(reply, r);
	kt_json_print(&out, reply);
	kt_buf_addc(&out, '\n');
	status = kt_buf_check(&out, "the reply", err);
	if (!status && (fwrite(kt_buf_text(&out), 1, out.size, stdout) != out.size || fflush(stdout)))
		status = kt_fail_errno(err, "writing the reply");
	cJSON_Delete(request);
	cJSON_Delete(reply);
	kt_buf_free(&out);
	kt_arena_free(arena);
	return status;
}

static int loop(struct runner *r)
{
	struct kt_error err = {0};
	char *line = NULL;
	size_t capacity = 0;
	ssize_t size;
	while ((size = getline(&line, &capacity, stdin)) > 0) {
		if ((size_t)size > KT_LIMIT_MESSAGE_BYTES || serve(r, line, (size_t)size, &err)) {
			(void)fprintf(stderr, "ktcc-runner: %s\n",
				      *err.message ? err.message : "a request is too long");
			free(line);
			return EXIT_FAILURE;
		}
		/* A hung kernel would hold an orderly exit for ever: leave at once, the driver cleans up. */
		if (r->fatal)
			_exit(EXIT_FATAL);
	}
	free(line);
	return EXIT_SUCCESS;
}

static int usage(const char *problem, const char *word)
{
	(void)fprintf(
	    stderr, "ktcc-runner: %s%s\nusage: ktcc-runner [--backend cuda|opencl] [--device N] [--replay FILE | "
	            "--record FILE] [--once] [--cpu-seconds N] [--version]\n",
	    problem, word);
	return 2;
}

/* A number of at most `most`; false: it is none. */
static bool read_number(int64_t *out, const char *text, long most)
{
	char *end = NULL;
	long number = strtol(text, &end, 10);
	*out = number;
	return *text && !*end && number >= 0 && number <= most;
}

/* The words of the command line; 0, or an exit code. */
static int read_options(struct runner *r, int argc, char **argv)
{
	int64_t ordinal = 0;
	for (int i = 1; i < argc; i += 2) {
		const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
		if (strcmp(word, "--once") == 0) {
			r->once = true;
			i--;
			continue;
		}
		if (!value)
			return usage("an option without its value, or unknown: ", word);
		if (strcmp(word, "--replay") == 0)
			r->replay = value;
		else if (strcmp(word, "--record") == 0)
			r->record_path = value;
		else if (strcmp(word, "--device") == 0)
			r->ordinal_text = value;
		else if (strcmp(word, "--cpu-seconds") == 0 && !read_number(&r->cpu_seconds, value, CPU_SECONDS_MOST))
			return usage("not a number of seconds: ", value);
		else if (strcmp(word, "--cpu-seconds") == 0)
			continue;
		else if (strcmp(word, "--backend") != 0)
			return usage("unknown option ", word);
		else if (!(r->kind = KT_FIND(backends, sizeof backends / sizeof *backends, name, value)))
			return usage("unknown backend ", value);
	}
	if (r->replay && r->record_path)
		return usage("a replay cannot be recorded: ", r->record_path);
	if (r->once && r->record_path)
		return usage("nothing is verified that could be recorded: ", r->record_path);
	if (!r->ordinal_text && r->kind->ordinal_key)
		r->ordinal_text = getenv(r->kind->ordinal_key);
	if (r->ordinal_text && *r->ordinal_text) {
		if (!read_number(&ordinal, r->ordinal_text, 1023))
			return usage("not a device number: ", r->ordinal_text);
		r->ordinal = (int)ordinal;
	}
	return 0;
}

static void set_limit(int resource, rlim_t value)
{
	struct rlimit limit;
	if (getrlimit((__rlimit_resource_t)resource, &limit))
		return;
	limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || value < limit.rlim_max ? value : limit.rlim_max;
	(void)setrlimit((__rlimit_resource_t)resource, &limit);
}

static bool is_file(int descriptor)
{
	struct stat info;
	return fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
}

/*
 * What a kernel, or a driver that it has damaged, may do to the rest of the
 * machine. OpenCL drivers keep compiled programs in files, tools write their
 * reports, and replies may go to one.
 */
static void confine(const struct runner *r)
{
	set_limit(RLIMIT_CORE, 0);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (r->cpu_seconds)
		set_limit(RLIMIT_CPU, (rlim_t)r->cpu_seconds);
	if (r->kind->writes_files || r->once || r->record_path || is_file(STDOUT_FILENO) || is_file(STDERR_FILENO))
		return;
	(void)signal(SIGXFSZ, SIG_IGN);
	set_limit(RLIMIT_FSIZE, 0);
}

int main(int argc, char **argv)
{
	struct runner r = {.kind = &backends[0]};
	if (argc > 1 && strcmp(argv[1], "--version") == 0)
		return printf("ktcc-runner %s\n", KT_VERSION) < 0;
	int wrong = read_options(&r, argc, argv);
	if (wrong)
		return wrong;
	(void)signal(SIGPIPE, SIG_IGN);
	confine(&r);
	r.arena = kt_arena_new((size_t)512 << 20);
	if (!r.arena)
		return EXIT_FAILURE;
	int code = loop(&r);
	if (r.open)
		r.backend.close(r.backend.state);
	kt_arena_free(r.region_arena);
	kt_arena_free(r.arena);
	return code;
}
