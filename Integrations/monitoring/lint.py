"""Checks that the server exports each metric that the dashboard and the alerts name."""

import json
import pathlib
import re
import sys

import yaml

FOLDER = pathlib.Path(__file__).resolve().parent
METRICS = FOLDER.parent.parent / "Server/Sources/FaceCropServer/Operation/ServiceMetrics.swift"
# Metrics of Prometheus itself.
BUILT_IN = {"up"}


def names(expression: str) -> set[str]:
    """Returns the metrics of an expression, without the suffixes of histogram series."""
    without_labels = re.sub(r"\{[^}]*\}", "", expression)
    found = re.findall(r"\b(?:facecrop|process)_[a-z_]+\b|\bup\b", without_labels)
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in found}


def faults() -> list[str]:
    exported = set(re.findall(r'^    "([a-z_]+)":', METRICS.read_text(), re.MULTILINE)) | BUILT_IN
    panels = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
    groups = yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"]
    expressions = [(panel["title"], target["expr"]) for panel in panels for target in panel["targets"]]
    expressions += [(rule["alert"], rule["expr"]) for group in groups for rule in group["rules"]]
    found = [f"{title}: {expression} names no metric" for title, expression in expressions if not names(expression)]
    for title, expression in expressions:
        found += [f"{title}: the server has no metric {name}" for name in sorted(names(expression) - exported)]
    return found


if __name__ == "__main__":
    sys.exit("\n".join(f"monitoring: {fault}" for fault in faults()) or None)
