#include <iothub_client_retry_control.h>
