"""Progress of long runs: a callback, or tqdm's bar."""

import re


def watch(callback, budget, unit):
    """What the run calls: `callback` itself, or a bar for "tqdm"."""
    if callback != "tqdm":
        return callback
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ValueError('callback="tqdm" needs tqdm; install python3-tqdm, '
                         "or give a function.") from None
    return _Bar(tqdm(total=_total(budget, unit), unit=unit), unit)


def _total(budget, unit):
    found = re.search(rf"([\d.]+)(k?){unit}", str(budget))
    if not found:
        return None
    return int(float(found[1]) * (1000 if found[2] else 1))


class _Bar:
    """Shows events of a run in a bar of tqdm."""

    def __init__(self, bar, unit):
        self.bar = bar
        self.key = {"gen": "generation", "eval": "evaluations"}[unit]

    def __call__(self, event):
        self.bar.update(event[self.key] - self.bar.n)
        self.bar.set_postfix(score=f"{event['score']:.4g}")
