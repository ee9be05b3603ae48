#include "dispatch/keeper/starter.h"

// sonde-keeper: the supervisor of a task, started only by `sonde serve`.
int main(int count, char** words) { return count == 2 ? sonde::dispatch::keeper::run_starter(words[1]) : 2; }
