"""Generates tables of points and thresholds from each lab.json."""

import json


def lab_folders(root):
    return sorted(file.parent for file in (root / "labs").glob("*/lab.json"))


def questions_of(folder):
    return json.loads((folder / "lab.json").read_text(encoding="utf-8")).get("questions", [])


def number(value):
    return f"{value:,.6g}"


def bounds(limited):
    """"at most 0.3 (naive 4, solution 0.25)\""""
    words = [f"{word} {number(limited[key])}" for key, word in (("at_least", "at least"), ("at_most", "at most"))
             if key in limited]
    return f"{' and '.join(words)} (naive {number(limited['naive'])}, solution {number(limited['solution'])})"


def limit(objective):
    """"`counter` in case `x`: at most 0.3 (naive 4, solution 0.25); in `y`, `z`: at most …\""""
    limits = [f"`{objective['counter']}` in case `{objective['case']}`: {bounds(objective)}"]
    for other in objective.get("elsewhere", []):
        limits.append(f"in {', '.join(f'`{name}`' for name in other['cases'])}: {bounds(other)}")
    return ("required: " if objective.get("required") else "") + "; ".join(limits)


def speed(speedup):
    """Returns one sentence per kind of device."""
    sentences = []
    for device, name in (("virtual", "virtual GPU"), ("cuda", "real GPU")):
        threshold = speedup[device]
        case = speedup["case"] if isinstance(speedup["case"], str) else speedup["case"][device]
        solution = f"; the solution has {number(threshold['solution'])}" if "solution" in threshold else ""
        sentences.append(f"{name}, case `{case}`: {number(threshold['full'])} times as fast as the naive kernel for "
                         f"all points, {number(threshold['half'])} for half{solution}")
    return sentences


def requirements(task):
    result = []
    if task.get("cases"):
        count = len(task["cases"])
        result.append(f"right in {count} case{'s' if count > 1 else ''}: " + ", ".join(f"`{c}`" for c in task["cases"]))
    result += [limit(objective) for objective in task.get("objectives", [])]
    if "speedup" in task:
        result += speed(task["speedup"])
    return result


def points_of_task(task):
    return number(task["points"]) + (" (bonus)" if task.get("bonus") else "")


def points_of_lab(lab, page):
    lines = [f"### [{lab['id']}]({page}): {lab['title']}", "",
             "| task | points | needs | passes when |",
             "|---|---|---|---|"]
    for task in lab["tasks"]:
        cells = [task.get("title", task["id"]), points_of_task(task), ", ".join(task.get("needs", [])) or "–",
                 "<br>".join(requirements(task))]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def points_of_all_labs(root, page_of):
    """Returns the tables of all labs. `page_of` maps a lab's id to the link to its page."""
    labs = [json.loads((folder / "lab.json").read_text(encoding="utf-8")) for folder in lab_folders(root)]
    return "\n\n".join(points_of_lab(lab, page_of(lab["id"])) for lab in labs)
