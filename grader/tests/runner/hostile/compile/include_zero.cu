// Reads zeros until memory ends.
#include "/dev/zero"
