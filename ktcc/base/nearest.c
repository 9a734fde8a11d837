#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

enum { NEAREST_LENGTH = 64 };

size_t kt_edits(const char *a, const char *b)
{
	size_t rows = strlen(a), columns = strlen(b);
	size_t line[NEAREST_LENGTH + 1];
	if (rows > NEAREST_LENGTH || columns > NEAREST_LENGTH)
		return SIZE_MAX;
	for (size_t j = 0; j <= columns; j++)
		line[j] = j;
	for (size_t i = 1; i <= rows; i++) {
		size_t corner = line[0];
		line[0] = i;
		for (size_t j = 1; j <= columns; j++) {
			size_t best = corner + (a[i - 1] != b[j - 1]);
			if (line[j] + 1 < best)
				best = line[j] + 1;
			if (line[j - 1] + 1 < best)
				best = line[j - 1] + 1;
			corner = line[j];
			line[j] = best;
		}
	}
	return line[columns];
}

const char *kt_nearest(const char *name, const char *const *candidates, size_t count)
{
	size_t best = strlen(name) / 3 + 2;
	const char *found = NULL;
	for (size_t i = 0; i < count; i++) {
		size_t far = candidates[i][0] != '\0' ? kt_edits(name, candidates[i]) : SIZE_MAX;
		/* A name of which nothing is left was not meant. */
		if (far < best && far < strlen(name)) {
			best = far;
			found = candidates[i];
		}
	}
	return found;
}
