"""What lib/package/release builds: the program for each processor, and the packages that hold it."""
