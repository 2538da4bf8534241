#define GREETING "built and run inside the sandbox"
