// Includes itself twice: as many inclusions and messages as there are paths through the tree.
#include __FILE__
#include __FILE__
