#pragma once
#define USE_FAST_MATH 1
#define VECTOR_WIDTH 4
