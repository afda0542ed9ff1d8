/* What bertviz's script expects around it: the two libraries under the names that
   require.js would give them, and the few parts of d3 that are smaller than a file. */
"use strict";
d3.version = "5";
d3.schemeCategory10 = VIEW_COLORS;
d3.scaleOrdinal = (colors) => (index) => colors[index % colors.length];
const requirejs = (names, start) =>
  start(...names.map((name) => ({ jquery: jQuery, d3: d3 })[name]));
const require = { config: () => {} };
d3.min = (values) => Math.min(...values);
d3.line = () => {
  let across = (point) => point[0];
  let down = (point) => point[1];
  const path = (points) => "M" + points.map((p) => across(p) + "," + down(p)).join("L");
  path.x = (place) => ((across = place), path);
  path.y = (place) => ((down = place), path);
  return path;
};
