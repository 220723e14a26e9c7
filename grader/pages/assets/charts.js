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
  const number = (cell) => Number(cell.dataset.value);

  // The legend's texts. Until the pointer is on the chart, and after it left, the legend shows the value at `start`.
  const shown = (texts, start) => (u, value, series, i) => texts[i ?? start];

  // "2 half the points;3.5 all points", where a rule changes.
  const linesOf = (text) => (text ?? "").split(";").filter(Boolean).map((one) => {
    const [at, ...words] = one.split(" ");
    return {at: Number(at), words: words.join(" ")};
  });

  // Draws the lines of the table's data-x-lines and data-y-lines over the chart.
  const drawLines = (table) => (u) => {
    const {left, top, width, height} = u.bbox;
    u.ctx.save();
    u.ctx.strokeStyle = color("--warning");
    u.ctx.lineWidth = 2 * devicePixelRatio;
    u.ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
    u.ctx.font = `${11 * devicePixelRatio}px system-ui`;
    // Text over a filled box, because bars can be behind it.
    const write = (words, x, y, isRight) => {
      const size = u.ctx.measureText(words).width, from = isRight ? x - size : x;
      u.ctx.fillStyle = color("--paper");
      u.ctx.fillRect(from - 2 * devicePixelRatio, y - 10 * devicePixelRatio, size + 4 * devicePixelRatio,
                     13 * devicePixelRatio);
      u.ctx.fillStyle = color("--warning");
      u.ctx.textAlign = "left";
      u.ctx.fillText(words, from, y);
    };
    const line = (x0, y0, x1, y1) => {
      u.ctx.beginPath();
      u.ctx.moveTo(x0, y0);
      u.ctx.lineTo(x1, y1);
      u.ctx.stroke();
    };
    linesOf(table.dataset.xLines).forEach(({at, words}, i) => {
      const x = u.valToPos(at, "x", true);
      if (!(x >= left && x <= left + width)) return;
      line(x, top, x, top + height);
      const isRight = x > left + width / 2;
      write(words, x + (isRight ? -5 : 5) * devicePixelRatio, top + (12 + 15 * i) * devicePixelRatio, isRight);
    });
    linesOf(table.dataset.yLines).forEach(({at, words}) => {
      const y = u.valToPos(at, "y", true);
      line(left, y, left + width, y);
      write(words, left + 5 * devicePixelRatio, y + 14 * devicePixelRatio, false);
    });
    u.ctx.restore();
  };

  function bars(table) {
    const rows = [...table.tBodies[0].rows];
    const width = Number(table.dataset.width), unit = table.dataset.unit;
    const from = rows.map((row) => number(row.cells[0]));
    const counts = rows.map((row) => number(row.cells[1]));
    const end = from[from.length - 1] + width;
    const start = counts.indexOf(Math.max(...counts));
    const texts = (column) => rows.map((row) => row.cells[column].textContent);
    const ends = linesOf(table.dataset.xLines).map((one) => one.at);
    return {
      data: [from, counts],
      options: {
        scales: {x: {time: false, range: [0, Math.max(end, ...ends.map((at) => at * 1.02))]}, y: {range: (u, min, max) => [0, Math.max(max, 1) * 1.05]}},
        axes: [axis(unit ? `share of the points in${unit}` : "speed-up", {space: 40}),
               axis("submissions", {size: 46, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]})],
        series: [{label: "range", value: shown(texts(0), start)},
                 {label: "submissions", value: shown(texts(1), start), stroke: accent, fill: accent, points: {show: false},
                  paths: uPlot.paths.bars({align: 1, size: [0.9, Infinity]})}],
      },
    };
  }

  function scatter(table) {
    let task = "";
    const nameOf = (row) => {
      const name = row.cells[0].textContent;
      if (!row.classList.contains("task")) return `${task} / ${name}`;
      return (task = name);
    };
    const points = [...table.tBodies[0].rows]
      .map((row) => ({row, name: nameOf(row)}))
      .filter(({row}) => row.querySelector(".y"))
      .map(({row, name}) => ({x: 100 * number(row.querySelector(".x")), y: number(row.querySelector(".y")), name}))
      .sort((a, b) => a.x - b.x);
    if (points.length < 2) return null;
    return {
      data: [points.map((p) => p.x), points.map((p) => p.y)],
      options: {
        scales: {x: {time: false, range: [-4, 104]}, y: {range: (u, min) => [Math.min(min, 0) - 0.08, 1.08]}},
        axes: [axis("facility in %", {space: 40}), axis("discrimination", {size: 46})],
        series: [{label: "item", value: shown(points.map((p) => p.name), 0)},
                 {label: "discrimination", stroke: accent, paths: () => null,
                  value: shown(points.map((p) => p.y.toFixed(2)), 0),
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
    const chart = new uPlot({...size(), cursor: {y: false, drag: {x: false, y: false}},
                             hooks: {draw: [drawLines(table)]}, ...made.options}, made.data,
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
