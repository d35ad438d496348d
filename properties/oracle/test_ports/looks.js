// What a reader of the page could not see or read, as a list of sentences: text that is cut or scrolls on paper, words broken
// inside, contrast under 4.5, text of pictures under 11 pixels, pictures of another palette than the page's, and what scrolls sideways
// without shadows at its edges, or with a child that hides them.
function faults_of_looks(scheme) {
  const found = [], width = document.documentElement.clientWidth, printed = matchMedia('print').matches;
  const still = new CSSStyleSheet();
  still.replaceSync('* { transition: none !important; }');  // colours on their way are neither old nor new
  document.adoptedStyleSheets = [still];
  const style = e => getComputedStyle(e);
  const named = e => e.outerHTML.slice(0, 100).replace(/\s+/g, ' ');
  const up = function* (e) { for (; e && e !== document.body; e = e.parentElement) yield e; };
  const holder = (e, how) => [...up(e)].find(p => style(p).display !== 'inline' && how.test(style(p).overflowX));
  const colour = text => { const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number); return [r, g, b, a]; };
  const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const light = c => {
    const [r, g, b] = c.map(v => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = e => {
    let all = printed || scheme === 'light' ? [255, 255, 255, 1] : [18, 18, 18, 1];  // of an empty page
    for (const p of [...up(e), document.body, document.documentElement].reverse()) all = over(colour(style(p).backgroundColor), all);
    return all;
  };
  const lightest = light(ground(document.body));
  if (printed || scheme === 'light' ? lightest < 0.8 : lightest > 0.1) found.push(`the page is not ${printed ? 'of paper' : scheme}`);
  if (document.scrollingElement.scrollWidth > width + 1) found.push(`wider than ${width}: ${document.scrollingElement.scrollWidth}`);
  const measured = new Set(), range = document.createRange();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = texts.nextNode());) {
    const e = n.parentElement, says = n.data.trim().slice(0, 50);
    if (!says || /^(script|style|title|noscript|template)$/i.test(e.tagName) || !e.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    range.selectNodeContents(n);
    const box = range.getBoundingClientRect();
    if (!box.width || box.right < 0) continue;  // a drawer that is shut
    const picture = e.closest('svg'), scrolls = holder(e, /auto|scroll/), cuts = holder(e, /hidden|clip/);
    if (picture) {
      const frame = picture.getBoundingClientRect(), size = parseFloat(style(e).fontSize) * picture.getScreenCTM().a;
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1) found.push(`cut by its picture: ${says}`);
      if (size < 11 && !printed) found.push(`${size.toFixed(1)} pixels: ${says}`);
    } else if (scrolls) {
      if (printed && scrolls.scrollWidth > scrolls.clientWidth + 1) found.push(`scrolls on paper: ${named(scrolls)}`);
    } else if (box.right > width + 1 || box.left < -1) {
      found.push(`cut: ${says}: ${named(e)}`);
    } else if (cuts && box.right > cuts.getBoundingClientRect().right + 1) {
      found.push(`cut: ${says}: ${named(cuts)}`);
    }
    for (const word of n.data.matchAll(/[\p{L}\p{N}]+/gu)) {
      range.setStart(n, word.index);
      range.setEnd(n, word.index + word[0].length);
      const lines = [...range.getClientRects()].filter(r => r.width > 0).map(r => Math.round(r.top));
      if (word[0].length < 40 && new Set(lines).size > 1) found.push(`broken: ${word[0]}: ${named(e)}`);
    }
    if (measured.has(e)) continue;
    measured.add(e);
    const under = ground(e), ink = over(colour(picture ? style(e).fill : style(e).color), under);
    const [high, low] = [light(ink), light(under)].sort((a, b) => b - a), contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) found.push(`contrast ${contrast.toFixed(2)}: ${says}: ${named(e)}`);
  }
  for (const e of document.body.querySelectorAll('*')) {
    const scrolls = /auto|scroll/.test(style(e).overflowX) && e.scrollWidth > e.clientWidth + 1 && e.clientHeight > 0;
    const attached = style(e).backgroundAttachment, shadows = /gradient/.test(style(e).backgroundImage) && /local/.test(attached);
    if (printed && shadows) found.push(`a sign of scrolling on paper: ${named(e)}`);
    if (printed || !scrolls || !e.checkVisibility({visibilityProperty: true})) continue;
    if (!shadows || !/scroll/.test(attached)) found.push(`no sign that it scrolls: ${named(e)}`);
    const edge = e.getBoundingClientRect().right;
    for (const child of e.querySelectorAll('*')) {
      const box = child.getBoundingClientRect(), covers = box.left < edge - 1 && box.right > edge + 1 && box.height > e.clientHeight / 2;
      if (covers && colour(style(child).backgroundColor)[3] > 0) found.push(`hides the sign of scrolling: ${named(child)}`);
    }
  }
  for (const image of document.images) {
    if (!image.naturalWidth) found.push(`no picture: ${named(image)}`);
    if (style(image).colorScheme !== (printed ? 'light' : scheme)) found.push(`palette of another page: ${named(image)}`);
  }
  return [...new Set(found)];
}
