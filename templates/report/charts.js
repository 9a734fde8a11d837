// Charts: one figure each, redrawn when the colours change.
const drawn = new Set(); // figures that have a chart now

function el(name, properties = {}, ...children) {
  const { data, ...rest } = properties, node = Object.assign(document.createElement(name), rest);
  Object.entries(data || {}).forEach(([key, value]) => node.setAttribute(key, value));
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

function colours() {
  const style = getComputedStyle(document.documentElement), of = name => style.getPropertyValue(`--${name}`).trim();
  return Object.fromEntries(["paper", "ink", "muted", "line", "original", "tuned", "bound", "general", "bad", "warn", "heat"]
    .map(name => [name, of(name)]));
}

function axis(c, title, more = {}) {
  const { grid = {}, ticks = {}, ...rest } = more;
  return { title: { display: Boolean(title), text: title, color: c.muted }, border: { color: c.line },
    grid: { color: c.line, borderColor: c.line, ...grid }, ticks: { color: c.muted, maxRotation: 0, ...ticks }, ...rest };
}

// Only powers of ten and their halves and fifths have a label on a logarithmic axis.
function logTick(format) {
  return function tick(value) {
    const digit = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
    return [1, 2, 5].some(d => Math.abs(d - digit) < 1e-6) ? format(value) : null;
  };
}

function options(c, more) {
  const { plugins = {}, ...rest } = more;
  return { animation: false, responsive: true, maintainAspectRatio: false, ...rest,
    plugins: { ...plugins, legend: { labels: { color: c.ink, usePointStyle: true, boxWidth: 8, boxHeight: 8 }, ...plugins.legend },
      tooltip: { backgroundColor: c.ink, titleColor: c.paper, bodyColor: c.paper, ...plugins.tooltip } } };
}

// A figure whose chart `make(colours)` describes. label: what a screen reader says; height: pixels.
function chart(label, caption, height, make) {
  const canvas = el("canvas", { tabIndex: 0, data: { role: "img", "aria-label": label } });
  const box = el("div", { className: "canvas" }, canvas);
  const figure = el("figure", {}, box, caption ? el("figcaption", { textContent: caption }) : null);
  if (height) box.style.height = `${height}px`;
  figure.redraw = () => {
    if (figure.chart) figure.chart.destroy();
    figure.chart = new Chart(canvas, make(colours()));
    drawn.add(figure);
  };
  canvas.addEventListener("keydown", event => step(figure, event));
  return figure;
}

// Arrow keys go from point to point; the tooltip shows the point, and a screen reader says it.
function step(figure, event) {
  const move = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!move || !figure.chart) return;
  const points = figure.chart.data.datasets.flatMap((set, datasetIndex) =>
    set.silent ? [] : set.data.map((_, index) => ({ datasetIndex, index })));
  if (!points.length) return;
  event.preventDefault();
  figure.at = ((figure.at ?? (move > 0 ? -1 : 0)) + move + points.length) % points.length;
  const active = [points[figure.at]], position = figure.chart.getDatasetMeta(active[0].datasetIndex).data[active[0].index];
  figure.chart.setActiveElements(active);
  figure.chart.tooltip.setActiveElements(active, { x: position.x, y: position.y });
  figure.chart.update("none");
  const { title = [], body = [] } = figure.chart.tooltip;
  document.getElementById("live").textContent = [...title, ...body.flatMap(part => part.lines)].join(", ");
}

function redrawAll() {
  for (const figure of drawn) figure.isConnected ? figure.redraw() : drawn.delete(figure);
}

function timesChart(problems, logarithmic) {
  const rows = problems.filter(p => p.tuned > 0 || p.original > 0);
  const summary = rows.map(p => `${p.text}: original ${time(p.original)}, tuned ${time(p.tuned)}` +
    (p.bound ? `, bound ${time(p.bound)}` : "")).join("; ");
  const narrow = innerWidth < 640, height = narrow ? 64 : rows.length > 12 ? 38 : 52;
  return chart(`Times of each problem. ${summary}`, "", 60 + rows.length * height, c => {
    const set = (label, key, colour) => ({ label, data: rows.map(p => p[key] / 1e3 || null), backgroundColor: colour,
      borderRadius: 2, barPercentage: .9, categoryPercentage: .78, pointStyle: "rect" });
    const sets = [set("original", "original", c.original), set("tuned", "tuned", c.tuned)];
    if (rows.some(p => p.bound)) sets.push(set("copy bandwidth bound", "bound", c.bound));
    return { type: "bar", data: { labels: rows.map(p => narrow ? p.text.split(" ") : p.text), datasets: sets }, options: options(c, {
      indexAxis: "y",
      scales: { y: axis(c, "", { ticks: { color: c.ink, autoSkip: false }, grid: { display: false } }),
        x: axis(c, "time of one launch, µs", logarithmic ? { type: "logarithmic", ticks: { callback: logTick(v => number(v)) } }
          : { beginAtZero: true }) },
      plugins: { tooltip: { callbacks: { title: items => rows[items[0].dataIndex].text,
        label: item => `${item.dataset.label}: ${time(item.raw * 1e3)}`,
        afterBody: items => { const p = rows[items[0].dataIndex]; return p.tuned ? `speedup ${factor(p.original / p.tuned)}` : ""; } } } } }) };
  });
}

const marks = {
  ok: ["right", "circle", "tuned"], looked: ["right at a first look", "circle", "general"],
  skipped: ["too slow on one problem", "triangle", "warn"], other: ["failed", "crossRot", "bad"],
};

