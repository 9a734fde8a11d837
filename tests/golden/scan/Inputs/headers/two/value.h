#define VALUE_two 1
