/* A view that is drawn wider than its frame is scaled down to it, also when it is drawn
   anew because another attention was chosen. */
"use strict";
(() => {
  const fit = () => {
    for (const svg of document.querySelectorAll("#vis > svg")) {
      const [width, height] = ["width", "height"].map((side) => svg.getAttribute(side));
      if (svg.hasAttribute("viewBox") || !/^[0-9.]+$/.test(width)) continue;
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      Object.assign(svg.style, { width: "100%", height: "auto", maxWidth: `${width}px` });
    }
  };
  fit();
  for (const part of document.querySelectorAll("#vis"))
    new MutationObserver(fit).observe(part, { childList: true });
})();
