"""Cap sets: large sets of vectors over {0, 1, 2} without a line."""


# lamarck: evolve
def priority(vector, n):
    """Returns how early `vector`, a list of n numbers, is tried."""
    return 0.0
