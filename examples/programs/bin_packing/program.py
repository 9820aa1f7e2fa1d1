"""Online bin packing: which bin takes the next item?"""


# lamarck: evolve
def priority(item, bins):
    """Returns a number for each bin; the item goes to the highest.

    `bins` holds the free space of every bin in which the item fits; the last
    one is a new, empty bin.
    """
    return [item - space for space in bins]