function searchChart(candidates, seconds) {
  const kind = one => one.verdict === "skipped" ? "skipped" : one.verdict !== "ok" ? "other" : one.looked ? "looked" : "ok";
  const best = [];
  for (const one of candidates)
    if (one.speedup > 0 && !one.looked && (!best.length || one.speedup > best[best.length - 1].speedup)) best.push(one);
  const x = one => seconds ? one.seconds : one.order, end = candidates.length ? x(candidates[candidates.length - 1]) : 0;
  const label = `Search over ${candidates.length} configurations. Best so far: ` +
    best.slice(-8).map(one => `${factor(one.speedup)} at ${seconds ? `${number(one.seconds)} s` : one.order}`).join(", ");
  return chart(label, "", 340, c => {
    const radius = candidates.length > 2000 ? 1.8 : candidates.length > 300 ? 2.5 : 4;
    const sets = Object.entries(marks).map(([name, [text, pointStyle, colour]]) => {
      const list = candidates.filter(one => kind(one) === name);
      return { label: `${text} (${list.length})`, data: list.map(one => ({ x: x(one), y: one.speedup || one.partial || 0, one })),
        pointStyle, pointRadius: radius, pointHoverRadius: radius + 3, backgroundColor: c[colour],
        borderColor: c[colour], borderWidth: name === "other" ? 1.5 : 0, order: 2, clip: 8 };
    }).filter(set => set.data.length);
    const line = best.map(one => ({ x: x(one), y: one.speedup, one }));
    if (line.length) line.push({ ...line[line.length - 1], x: end });
    sets.push({ type: "line", label: "best so far", data: line, stepped: true, borderColor: c.ink, borderWidth: 1.5,
      pointRadius: 0, pointHitRadius: 0, pointStyle: "line", order: 1, silent: true });
    return { type: "scatter", data: { datasets: sets }, options: options(c, { parsing: false,
      interaction: { mode: "nearest", intersect: true },
      scales: { x: axis(c, seconds ? "seconds of tuning" : "configurations", { min: 0, max: end || 1, ticks: { precision: 0, callback: v => number(v, 4) } }),
        y: axis(c, "times faster than the original", { beginAtZero: true }) },
      plugins: { tooltip: { callbacks: { title: items => items[0].raw.one.text,
        label: item => { const one = item.raw.one; return one.verdict === "ok" ? `${factor(one.speedup)}${one.looked ? ", first look" : ""}` : one.verdict; },
        afterLabel: item => item.raw.one.detail.split("\n")[0].slice(0, 90) } } } }) };
  });
}

// Draws whiskers and medians on floating bars.
const boxPlugin = { id: "boxes", afterDatasetsDraw(target, _, { colour }) {
  const { ctx, scales } = target, elements = target.getDatasetMeta(0).data;
  ctx.save();
  ctx.strokeStyle = colour;
  target.data.datasets[0].boxes.forEach((box, i) => {
    if (!box.at) return;
    const [low, q1, middle, q3, high] = box.at.map(v => scales.y.getPixelForValue(v)), { x, width } = elements[i], half = width / 2;
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (const [from, to] of [[low, q1], [q3, high]]) { ctx.moveTo(x, from); ctx.lineTo(x, to); }
    for (const y of [low, high]) { ctx.moveTo(x - half / 2, y); ctx.lineTo(x + half / 2, y); }
    ctx.stroke();
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.moveTo(x - half, middle);
    ctx.lineTo(x + half, middle);
    ctx.stroke();
  });
  ctx.restore();
} };

function boxChart(parameter, chosen) {
  const { name, boxes } = parameter;
  const label = `${name}: median speedup ` + boxes.filter(b => b.at).map(b => `${factor(b.at[2])} at ${b.value}`).join(", ");
  return chart(label, "", 0, c => ({ type: "bar", plugins: [boxPlugin],
    data: { labels: boxes.map(box => String(box.value)), datasets: [{ boxes, data: boxes.map(box => box.at ? [box.at[1], box.at[3]] : null),
      backgroundColor: boxes.map(box => `rgba(${c.heat}, ${box.value === chosen ? .85 : .35})`), minBarLength: 2, maxBarThickness: 38 }] },
    options: options(c, { scales: { x: axis(c, "", { grid: { display: false } }), y: axis(c, "", { beginAtZero: true,
      suggestedMax: Math.max(...boxes.filter(b => b.at).map(b => b.at[4])) * 1.05, ticks: { maxTicksLimit: 5 } }) },
      plugins: { boxes: { colour: c.ink }, legend: { display: false }, tooltip: { callbacks: {
        title: items => `${name} = ${items[0].label}`, label: item => { const b = boxes[item.dataIndex];
          return [`${b.count} configurations`, `best ${factor(b.at[4])}`, `median ${factor(b.at[2])}`, `least ${factor(b.at[0])}`]; } } } } }) }));
}

// A logarithmic axis around the values, with room beside the outermost points.
function logAxis(c, title, values) {
  const known = values.filter(v => v > 0), room = 1.6;
  return axis(c, title, { type: "logarithmic", min: Math.min(...known) / room, max: Math.max(...known) * room,
    ticks: { callback: logTick(v => number(v)) } });
}

// Points {x, y, title, lines} over a logarithmic axis; `linear`: the other axis begins at 0.
function scatterChart(label, height, titles, sets, linear = false) {
  return chart(label, "", height, c => {
    const datasets = sets(c), all = axisName => datasets.flatMap(set => set.data.map(point => point[axisName]));
    return { type: "scatter", data: { datasets }, options: options(c, { parsing: false,
      scales: { x: logAxis(c, titles[0], all("x")), y: linear ? axis(c, titles[1], { beginAtZero: true }) : logAxis(c, titles[1], all("y")) },
      plugins: { tooltip: { callbacks: { title: items => items[0].raw.title || "", label: item => item.raw.lines || "" } } } }) };
  });
}
