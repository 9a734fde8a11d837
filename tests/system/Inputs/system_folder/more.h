static const char *host_value() { return "own"; }
