"""What lib/package/release builds: the program for each processor, the packages of languages, the image."""
