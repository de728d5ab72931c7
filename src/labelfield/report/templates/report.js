"use strict";

function chooseTheme() {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const asked = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme || (asked.matches ? "dark" : "light")) === "dark";
  const showTheme = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-pressed", String(isDark()));
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    showTheme();
  });
  asked.addEventListener("change", showTheme);
  showTheme();
}

function sortTables() {
  const key = (row, column) => {
    const cell = row.children[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  for (const head of document.querySelectorAll("thead th")) {
    head.addEventListener("click", () => {
      const column = head.cellIndex;
      const falling = head.classList.contains("number") ? head.ariaSort !== "descending" : head.ariaSort === "ascending";
      for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      const body = head.closest("table").tBodies[0];
      const rows = [...body.rows].sort((a, b) => compare(key(a, column), key(b, column)));
      body.append(...(falling ? rows.reverse() : rows));
    });
  }
}

function filterRows() {
  for (const input of document.querySelectorAll("[data-filter]")) {
    const rows = document.querySelectorAll(`#${input.dataset.filter} tbody tr`);
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      for (const row of rows) row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
    });
  }
}

function readHeatmap() {
  const map = document.querySelector("svg.heatmap");
  if (!map) return;
  const readout = map.parentElement.querySelector(".readout");
  const names = JSON.parse(map.dataset.names);
  const given = map.dataset.given.split(",");
  const [margin, cell] = [Number(map.dataset.margin), Number(map.dataset.cell)];
  map.addEventListener("pointermove", (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(map.getScreenCTM().inverse());
    const [column, row] = [Math.floor((at.x - margin) / cell), Math.floor((at.y - margin) / cell)];
    const inside = row >= 0 && column >= 0 && row < names.length && column < names.length;
    if (!inside || row === column) return;
    const share = given[row * names.length + column];
    readout.textContent = share === ""
      ? `${names[row]} never occurs.`
      : `Of the rows with ${names[row]}, ${(share / 10).toFixed(1)} % also have ${names[column]}.`;
  });
}

function steerGraph() {
  const graph = document.querySelector("svg.graph");
  if (!graph) return;
  const box = graph.closest("figure");
  const slider = box.querySelector("input[type=range]");
  const readout = box.querySelector(".readout");
  const hint = readout.textContent;
  const radius = Number(graph.dataset.radius);
  const keepAll = graph.dataset.keepAll === "yes";
  const nodes = [...graph.querySelectorAll(".node")];
  const names = new Map(nodes.map((node) => [node.dataset.node, node.getAttribute("aria-label")]));
  const links = [...graph.querySelectorAll(".link")].map((path) => ({
    path, a: path.dataset.a, b: path.dataset.b, weight: Number(path.dataset.weight),
  }));
  let threshold = Number(graph.dataset.threshold);
  let angles = new Map();

  const shown = () => links.filter((link) => Math.abs(link.weight) >= threshold - 1e-9);

  function placeNodes(linked) {
    const onCircle = nodes.filter((node) => keepAll || linked.has(node.dataset.node));
    const step = (2 * Math.PI) / Math.max(1, onCircle.length);
    angles = new Map(onCircle.map((node, position) => [node.dataset.node, position * step - Math.PI / 2]));
    for (const node of nodes) {
      const angle = angles.get(node.dataset.node);
      node.classList.toggle("off", angle === undefined);
      node.classList.toggle("alone", !linked.has(node.dataset.node));
      if (angle !== undefined && !keepAll) turnNode(node, angle);
    }
    graph.setAttribute("font-size", Math.min(13, Math.max(6.5, 0.9 * step * radius)));
    graph.classList.toggle("crowded", onCircle.length > 200);
  }

  function turnNode(node, angle) {
    const turned = Math.cos(angle) < 0;
    const name = node.querySelector("text");
    node.setAttribute("transform", `rotate(${(angle * 180) / Math.PI}) translate(${radius} 0)`);
    name.setAttribute("transform", turned ? "rotate(180)" : "rotate(0)");
    name.setAttribute("x", turned ? -10 : 10);
    name.setAttribute("dy", "0.35em");
    name.setAttribute("text-anchor", turned ? "end" : "start");
  }

  function bow(a, b) {
    const [x1, y1, x2, y2] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)].map((v) => radius * v);
    return `M${x1} ${y1}Q${0.36 * (x1 + x2)} ${0.36 * (y1 + y2)} ${x2} ${y2}`;
  }

  function draw() {
    const visible = new Set(shown());
    placeNodes(new Set([...visible].flatMap((link) => [link.a, link.b])));
    for (const link of links) {
      link.path.classList.toggle("off", !visible.has(link));
      if (visible.has(link)) link.path.setAttribute("d", bow(angles.get(link.a), angles.get(link.b)));
    }
    box.querySelector("output").textContent = threshold.toFixed(2);
    box.querySelector(".links-shown").textContent =
      `${visible.size} of ${links.length} links, ${angles.size} of ${nodes.length} labels`;
    graph.dataset.visibleLinks = visible.size;
  }

  function ask(id) {
    const found = shown().filter((link) => link.a === id || link.b === id);
    const near = new Set([id, ...found.flatMap((link) => [link.a, link.b])]);
    for (const link of links) link.path.classList.toggle("near", found.includes(link));
    for (const node of nodes) node.classList.toggle("near", near.has(node.dataset.node));
    graph.classList.add("asked");
    const strengths = found.map((link) => {
      const sign = link.weight > 0 ? "+" : "\u2212";
      return `${names.get(link.a === id ? link.b : link.a)} ${sign}${Math.abs(link.weight).toFixed(2)}`;
    });
    const name = document.createElement("strong");
    name.textContent = names.get(id);
    readout.replaceChildren(name, strengths.length ? `: ${strengths.join(", ")}` : ": no link this strong");
  }

  function forget() {
    graph.classList.remove("asked");
    for (const near of graph.querySelectorAll(".near")) near.classList.remove("near");
    readout.textContent = hint;
  }

  for (const node of nodes) {
    node.addEventListener("pointerenter", () => ask(node.dataset.node));
    node.addEventListener("focus", () => ask(node.dataset.node));
    node.addEventListener("pointerleave", forget);
    node.addEventListener("blur", forget);
  }
  slider.addEventListener("input", () => {
    threshold = Number(slider.value);
    draw();
  });
  draw();
}

chooseTheme();
sortTables();
filterRows();
readHeatmap();
steerGraph();
document.documentElement.dataset.ready = "yes";
