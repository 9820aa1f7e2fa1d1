"""The program as a file, for what starts it as a process of its own."""

import os
import sys


def path():
    """The path of the program; commands of this process start it too."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                           "program")
    os.environ["LAMARCK_PROGRAM"] = program
    os.environ["LAMARCK_PYTHON"] = sys.executable
    return program
