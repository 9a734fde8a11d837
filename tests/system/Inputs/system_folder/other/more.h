static const char *host_value() { return "more of other"; }
