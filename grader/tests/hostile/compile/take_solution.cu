// Includes the taught solution.
#include "../../solutions/02-tiled-matmul/tiled_matmul.cu"
