// Draws the pictures of the page. The rest of the page needs no script. What a port said becomes text, never markup.
// The data is in properties/reports/pictures.hpp; d3 is version 3.
(function () {
  "use strict";
  var width = 360;
  var pictures = JSON.parse(document.getElementById("pictures").textContent);

  function canvas(figure, height, margin) {
    var svg = d3.select(figure).insert("svg", "figcaption")
      .attr("viewBox", "0 0 " + width + " " + height)
      .attr("role", "img")
      .attr("aria-label", figure.querySelector("figcaption").textContent);
    return {svg: svg, left: margin.left, right: width - margin.right, top: margin.top, bottom: height - margin.bottom};
  }

  function axes(c, x, y, names, format) {
    var across = d3.svg.axis().scale(x).orient("bottom").ticks(6).outerTickSize(0);
    if (format.x) across.tickFormat(format.x);
    c.svg.append("g").attr("class", "axis").attr("transform", "translate(0," + c.bottom + ")").call(across);
    c.svg.append("text").attr("x", c.right).attr("y", c.bottom + 34).attr("text-anchor", "end").text(names.x);
    if (!y) return;
    var up = d3.svg.axis().scale(y).orient("left").ticks(5).outerTickSize(0);
    if (format.values) up.tickValues(format.values);
    if (format.y) up.tickFormat(format.y);
    c.svg.append("g").attr("class", "axis").attr("transform", "translate(" + c.left + ",0)").call(up);
    c.svg.append("text").attr("x", 2).attr("y", 12).text(names.y);
  }

  function line(c, x1, y1, x2, y2, name) {
    return c.svg.append("line").attr("class", name).attr("x1", x1).attr("y1", y1).attr("x2", x2).attr("y2", y2);
  }

  function cross(c, x, y, says) {
    c.svg.append("path").attr("class", "misfit")
      .attr("d", "M" + (x - 5) + "," + (y - 5) + "l10,10m0,-10l-10,10")
      .append("title").text(says);
  }

  // Small numbers as they are, large ones with a prefix.
  function short(v) {
    if (Math.abs(v) >= 1e15) return d3.format(".0e")(v).replace("+", "");
    if (Math.abs(v) >= 1e4) return d3.format(".3s")(v).replace(/(\.\d*?)0+(\D)$/, "$1$2").replace(/\.?(\D)$/, " $1");
    return String(+v.toPrecision(4));
  }

  // Linear, or where delays spread over decades, logarithmic from 1 on to either side of 0.
  function scale_of(values) {
    var sizes = values.map(Math.abs).filter(function (v) { return v > 0; });
    var wide = d3.max(sizes) > 300 * d3.quantile(sizes.sort(d3.ascending), 0.2);
    if (!wide) return {of: function (v) { return v; }, wide: false};
    return {
      of: function (v) { return (v < 0 ? -1 : 1) * Math.log(1 + Math.abs(v)) / Math.LN10; },
      wide: true,
      ticks: function (low, high) {
        var all = [0], every = Math.max(1, Math.ceil((high - low) / 6));
        for (var k = every > 1 ? every : 0; k <= high; k += every) all.push(Math.log(1 + Math.pow(10, k)) / Math.LN10);
        for (k = every > 1 ? every : 0; low < 0 && -k >= low; k += every) all.push(-Math.log(1 + Math.pow(10, k)) / Math.LN10);
        return all;
      },
      back: function (s) { return short((s < 0 ? -1 : 1) * Math.round(Math.pow(10, Math.abs(s)) - 1)); }
    };
  }

  function delays(figure, data) {
    var c = canvas(figure, 240, {left: 52, right: 14, top: 22, bottom: 40});
    var numbers = [0];
    data.band.forEach(function (b) { numbers.push(b[1], b[2]); });
    data.fits.concat(data.misfits).forEach(function (p) { numbers.push(p[1]); });
    numbers = numbers.filter(function (v) { return v !== null; });
    var scale = scale_of(numbers);
    var places = data.band.concat(data.fits, data.misfits).map(function (p) { return p[0]; });
    var x = d3.scale.linear().domain([d3.min(places) - 0.6, data.last + 0.6]).range([c.left, c.right]).clamp(true);
    var reach = d3.extent(numbers.map(scale.of));
    if (reach[1] === reach[0]) reach[1] = reach[0] + 1;
    var y = d3.scale.linear().domain(reach).range([c.bottom, c.top]);
    function at(v) { return y(v === null ? reach[1] : scale.of(v)); }

    var half = Math.max(0.7, Math.min(16, 0.42 * (c.right - c.left) / (x.domain()[1] - x.domain()[0])));
    var band = c.svg.append("g");
    data.band.forEach(function (b) {
      var low = at(b[1]), high = at(b[2]);
      band.append("rect").attr("class", "band").attr("x", x(b[0]) - half).attr("width", 2 * half)
        .attr("y", high).attr("height", Math.max(0, low - high));
      band.append("path").attr("class", "edge")
        .attr("d", "M" + (x(b[0]) - half) + "," + high + "h" + 2 * half + "M" + (x(b[0]) - half) + "," + low + "h" + 2 * half);
    });
    c.svg.append("path").attr("class", "fit").attr("d", data.fits.map(function (p) {
      return "M" + x(p[0]).toFixed(1) + "," + at(p[1]).toFixed(1) + "h0";
    }).join("") || null);
    data.misfits.forEach(function (p) {
      cross(c, x(p[0]), p[1] === null ? c.bottom : at(p[1]),
        data.attempt + " " + p[0] + ": admitted " + (p[2] || "nothing") + ", " + (data.of || "the port") + ": " + (p[3] || "nothing"));
    });
    axes(c, x, y, {x: data.attempt, y: data.delay + (scale.wide ? ", logarithmic" : "")}, {
      x: function (v) { return v === Math.round(v) ? short(v) : ""; },
      y: scale.wide ? scale.back : short,
      values: scale.wide ? scale.ticks(reach[0], reach[1]) : null
    });
  }

  function herd(figure, data) {
    var c = canvas(figure, 240, {left: 52, right: 14, top: 22, bottom: 40});
    var bins = Math.max(data.documented.length, data.port.length);
    var x = d3.scale.linear().domain([0, bins * data.unit]).range([c.left, c.right]);
    var y = d3.scale.linear().domain([0, d3.max(data.documented.concat(data.port))]).range([c.bottom, c.top]);
    [["documented", "path"], ["port", "path wrong"]].forEach(function (kind) {
      c.svg.append("path").attr("class", kind[1]).attr("d", "M" + data[kind[0]].map(function (n, i) {
        return x(i * data.unit).toFixed(1) + "," + y(n).toFixed(1) + "H" + x((i + 1) * data.unit).toFixed(1);
      }).join("L"));
    });
    axes(c, x, y, {x: "seconds", y: "requests"}, {x: short, y: short});
  }

  function draws(figure, data) {
    var c = canvas(figure, 240, {left: 52, right: 14, top: 22, bottom: 40});
    var n = data.bins.length;
    var x = d3.scale.linear().domain([0, 1]).range([c.left, c.right]);
    var y = d3.scale.linear().domain([0, 1.1 * Math.max(d3.max(data.bins), data.expected)]).range([c.bottom, c.top]);
    data.bins.forEach(function (count, k) {
      var bar = c.svg.append("rect").attr("class", "band").attr("x", x(k / n) + 1).attr("width", x(1 / n) - x(0) - 2)
        .attr("y", y(count)).attr("height", y(0) - y(count));
      bar.append("title").text("from " + k / n + " to " + (k + 1) / n + ": " + short(count));
    });
    line(c, c.left, y(data.expected), c.right, y(data.expected), "expected");
    axes(c, x, y, {x: "place in the window, 0 the smallest delay", y: "draws"}, {y: short});
  }

  function evidence(figure, data) {
    var c = canvas(figure, 240, {left: 52, right: 14, top: 22, bottom: 40});
    var heights = data.path.map(function (p) { return p[1]; }).concat([data.threshold * 1.1]);
    var x = d3.scale.linear().domain([0, data.path[data.path.length - 1][0]]).range([c.left, c.right]);
    var y = d3.scale.linear().domain(d3.extent(heights)).range([c.bottom, c.top]);
    var path = d3.svg.line().x(function (p) { return x(p[0]); }).y(function (p) { return y(p[1]); });
    c.svg.append("path").attr("class", "path").attr("d", path(data.path));
    line(c, c.left, y(data.threshold), c.right, y(data.threshold), "threshold");
    c.svg.append("text").attr("x", c.left + 6).attr("y", y(data.threshold) + 13).text("refuted from here on");
    axes(c, x, y, {x: "draws", y: "capital of the bets, power of ten"}, {x: short});
  }

  var shapes = {RETRY_NOW: "triangle-up", RETRY_LATER: "circle", STOP_RETRYING: "square"};
  var zones = {RETRY_NOW: "now", RETRY_LATER: "later", STOP_RETRYING: "stop"};
  function words(text) { return text.replace(/RETRY_|_RETRYING/g, ""); }

  function timeline(figure, data) {
    var c = canvas(figure, 136, {left: 12, right: 12, top: 18, bottom: 40});
    var x = d3.scale.linear().domain([data.from, data.to]).range([c.left + 6, c.right - 6]);
    data.zones.forEach(function (z) {
      var wide = x(z[1]) - x(z[0]);
      var zone = c.svg.append("rect").attr("class", "zone " + (zones[z[2]] || "either"))
        .attr("x", x(z[0])).attr("width", Math.max(0.5, wide)).attr("y", 52).attr("height", 30);
      zone.append("title").text(words(z[2]) + " from " + z[0] + " s, before " + z[1] + " s");
      if (wide > 7.8 * words(z[2]).length) {
        c.svg.append("text").attr("class", "zone-word").attr("text-anchor", "middle")
          .attr("x", (x(z[0]) + x(z[1])) / 2).attr("y", 71).text(words(z[2]));
      }
    });
    var above = 0, before = -Infinity;
    data.answers.forEach(function (a) {
      var here = x(a[0]);
      above = here - before < 11 ? (above + 1) % 3 : 0;  // a mark that would hide the one before it stands higher
      before = here;
      line(c, here, 48 - 12 * above, here, 84, "edge");
      var mark = c.svg.append("path").attr("class", "mark" + (a[2] ? "" : " wrong"))
        .attr("d", d3.svg.symbol().type(shapes[a[1]]).size(70)())
        .attr("transform", "translate(" + here + "," + (44 - 12 * above) + ")");
      mark.append("title").text(words(a[1]) + " at " + a[0] + " s");
      if (!a[2]) cross(c, here, 90, words(a[1]) + " at " + a[0] + " s is not as documented");
    });
    axes(c, x, null, {x: data.clock + ", seconds from the first reading"}, {x: short});
  }

  var draw = {delays: delays, draws: draws, herd: herd, evidence: evidence, timeline: timeline};
  Array.prototype.forEach.call(document.querySelectorAll("figure[data-picture]"), function (figure) {
    var picture = pictures[+figure.getAttribute("data-picture")];
    draw[picture.kind](figure, picture.data);
  });
})();
