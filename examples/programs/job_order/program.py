"""One machine, many jobs: which job is next?"""


# lamarck: evolve
def priority(length, weight, slack):
    """Returns how urgent a job is; the highest goes first.

    `length` is how long the job takes, `weight` what an hour of delay costs,
    and `slack` the time that is left before it must start to be on time;
    it is negative if the job is late already.
    """
    return -slack
