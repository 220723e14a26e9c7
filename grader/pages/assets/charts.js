// Draws a chart above each table with data-chart, and folds the table. The numbers come from the table, so that chart
// and table cannot differ.
"use strict";
(() => {
  const kHeight = 220;
  const kPrintedWidth = 320;  // half of an A4 page between its margins
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const ink = () => color("--quiet"), line = () => color("--line"), accent = () => color("--accent");
  const axis = (label, more) => ({
    label, labelSize: 22, labelFont: "13px system-ui", font: "12px system-ui", stroke: ink,
    grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1}, ...more,
  });
  const shown = (digits) => (u, value) => (value == null ? "–" : value.toFixed(digits));
  const number = (cell) => Number(cell.dataset.value);

  function bars(table) {
    const rows = [...table.tBodies[0].rows];
    const width = Number(table.dataset.width), unit = table.dataset.unit;
    const from = rows.map((row) => number(row.cells[0]));
    const counts = rows.map((row) => number(row.cells[1]));
    const end = from[from.length - 1] + width;
    const name = (u, value, series, i) => (i == null ? "–" : rows[i].cells[0].textContent);
    return {
      data: [from, counts],
      options: {
        scales: {x: {time: false, range: [0, end]}, y: {range: (u, min, max) => [0, Math.max(max, 1) * 1.05]}},
        axes: [axis(unit ? `share of the points in${unit}` : "speed-up", {space: 40}),
               axis("submissions", {size: 46, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]})],
        series: [{label: "range", value: name},
                 {label: "submissions", value: shown(0), stroke: accent, fill: accent, points: {show: false},
                  paths: uPlot.paths.bars({align: 1, size: [0.9, Infinity]})}],
      },
    };
  }

  function scatter(table) {
    const points = [...table.tBodies[0].rows]
      .filter((row) => row.querySelector(".y"))
      .map((row) => ({x: 100 * number(row.querySelector(".x")), y: number(row.querySelector(".y")),
                      name: row.cells[0].textContent}))
      .sort((a, b) => a.x - b.x);
    if (points.length < 2) return null;
    return {
      data: [points.map((p) => p.x), points.map((p) => p.y)],
      options: {
        scales: {x: {time: false, range: [-4, 104]}, y: {range: (u, min) => [Math.min(min, 0) - 0.08, 1.08]}},
        axes: [axis("facility in %", {space: 40}), axis("discrimination", {size: 46})],
        series: [{label: "item", value: (u, value, series, i) => (i == null ? "–" : points[i].name)},
                 {label: "discrimination", stroke: accent, paths: () => null, value: shown(2),
                  points: {show: true, size: 9, stroke: accent, fill: accent}}],
      },
    };
  }

  function draw(table) {
    const made = table.dataset.chart === "bars" ? bars(table) : scatter(table);
    if (!made) return null;
    const frame = table.closest(".table");
    const title = document.createElement("p");
    title.className = "plot-title";
    title.textContent = table.caption.textContent;
    const plot = document.createElement("div");
    plot.className = "plot";
    plot.role = "img";
    plot.ariaLabel = `Chart: ${table.caption.textContent}. The numbers are in the table below.`;
    const block = document.createElement("div");
    block.className = "chart-block";
    block.append(title, plot);
    frame.before(block);
    if (table.dataset.chart === "bars") {
      const numbers = document.createElement("details");
      const summary = document.createElement("summary");
      numbers.className = "numbers";
      summary.textContent = "Numbers";
      frame.replaceWith(numbers);
      numbers.append(summary, frame);
    }
    const size = () => ({width: Math.max(240, Math.min(plot.clientWidth, 900)), height: kHeight});
    const chart = new uPlot({...size(), cursor: {y: false, drag: {x: false, y: false}}, ...made.options}, made.data,
                            plot);
    const fit = () => chart.setSize(size());
    new ResizeObserver(fit).observe(plot);
    addEventListener("beforeprint", () => chart.setSize({width: kPrintedWidth, height: kHeight}));
    addEventListener("afterprint", fit);
    return chart;
  }

  const charts = [...document.querySelectorAll("table[data-chart]")].map(draw).filter(Boolean);
  for (const query of ["(prefers-color-scheme: dark)", "print"])
    matchMedia(query).addEventListener("change", () => charts.forEach((chart) => chart.redraw(false, true)));
})();
