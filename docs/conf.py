"""Builds the documentation: ``make docs``. Warnings are errors; the gallery is executed."""

from importlib.metadata import version as installed_version

project = "Tamis"
author = "The Tamis developers"
project_copyright = "the Tamis developers"
version = release = installed_version("tamis")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "examples", "gallery/*.ipynb", "gallery/*.py", "gallery/*.md5"]
suppress_warnings = ["config.cache"]  # sphinx-gallery keeps a function in its configuration

myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say it in words
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "abort_on_example_error": True,
}

html_theme = "furo"
html_title = f"Tamis {version}"
html_static_path = ["_static"]
