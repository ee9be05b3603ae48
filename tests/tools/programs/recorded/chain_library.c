/* Of two libraries whose code lies the same, and whose functions have other names. */
static volatile int calls;

__attribute__((noinline)) static void CHAIN_NAME(void (*function)(void)) {
  function();
  ++calls;
}

void call_back(void (*function)(void)) {
  CHAIN_NAME(function);
  ++calls;
}
