#define VALUE_one 1
