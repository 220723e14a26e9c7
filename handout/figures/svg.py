"""A small SVG writer for the handout's figures, and access to their data: the JSON that warpgrade prints."""

import html
import json
import pathlib
import subprocess


class Svg:
    """An SVG image. Shapes are drawn in the order in which they are added. Units are pixels; y points down."""

    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def rect(self, x, y, width, height, fill, stroke="none"):
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{stroke}"/>')

    def line(self, x1, y1, x2, y2, stroke="#555", width=1):
        self.parts.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{stroke}" stroke-width="{width:g}"/>')

    def text(self, x, y, text, size=13, anchor="start", fill="#222", weight="normal"):
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" fill="{fill}" '
            f'font-weight="{weight}">{html.escape(str(text))}</text>')

    def save(self, path):
        body = "\n".join(self.parts)
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'width="{self.width}" height="{self.height}" font-family="Helvetica, Arial, sans-serif">\n'
                f'<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n')


def sizes(lab, case):
    """Returns the parameters of a case from lab.json."""
    root = pathlib.Path(__file__).resolve().parents[2]
    cases = json.loads((root / "labs" / lab / "lab.json").read_text(encoding="utf-8"))["cases"]
    return cases[case]["workload"]


def check(warpgrade, lab, source, *options):
    """Runs `warpgrade check` on the virtual GPU and returns its JSON result."""
    command = [warpgrade, "check", lab, "--source", source, "--device", "virtual", "--format", "json", *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: {run.stderr.strip()}")
    return json.loads(run.stdout)
