"""What a notebook that stands alone gets, as in Colab: whole links, figures in words.

The page takes both back; `test_site_pages.py` looks at that.
"""

from __future__ import annotations

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from book.tools.project.address import Address
from book.tools.site.page_links import PAGE, inside_the_site, put_page_links
from book.tools.site.pictures import put_alt_texts, without_alt_text

ADDRESS = Address("https://github.com/Some/book", "v1")
SITE = "https://some.github.io/book"
OTHER = "[there](https://example.org/book/x.html)"
BESIDE = f"[Three](03_attention.ipynb#why), [notation](notation.md), {OTHER}"
ALONE = (
    f"[Three]({SITE}/book/03_attention.html#why), "
    f"[notation]({SITE}/book/notation.html), {OTHER}"
)
OWN = f"[above]({SITE}/book/01_words.html#ids)"

CAPTION = "**Figure 1.1.** The batch.\n\nWhat follows it."
WORDS = "Two rows: <pad> is `0`, costs $1 or [2]."
FOLDED = (
    "**Figure 1.1.** The batch.\n\n<details><summary>The figure in words</summary>\n\n"
    "Two rows: &lt;pad&gt; is \\`0\\`, costs \\$1 or \\[2\\].\n\n</details>"
    "\n\nWhat follows it."
)


def test_links_lead_to_the_site_and_words_follow_the_caption() -> None:
    """A second time changes nothing, and the page takes both back."""
    about = {"mystnb": {"image": {"alt": WORDS}}}
    top, above = new_markdown_cell(BESIDE), new_markdown_cell("[above](#ids)")
    plot, caption = new_code_cell("plot()", metadata=about), new_markdown_cell(CAPTION)
    notebook = new_notebook(cells=[top, above, plot, caption])
    own = PAGE.format(f"{SITE}/book/01_words.html")
    for _ in range(2):
        put_page_links(notebook, "01_words", ADDRESS)
        put_alt_texts(notebook)
        assert (top.source, above.source) == (f"{ALONE}\n\n{own}", OWN)
        assert caption.source == FOLDED
    assert inside_the_site(top.source, "01_words", ADDRESS) == BESIDE
    inside = inside_the_site(OWN, "01_words", ADDRESS)
    assert inside == "[above](01_words.ipynb#ids)"
    assert without_alt_text(FOLDED) == CAPTION
    plot.metadata.clear()
    put_alt_texts(notebook)
    assert caption.source == CAPTION
