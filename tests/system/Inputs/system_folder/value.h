#pragma once
#define VALUE 1
#include "more.h"
