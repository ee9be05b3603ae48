#include "dispatch/keeper/starter.h"

// sonde-keeper: started by `sonde serve`, and by nobody else.
int main(int count, char** words) { return count == 2 ? sonde::dispatch::keeper::run_starter(words[1]) : 2; }
