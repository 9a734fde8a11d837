/*
 * The part of the CUDA runtime that emitted programs call, without a device:
 * answers for the devices that STUB_DEVICES names ("H200;A100") and says which
 * kernel would run, where. Kernels do not run. A program is linked with this
 * instead of libcudart; it shows what dispatchers decide, and what they cost.
 *
 *   STUB_DEVICES   "H200;A100;unknown"; default "H200"
 *   STUB_CODE      the architectures that the program was compiled for: "80;90"; default "90"
 *   STUB_CALLS     1: "call NAME" on standard output for what a dispatcher may call
 *   STUB_TRACE     1: "launch NAME<<<grid, block, shared>>> on DEVICE" on standard output, "allocate BYTES of pool N on
 *                  DEVICE", "free on DEVICE"
 *   STUB_SLOWER    how many times as long as the original a variant takes, for events; default 0.5
 *   STUB_MEMORY    unsupported: no pools; refused: none is made; full: an allocation fails; captured: every stream is;
 *                  implicit: nobody says whether a stream is
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dim3_ {
	unsigned x, y, z;
};

static const struct {
	const char *short_name, *name;
	int cc, multiprocessors, bus;
	int l2;
} kinds[] = {
	{"H200", "NVIDIA H200", 90, 132, 6016, 62914560},
	{"A100", "NVIDIA A100-SXM4-80GB", 80, 108, 5120, 41943040},
	{"unknown", "Unknown", 90, 7, 64, 4096},
};

#define MOST 1024
static struct {
	const void *host;
	const char *name;
} functions[MOST];
static size_t function_count;
static int devices[16], device_count, calls, trace, code[8], code_count;
static __thread int current;
static const char *memory;
static __thread cudaError_t last;
#define DEPTH 8
static __thread struct {
	struct dim3_ grid, block;
	size_t shared;
	void *stream;
} configurations[DEPTH];
static __thread int depth; /* a launch may be in another one's arguments; what throws leaves its own there */
/* A program may define it, and sees what each kernel receives. */
void __attribute__((weak)) stub_launched(const char *name, void **arguments);

static void read_list(const char *text, void (*add)(const char *word, size_t length))
{
	while (*text != '\0') {
		size_t length = strcspn(text, ";");

		add(text, length);
		text += length + (text[length] == ';');
	}
}

static void add_device(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && device_count < 16; i++)
		if (strlen(kinds[i].short_name) == length && memcmp(kinds[i].short_name, word, length) == 0)
			devices[device_count++] = (int)i;
}

static void add_code(const char *word, size_t length)
{
	(void)length;
	if (code_count < 8)
		code[code_count++] = (int)strtol(word, NULL, 10);
}

__attribute__((constructor)) static void start(void)
{
	const char *list = getenv("STUB_DEVICES"), *codes = getenv("STUB_CODE");

	calls = getenv("STUB_CALLS") != NULL;
	trace = getenv("STUB_TRACE") != NULL;
	memory = getenv("STUB_MEMORY") != NULL ? getenv("STUB_MEMORY") : "";
	read_list(list != NULL ? list : "H200", add_device);
	read_list(codes != NULL ? codes : "90", add_code);
}

static void called(const char *name)
{
	if (calls)
		printf("call %s\n", name);
}

static cudaError_t ends(cudaError_t error)
{
	if (error != cudaSuccess)
		last = error;
	return error;
}

cudaError_t cudaGetDeviceCount(int *count)
{
	called(__func__);
	*count = device_count;
	return ends(device_count > 0 ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int *device)
{
	called(__func__);
	*device = current;
	return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
	if (device < 0 || device >= device_count)
		return ends(cudaErrorInvalidDevice);
	current = device;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	called(__func__);
	memset(p, 0, sizeof *p);
	snprintf(p->name, sizeof p->name, "%s", kinds[devices[device]].name);
	p->major = kinds[devices[device]].cc / 10;
	p->minor = kinds[devices[device]].cc % 10;
	p->multiProcessorCount = kinds[devices[device]].multiprocessors;
	p->memoryBusWidth = kinds[devices[device]].bus;
	p->l2CacheSize = kinds[devices[device]].l2;
	p->sharedMemPerBlockOptin = 232448;
	p->totalGlobalMem = (size_t)80 << 30;
	return cudaSuccess;
}

/* The newest code of the device's generation that it can run. */
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *function)
{
	const int cc = kinds[devices[current]].cc;

	called(__func__);
	(void)function;
	memset(a, 0, sizeof *a);
	for (int i = 0; i < code_count; i++)
		if (code[i] / 10 == cc / 10 && code[i] <= cc && code[i] > a->binaryVersion)
			a->ptxVersion = a->binaryVersion = code[i];
	a->maxThreadsPerBlock = 1024;
	a->maxDynamicSharedSizeBytes = 48 * 1024;
	return ends(a->binaryVersion != 0 ? cudaSuccess : cudaErrorNoKernelImageForDevice);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
	called(__func__);
	(void)function;
	(void)attribute;
	(void)value;
	return cudaSuccess;
}

