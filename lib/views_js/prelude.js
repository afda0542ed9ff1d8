/* What bertviz's script expects around it: the two libraries under the names that
   require.js would give them, and the few parts of d3 that are smaller than a file. */
"use strict";
d3.version = "5";
d3.schemeCategory10 = VIEW_COLORS;
d3.scaleOrdinal = (colors) => (index) => colors[index % colors.length];
const requirejs = (names, start) =>
  start(...names.map((name) => ({ jquery: jQuery, d3: d3 })[name]));
const require = { config: () => {} };
