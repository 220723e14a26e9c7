// Reads zeros until memory is exhausted.
#include "/dev/zero"
