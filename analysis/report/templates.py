# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills the templates of all pages and embeds figures in them."""

from __future__ import annotations

import base64
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from canvas import Figure, files
from svg import inline

HERE = Path(__file__).resolve().parent


@dataclass
class Sheet:
    """A figure in a page."""

    figure: Figure
    packed: str  # the SVG element as deflated base64, which figures.js decodes
    shape: str   # aspect ratio, width / height
    files: str


def sheet(figure: Figure, folder: Path) -> Sheet:
    """Makes a sheet from the figure's SVG file in `folder`."""
    element = inline((folder / f"{figure.name}.svg").read_text(encoding="utf-8"), figure.alt)
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', element)
    packed = base64.b64encode(zlib.compress(element.encode())).decode("ascii")
    return Sheet(figure, packed, f"{box[1]} / {box[2]}" if box else "auto", files(figure, folder))


def script(name: str) -> Markup:
    """Returns a script for embedding; no text in it can end its element."""
    return Markup((HERE / name).read_text(encoding="utf-8").replace("</", "<\\/"))


def fill(template: str, **values: Any) -> str:
    environment = Environment(loader=FileSystemLoader(HERE), autoescape=True,
                              undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template(template).render(script=script, **values)
