"""Builds the documentation: ``make docs``. Warnings are errors; the gallery is executed."""

import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

project = "Tamis"
author = "The Tamis developers"
project_copyright = "the Tamis developers"
version = release = installed_version("tamis")

templates_path = ["_templates"]
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
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
html_static_path = ["_static"]
html_css_files = ["tamis.css"]


def setup(app):
    """Equations become MathML here, so that the pages need neither a network nor a script to show them."""
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    app.connect("autodoc-process-docstring", escape_docstring, priority=400)  # before numpydoc's, which has 500
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("builder-inited", write_command_line)


def write_inline(translator, node):
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def write_block(translator, node):
    translator.body.append(f'<div class="equation">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def escape_docstring(app, what, name, obj, options, lines):
    """Docstrings are read in a terminal first: there |D| and coef_ mean themselves, not a substitution and a link."""
    for i, line in enumerate(lines):
        if line.strip() == "Examples":
            break
        plain_and_code = re.split(r"(``.*?``)", line)
        plain_and_code[::2] = [re.sub(r"(?<=\w)_(?!\w)|\|", r"\\\g<0>", plain) for plain in plain_and_code[::2]]
        lines[i] = "".join(plain_and_code)


def skip_foreign(app, what, name, obj, skip, options):
    """Methods that come from scikit-learn or Python are explained there."""
    return True if callable(obj) and not (getattr(obj, "__module__", None) or "").startswith("tamis") else None


def write_command_line(app):
    """The page of the command line is made of the program as it is."""
    sys.path.insert(0, str(app.srcdir))
    import command_line

    page = Path(app.srcdir, "reference", "generated", "command-line.md")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(command_line.page(), encoding="utf-8")
