#include "dispatch/keeper/keeper.h"

// sonde-keeper: started by `sonde serve` for each attempt of a task, and by nobody else.
int main() { return sonde::dispatch::keeper::run(); }