cudaError_t cudaPeekAtLastError(void)
{
	called(__func__);
	return last;
}

cudaError_t cudaGetLastError(void)
{
	const cudaError_t error = last;

	called(__func__);
	last = cudaSuccess;
	return error;
}

const char *cudaGetErrorName(cudaError_t error)
{
	return error == cudaSuccess ? "cudaSuccess" : "an error";
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	called(__func__);
	(void)mode;
	return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
	return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
	*version = 13000;
	return cudaSuccess;
}

cudaError_t cudaMalloc(void **p, size_t bytes)
{
	*p = calloc(1, bytes);
	return *p != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *p)
{
	free(p);
	return cudaSuccess;
}

/* ---- memory of a stream: a pool is its number, and a record of who owns it */

static struct {
	int device;
} stub_pools[16];
static int pool_count;

static int is(const char *word)
{
	return strcmp(memory, word) == 0;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
	called(__func__);
	(void)device;
	*value = attribute == cudaDevAttrMemoryPoolsSupported && !is("unsupported");
	return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *p)
{
	called(__func__);
	if (is("refused") || pool_count == 16 || p->allocType != cudaMemAllocationTypePinned ||
	    p->location.type != cudaMemLocationTypeDevice)
		return ends(cudaErrorInvalidValue);
	stub_pools[pool_count].device = p->location.id;
	*pool = (cudaMemPool_t)&stub_pools[pool_count++];
	return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	called(__func__);
	(void)pool;
	(void)attribute;
	(void)value;
	return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
	called(__func__);
	(void)pool;
	return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
	called(__func__);
	(void)stream;
	*status = is("captured") ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
	return ends(is("implicit") ? cudaErrorStreamCaptureImplicit : cudaSuccess);
}

cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
	const int number = (int)((char *)pool - (char *)stub_pools) / (int)sizeof stub_pools[0];

	called(__func__);
	(void)stream;
	if (is("full") || stub_pools[number].device != current)
		return ends(cudaErrorMemoryAllocation);
	if (trace)
		printf("allocate %zu of pool %d on %s\n", bytes, number + 1, kinds[devices[current]].short_name);
	return ends((*p = malloc(bytes)) != NULL ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
	called(__func__);
	(void)stream;
	if (trace)
		printf("free on %s\n", kinds[devices[current]].short_name);
	free(p);
	return cudaSuccess;
}

/* ---- events: an original takes 100 microseconds, a variant STUB_SLOWER times that */

struct stub_event {
	double at; /* in microseconds; below 0: not recorded */
};
static double stub_time;

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	struct stub_event *made = calloc(1, sizeof *made);

	called(__func__);
	made->at = -1;
	*event = (cudaEvent_t)made;
	return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	called(__func__);
	(void)stream;
	((struct stub_event *)event)->at = stub_time;
	return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	called(__func__);
	/* Each second time it has not happened yet. */
	static unsigned asked;

	return asked++ % 2 == 0 ? ends(cudaErrorNotReady) : ((struct stub_event *)event)->at >= 0 ? cudaSuccess : ends(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end)
{
	called(__func__);
	*ms = (float)((((struct stub_event *)end)->at - ((struct stub_event *)begin)->at) / 1000);
	return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	called(__func__);
	free((void *)event);
	return cudaSuccess;
}

static const char *name_of(const void *host)
{
	for (size_t i = 0; i < function_count; i++)
		if (functions[i].host == host)
			return functions[i].name;
	return "?";
}

