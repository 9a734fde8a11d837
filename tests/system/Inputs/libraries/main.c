#include <stdio.h>

void first(float *y, const float *x, int n);
void second(float *y, const float *x, int n);

void stub_launched(const char *name, void **arguments)
{
	(void)arguments;
	printf("%s\n", name);
}

int main(void)
{
	first(NULL, NULL, 4096);
	second(NULL, NULL, 4096);
	return 0;
}
