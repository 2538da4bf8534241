#include <stdio.h>

#include "../vendor/greet.h"

int main(void)
{
	return puts(GREETING) < 0;
}
