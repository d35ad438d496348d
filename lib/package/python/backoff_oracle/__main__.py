"""The program, as a command of the environment that the wheel is installed in."""
import os
import sys

from .judged import program


def main() -> None:
    os.execv(program(), [sys.argv[0], *sys.argv[1:]])


if __name__ == "__main__":
    main()
