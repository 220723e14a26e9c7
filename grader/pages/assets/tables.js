// Sorts and filters tables. Without this script, the tables are complete and in the order of the file.
"use strict";
(() => {
  const collator = new Intl.Collator("en", {numeric: true});

  function value(row, column) {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  }

  // Cells without a value come last in both directions.
  function compare(one, other, direction) {
    const missing = (x) => x === "–" || x === "";
    if (missing(one) || missing(other)) return missing(one) - missing(other);
    if (typeof one === "number" && typeof other === "number") return direction * (one - other);
    return direction * collator.compare(one, other);
  }

  function sort(table, heading) {
    const direction = heading.ariaSort === "ascending" ? -1 : 1;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.ariaSort = direction > 0 ? "ascending" : "descending";
    const rows = [...table.tBodies[0].rows].map((row) => ({row, key: value(row, heading.cellIndex)}));
    rows.sort((a, b) => compare(a.key, b.key, direction));
    table.tBodies[0].append(...rows.map(({row}) => row));
  }

  for (const table of document.querySelectorAll("table.sortable"))
    for (const heading of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, heading));
    }

  for (const table of document.querySelectorAll("table.filterable")) {
    const rows = [...table.tBodies[0].rows];
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const box = document.createElement("div");
    box.className = "filter";
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "search";
    input.placeholder = "name, verdict or code";
    label.append("Filter ", input);
    const shown = document.createElement("output");
    box.append(label, shown);
    table.closest(".table").before(box);
    function filter() {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      rows.forEach((row, i) => {
        row.hidden = !words.every((word) => texts[i].includes(word));
        count += row.hidden ? 0 : 1;
      });
      shown.value = `${count} of ${rows.length} submissions`;
    }
    input.addEventListener("input", filter);
    filter();
  }
})();
