#include "fake_device.h"

#include <stdint.h>
#include <string.h>

bool disturbed;
unsigned calls, wrong_call, deferred_from, deferred_by;
void (*side_effect)(unsigned call);
float fake_constant[2] = {1, 2};

typedef void kernel(float *y, float *x, size_t n);

static void right(float *y, float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
}

static void strays(float *y, float *x, size_t n)
{
	right(y, x, n);
	if (side_effect)
		side_effect(calls);
	calls++;
}

static void second_wrong(float *y, float *x, size_t n)
{
	right(y, x, n);
	if (calls++ == 1)
		y[n / 2] = 7;
}

static void third_lazy(float *y, float *x, size_t n)
{
	if (calls++ != 2)
		right(y, x, n);
}

static void late_lazy(float *y, float *x, size_t n)
{
	if (calls++ < 12)
		right(y, x, n);
}

/* One launch is wrong, and no other. */
static void wrong_once(float *y, float *x, size_t n)
{
	right(y, x, n);
	if (calls++ == wrong_call)
		y[n / 2] = 7;
}

/* From some launch on the head is left to a later launch. */
static float *left_y[LATE], *left_x[LATE];

static void defers(float *y, float *x, size_t n)
{
	const unsigned turn = calls % deferred_by;
	const size_t head = calls++ < deferred_from ? 0 : 16;
	for (size_t i = head; i < n; i++)
		y[i] = 2 * x[i];
	for (size_t i = 0; left_y[turn] && i < 16; i++)
		left_y[turn][i] = 2 * left_x[turn][i];
	left_y[turn] = head ? y : NULL;
	left_x[turn] = x;
}

/* Where it has just been it believes its work done. */
static float *seen;

static void remembers_place(float *y, float *x, size_t n)
{
	if (seen == y)
		return;
	seen = y;
	right(y, x, n);
}

static void behind(float *y, float *x, size_t n)
{
	right(y, x, n);
	y[n] = 1;
}

static void before(float *y, float *x, size_t n)
{
	right(y, x, n);
	y[-1] = 1;
}

static void reads_behind(float *y, float *x, size_t n)
{
	right(y, x, n);
	y[n - 1] += 0 * x[n];
}

static void changes_input(float *y, float *x, size_t n)
{
	right(y, x, n);
	x[3] = 1;
}

static void changes_constant(float *y, float *x, size_t n)
{
	right(y, x, n);
	fake_constant[1] = 7;
}

static void clears_first(float *y, float *x, size_t n)
{
	memset(y, 0, n * sizeof *y);
	right(y, x, n);
}

static void wavers(float *y, float *x, size_t n)
{
	right(y, x, n);
	for (size_t i = 0; i < n; i++)
		y[i] *= 1 + 1e-3f * (float)(calls++ % 3);
}

static void wavers_slightly(float *y, float *x, size_t n)
{
	right(y, x, n);
	for (size_t i = 0; i < n; i++)
		y[i] *= 1 + 2e-7f * (float)(calls++ % 3);
}

static void wavers_there(float *y, float *x, size_t n)
{
	if (n == N)
		wavers_slightly(y, x, n);
	else
		right(y, x, n);
}

static void wavers_more(float *y, float *x, size_t n)
{
	right(y, x, n);
	for (size_t i = 0; i < n; i++)
		y[i] *= 1.1f;
}

/* As sums of large numbers that cancel: results near zero differ as much as others. */
static void wavers_around(float *y, float *x, size_t n)
{
	right(y, x, n);
	for (size_t i = 0; i < n; i++)
		y[i] += 0.05f * (float)(calls++ % 3);
}

static void once_only(float *y, float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		y[i] = x[i];
}

/* Begins with what it finds, as if somebody had put it there. */
static void begins_with_poison(float *y, float *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint16_t found;
		memcpy(&found, &y[i], sizeof found);
		y[i] = (float)found + x[i];
	}
}

/* Right as long as everything happens in the usual order. */
static void races(float *y, float *x, size_t n)
{
	right(y, x, n);
	if (disturbed)
		y[n / 2] = 7;
}

/* Another order of additions, where they meet in another. */
static void wavers_disturbed(float *y, float *x, size_t n)
{
	right(y, x, n);
	for (size_t i = 0; disturbed && i < n; i++)
		y[i] *= 1 + 2e-7f * (float)(1 + calls++ % 3);
}

static void add(float *y, float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		y[i] += x[i];
}

static void slightly_less(float *y, float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		y[i] = 2 * x[i] * (1 - 6e-7f);
}

static void four_times(float *y, float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		y[i] = 4 * x[i];
}

static void idle(float *y, float *x, size_t n)
{
	(void)y, (void)x, (void)n;
}

/* A mark behind its n elements says that it has been there, and what it left there is believed. */
static void believes_mark(float *y, float *x, size_t n)
{
	if (y[n] == 12345)
		return;
	right(y, x, n);
	y[n] = 12345;
}

static const struct fake_kernel {
	const char *name;
	kernel *run;
} kernels[] = {{"right", right}, {"strays", strays}, {"second_wrong", second_wrong}, {"third_lazy", third_lazy}, {"late_lazy", late_lazy},
               {"wrong_once", wrong_once}, {"defers", defers},
               {"remembers_place", remembers_place}, {"behind", behind}, {"before", before},
               {"reads_behind", reads_behind}, {"changes_input", changes_input}, {"changes_constant", changes_constant}, {"clears_first", clears_first},
               {"wavers", wavers}, {"wavers_more", wavers_more},
               {"wavers_slightly", wavers_slightly}, {"wavers_there", wavers_there}, {"add", add},
               {"wavers_around", wavers_around}, {"once_only", once_only}, {"begins_with_poison", begins_with_poison},
               {"races", races}, {"wavers_disturbed", wavers_disturbed},
               {"four_times", four_times}, {"slightly_less", slightly_less}, {"idle", idle},
               {"believes_mark", believes_mark}};

const struct fake_kernel *fake_kernel_find(const char *name)
{
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		if (strcmp(kernels[i].name, name) == 0)
			return &kernels[i];
	}
	return NULL;
}

void fake_kernel_run(const struct fake_kernel *k, float *y, float *x, size_t n)
{
	k->run(y, x, n);
}

void fake_kernels_forget(void)
{
	calls = 0;
	seen = NULL;
	memset(left_y, 0, sizeof left_y);
}
