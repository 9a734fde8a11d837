/* Found only where the folder of the source is not searched first. */
#define VALUE 2
static const char *host_value() { return "other"; }
