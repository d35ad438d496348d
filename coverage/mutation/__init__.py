"""What coverage/mutate consists of: a module for each thing that it measures, and what these share. Checked by:
mutation_*_test.py."""
