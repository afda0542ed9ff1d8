"""What was measured, as Markdown."""

from typing import Any


def table(result: dict[str, Any]) -> str:
    """Return everything as Markdown."""
    place, sizes = result["environment"], result["sizes"]
    lines = [
        "# Measured speed",
        "",
        f"{place['processor']}, {place['cores']} cores, {place['threads']} threads, "
        f"{place['system']}, Python {place['python']}, PyTorch {place['torch']}. "
        f"d_model {sizes['d_model']}, {sizes['n_layers']} + {sizes['n_layers']} layers,"
        f" {sizes['n_heads']} heads, d_ff {sizes['d_ff']}, {sizes['vocab_size']} tokens"
        f" in each vocabulary, {sizes['max_tokens']} tokens a batch. Contenders take "
        "turns; a ratio is that of neighbors. Medians, and the range in brackets.",
    ]
    for section in result["sections"].values():
        lines += ["", *_section_lines(section)]
    return "\n".join(lines) + "\n"


def _section_lines(section: dict[str, Any]) -> list[str]:
    lines = [f"## {section['title']}", "", f"{section['what']} ({section['date']})."]
    if section.get("note"):
        lines += ["", section["note"]]
    rows = section["rows"]
    extra = {"megabytes": "{}", "padding": "{:.1%}"}
    extra = {name: form for name, form in extra.items() if rows and name in rows[0]}
    cells = [
        [
            row["name"],
            f"{number(row['median'])} ({number(row['low'])} to {number(row['high'])})",
            *(form.format(row[name]) for name, form in extra.items()),
        ]
        for row in rows
    ]
    lines += _markdown(["", section["unit"], *extra], cells)
    ratios = [
        [row["name"], f"{row['median']:.2f}", f"{row['low']:.2f} to {row['high']:.2f}"]
        for row in section["ratios"]
    ]
    return lines + _markdown(["ratio", "median", "range"], ratios)


def _markdown(head: list[str], rows: list[list[str]]) -> list[str]:
    if not rows:
        return []
    top = " ".join(["|", *(f"{name} |".lstrip() for name in head)])
    body = [f"| {' | '.join(cells)} |" for cells in rows]
    return ["", top, "|---" * len(head) + "|", *body]


def number(value: float) -> str:
    """Write a number in three digits, a large one whole."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
