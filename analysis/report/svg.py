# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes gnuplot's SVG smaller and safe to be embedded beside others in one page."""

from __future__ import annotations

import html
import re

TOLERANCE = 0.12  # px: largest distance of a simplified line from the original
FONT = "DejaVu Sans, Verdana, sans-serif"

PATH = re.compile(r"""d='(M[^'a-z]+)(z?)'""")

Point = tuple[float, float]


def simplify(points: list[Point], tolerance: float = TOLERANCE) -> list[Point]:
    """Drops points that lie on the line between their neighbours, within the tolerance. A point is
    kept when no direction from the last kept one passes all dropped points."""
    if len(points) < 3:
        return points
    kept = [points[0]]
    anchor, low, high, reach = points[0], -float("inf"), float("inf"), 0.0
    direction: Point | None = None
    previous = points[0]
    for point in points[1:]:
        dx, dy = point[0] - anchor[0], point[1] - anchor[1]
        length = (dx * dx + dy * dy) ** 0.5
        fits = True
        if direction is not None:
            along = dx * direction[0] + dy * direction[1]
            across = dy * direction[0] - dx * direction[1]
            fits = along >= reach and low * along - 1e-9 <= across <= high * along + 1e-9
        if not fits:
            kept.append(previous)
            anchor, low, high, reach, direction = previous, -float("inf"), float("inf"), 0.0, None
            dx, dy = point[0] - anchor[0], point[1] - anchor[1]
            length = (dx * dx + dy * dy) ** 0.5
        if length > tolerance:
            if direction is None:
                direction = (dx / length, dy / length)
            along = dx * direction[0] + dy * direction[1]
            across = dy * direction[0] - dx * direction[1]
            if along > 0:  # comparisons, since max() and min() would dominate the time
                if low * along < across - tolerance:
                    low = (across - tolerance) / along
                if high * along > across + tolerance:
                    high = (across + tolerance) / along
                if along > reach:
                    reach = along
        previous = point
    if kept[-1] != previous:
        kept.append(previous)
    return kept


def smaller_path(match: re.Match[str]) -> str:
    texts = []
    for piece in match[1].split("M")[1:]:
        numbers = list(map(float, piece.replace("L", " ").replace(",", " ").split()))
        points = simplify(list(zip(numbers[0::2], numbers[1::2])))
        texts.append("M" + " ".join([f"{x:.1f},{y:.1f}" for x, y in points]).replace(".0,", ",")
                     .replace(".0 ", " ").removesuffix(".0"))
    return f"d='{''.join(texts)}{match[2]}'"


def tidy(text: str, name: str) -> str:
    """Returns the final SVG: with simplified lines, without unused definitions, and with ids that
    the figure's name makes unique."""
    head, found, body = text.partition("</defs>")
    if found:
        used = set(re.findall(r"href='#(\w+)'", body))
        kept = []
        for line in reversed(head.splitlines()):
            own = re.search(r"\bid='(gpPt\d+|gpDot)'", line)
            if own and own[1] not in used:
                continue
            used.update(re.findall(r"href='#(\w+)'", line))
            kept.append(line)
        head = "\n".join(reversed(kept))
        for box in ("textbox", "greybox"):
            if f"#{box}" not in body:
                head = re.sub(rf"\s*<filter id='{box}'.*?</filter>", "", head, flags=re.DOTALL)
        text = head + found + body
    text = PATH.sub(smaller_path, text)
    # One font with fallbacks for all text; attributes that equal SVG's defaults are dropped.
    text = text.replace('font-family="DejaVu Sans:Bold"', 'font-weight="bold"')
    text = re.sub(r' font-family="DejaVu Sans"\s*', " ", text)
    text = text.replace("<svg", f'<svg font-family="{FONT}"', 1)
    text = text.replace(' stroke-linecap="butt" stroke-linejoin="miter"', "")
    text = re.sub(r'<tspan [^>]*></tspan>', "", text)
    text = re.sub(r"<tspan\s*>([^<]*)</tspan>", r"\1", text)
    text = re.sub(r"\bid=(['\"])(?!%s)" % re.escape(name), rf"id=\g<1>{name}-", text)
    text = re.sub(r"href='#", f"href='#{name}-", text)
    text = re.sub(r"url\(#", f"url(#{name}-", text)
    text = re.sub(r'(?:<g [^>]*>\s*</g>\s*)+(?=<g |</g>)', "", text)
    return "\n".join([line for part in text.splitlines() if (line := part.strip())]) + "\n"


def inline(text: str, description: str) -> str:
    """Returns the <svg> element for an HTML page: without prolog and fixed size, with a description
    for screen readers."""
    element = text[text.index("<svg"):]
    opening, rest = element.split(">", 1)
    box = re.search(r'viewBox="[^"]*"', opening)
    rest = re.sub(r"<title>.*?</title>|<desc>.*?</desc>", "", rest, flags=re.DOTALL)
    rest = rest.replace("xlink:href=", "href=")  # HTML knows both; no namespace to declare
    label = html.escape(description)
    return (f'<svg font-family="{FONT}" {box[0] if box else ""} role="img" '
            f'aria-label="{label}">{rest}')
