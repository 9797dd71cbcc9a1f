"""Builds the documentation: ``make docs``. Warnings are errors; the gallery is executed."""

from importlib.metadata import version as installed_version

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

project = "Tamis"
author = "The Tamis developers"
project_copyright = "the Tamis developers"
version = release = installed_version("tamis")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
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
html_math_renderer = "mathml"


def setup(app):
    """Equations become MathML while building, so that the pages need neither a network nor a script to show them."""
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))


def write_inline(translator, node):
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def write_block(translator, node):
    translator.body.append(f'<div class="equation">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode
