"""Model files: what there is, from where, and a verified copy of each in the user's cache."""

from pipeline.models.catalogue import Catalogue, Model, ModelFile, load
from pipeline.models.place import cache_dir
from pipeline.models.report import Progress
from pipeline.models.store import ensure, model_sum

__all__ = ["Catalogue", "Model", "ModelFile", "Progress", "cache_dir", "ensure", "load", "model_sum"]
