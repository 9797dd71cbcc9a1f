"""Atoms given codes, one file per update."""

from tamis.dictionary.updates.base import CodedRows, Update
from tamis.dictionary.updates.ksvd import KSVDUpdate
from tamis.dictionary.updates.least_squares import CompleteUpdate, MODUpdate
from tamis.dictionary.updates.online import OnlineUpdate
from tamis.dictionary.updates.procrustes import ProcrustesUpdate
from tamis.dictionary.updates.projected import ProjectedUpdate

UPDATES: dict[str, type[Update]] = {
    "ksvd": KSVDUpdate,
    "mod": MODUpdate,
    "online": OnlineUpdate,
    "projected": ProjectedUpdate,
    "procrustes": ProcrustesUpdate,
    "complete": CompleteUpdate,
}

__all__ = [
    "UPDATES",
    "CodedRows",
    "CompleteUpdate",
    "KSVDUpdate",
    "MODUpdate",
    "OnlineUpdate",
    "ProcrustesUpdate",
    "ProjectedUpdate",
    "Update",
]
