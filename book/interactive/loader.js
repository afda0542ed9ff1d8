// Brings in each figure that answers when it comes near the window, never before the
// text can be read. Without scripts its place stays empty, and the printed figure stands.
(() => {
  /** @param {HTMLElement} place */
  const start = (place) => {
    const name = place.dataset.figure ?? "";
    const script = document.createElement("script");
    script.src = place.dataset.script ?? "";
    /** @type {any} */ const global = globalThis;
    script.onload = () => global.bookFigures[name](place);
    script.onerror = () => {
      place.setAttribute("role", "note");
      place.textContent = "This figure was not loaded. Reload the page to try again.";
    };
    document.head.append(script);
  };
  addEventListener("load", () => {
    const near = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          if (!entry.isIntersecting) continue;
          near.unobserve(entry.target);
          start(/** @type {HTMLElement} */ (entry.target));
        }
      },
      { rootMargin: "1200px" },
    );
    for (const place of document.querySelectorAll(".interactive[data-script]")) {
      near.observe(place);
    }
  });
})();
