# Written by python/write_stubs.py.

__version__: str
from . import nn as nn
from . import optim as optim
from . import runs as runs
from ._agent import Agent as Agent
from ._core import Error as Error
from ._core import Graph as Graph
from ._core import Network as Network
from ._core import Var as Var
from ._core import concat as concat
from ._core import stack as stack
from ._evolution import EnvironmentTask as EnvironmentTask
from ._evolution import Evolution as Evolution
from ._evolution import Task as Task
from ._forecaster import NetworkForecaster as NetworkForecaster
from ._functions import evolve_function as evolve_function
from ._functions import evolve_program as evolve_program
from ._law_estimators import LawClassifier as LawClassifier
from ._law_estimators import LawRegressor as LawRegressor
from ._network_estimators import NetworkClassifier as NetworkClassifier
from ._network_estimators import NetworkRegressor as NetworkRegressor
from ._network_estimators import load as load
from ._server import serve as serve
from ._skills import Skills as Skills
from ._thoughts import ThoughtSession as ThoughtSession