static cudaError_t launch(const void *host, struct dim3_ grid, struct dim3_ block, void **arguments, size_t shared)
{
	const char *slower = getenv("STUB_SLOWER");

	stub_time += 100 * (strstr(name_of(host), "ktune_v_") == NULL ? 1 : slower != NULL ? strtod(slower, NULL) : 0.5);
	if (stub_launched != NULL)
		stub_launched(name_of(host), arguments);
	if (trace)
		printf("launch %s<<<(%u, %u, %u), (%u, %u, %u), %zu>>> on %s\n", name_of(host), grid.x, grid.y, grid.z,
		       block.x, block.y, block.z, shared, kinds[devices[current]].short_name);
	return cudaSuccess;
}

unsigned __cudaPushCallConfiguration(struct dim3_ grid, struct dim3_ block, size_t shared, void *stream)
{
	called(__func__);
	if (depth == DEPTH)
		return 1;
	configurations[depth].grid = grid;
	configurations[depth].block = block;
	configurations[depth].shared = shared;
	configurations[depth].stream = stream;
	depth++;
	return 0;
}

cudaError_t __cudaPopCallConfiguration(struct dim3_ *grid, struct dim3_ *block, size_t *shared, void *stream)
{
	called(__func__);
	if (depth == 0)
		return ends(cudaErrorMissingConfiguration);
	depth--;
	*grid = configurations[depth].grid;
	*block = configurations[depth].block;
	*shared = configurations[depth].shared;
	*(void **)stream = configurations[depth].stream;
	return cudaSuccess;
}

cudaError_t __cudaGetKernel(void **kernel, const void *host)
{
	called(__func__);
	*kernel = (void *)host;
	return cudaSuccess;
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
	*kernel = (cudaKernel_t)host;
	return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(void *kernel, struct dim3_ grid, struct dim3_ block, void **arguments, size_t shared,
                               void *stream)
{
	called(__func__);
	(void)stream;
	return launch(kernel, grid, block, arguments, shared);
}

cudaError_t cudaLaunchKernel_(const void *host, struct dim3_ grid, struct dim3_ block, void **arguments, size_t shared,
                              void *stream) __asm__("cudaLaunchKernel");
cudaError_t cudaLaunchKernel_(const void *host, struct dim3_ grid, struct dim3_ block, void **arguments, size_t shared,
                              void *stream)
{
	called("cudaLaunchKernel");
	(void)stream;
	return launch(host, grid, block, arguments, shared);
}

/* Of sources whose default stream is one of each thread. */
cudaError_t __cudaLaunchKernel_ptsz(void *kernel, struct dim3_ grid, struct dim3_ block, void **arguments, size_t shared,
                                    void *stream)
{
	called(__func__);
	(void)stream;
	return launch(kernel, grid, block, arguments, shared);
}

cudaError_t cudaLaunchKernel_ptsz_(const void *host, struct dim3_ grid, struct dim3_ block, void **arguments, size_t shared,
                                   void *stream) __asm__("cudaLaunchKernel_ptsz");
cudaError_t cudaLaunchKernel_ptsz_(const void *host, struct dim3_ grid, struct dim3_ block, void **arguments, size_t shared,
                                   void *stream)
{
	called("cudaLaunchKernel_ptsz");
	(void)stream;
	return launch(host, grid, block, arguments, shared);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *host, void **arguments)
{
	const struct dim3_ grid = {config->gridDim.x, config->gridDim.y, config->gridDim.z};
	const struct dim3_ block = {config->blockDim.x, config->blockDim.y, config->blockDim.z};

	called(__func__);
	return launch(host, grid, block, arguments, config->dynamicSmemBytes);
}

void **__cudaRegisterFatBinary(void *binary)
{
	return binary;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
	(void)handle;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device_function, const char *device_name, int limit,
                            void *thread_id, void *block_id, void *block, void *grid, int *warp)
{
	(void)handle;
	(void)device_function;
	(void)limit;
	(void)thread_id;
	(void)block_id;
	(void)block;
	(void)grid;
	(void)warp;
	if (function_count < MOST) {
		functions[function_count].host = host;
		functions[function_count++].name = device_name;
	}
}

void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external, size_t size,
                       int constant, int global)
{
	(void)handle;
	(void)host;
	(void)address;
	(void)name;
	(void)external;
	(void)size;
	(void)constant;
	(void)global;
}

char __cudaInitModule(void **handle)
{
	(void)handle;
	return 0;
}
