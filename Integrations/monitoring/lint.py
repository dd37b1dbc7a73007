"""Checks the shape of the dashboard and the alerts, and that the server exports each metric that they name."""

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
    found, expressions = [], []
    for panel in json.loads((FOLDER / "dashboard.json").read_text())["panels"]:
        letters = [target["refId"] for target in panel["targets"]]
        if len(set(letters)) != len(letters):
            found.append(f"the panel {panel['title']} names a query twice")
        expressions += [(panel["title"], target["expr"]) for target in panel["targets"]]
    seen = set()
    for group in yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"]:
        for rule in group["rules"]:
            if not {"alert", "expr", "for", "labels", "annotations"} <= set(rule):
                found.append(f"the rule {rule} is not whole")
                continue
            if rule["alert"] in seen:
                found.append(f"there are two alerts {rule['alert']}")
            seen.add(rule["alert"])
            expressions.append((rule["alert"], rule["expr"]))
    for title, expression in expressions:
        metrics = names(expression)
        if not metrics:
            found.append(f"{title}: {expression} names no metric")
        found += [f"{title}: the server has no metric {name}" for name in sorted(metrics - exported)]
        if any(expression.count(a) != expression.count(b) for a, b in ("()", "{}", "[]")):
            found.append(f"{title}: brackets are not closed in {expression}")
    return found


if __name__ == "__main__":
    sys.exit("\n".join(f"monitoring: {fault}" for fault in faults()) or None)
