// Prints the OpenAPI document: docs/schemas/openapi.json.
#include <cstdio>

#include "api/api.h"

int main() { return std::fputs(sonde::api::openapi_document().c_str(), stdout) < 0 ? 1 : 0; }
