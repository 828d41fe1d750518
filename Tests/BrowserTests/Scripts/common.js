// Functions that the check scripts share. Each script is the body of a function that returns complaints, one sentence each.

/** Returns a text that identifies an element, such as `button#save.primary "Save"`. */
function name(element) {
  if (!element) return "nothing";
  const id = element.id ? `#${element.id}` : "";
  const classes = [...element.classList].map((name) => `.${name}`).join("");
  const data = [...element.attributes]
    .filter((attribute) => attribute.name.startsWith("data-"))
    .map((attribute) => `[${attribute.name}="${attribute.value.slice(0, 20)}"]`)
    .join("");
  const text = (element.textContent || "").trim().replace(/\s+/g, " ").slice(0, 30);
  return `${element.localName}${id}${id ? "" : classes + data}${text ? ` "${text}"` : ""}`;
}

/** Whether any part of an element is painted. Text for screen readers only, clipped to a pixel, is not. */
function isSeen(element) {
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
  const box = element.getBoundingClientRect();
  if (box.width <= 1 || box.height <= 1) return element instanceof SVGElement && box.width + box.height > 1;
  for (let at = element; at instanceof Element; at = at.parentElement) {
    const style = getComputedStyle(at);
    if (style.clipPath === "inset(50%)" || style.clip === "rect(0px, 0px, 0px, 0px)" || style.clip === "rect(1px, 1px, 1px, 1px)")
      return false;
    // Moved off the page, as skip links are until they have the focus.
    const place = at.getBoundingClientRect();
    if (style.position !== "static" && (place.right + scrollX <= 0 || place.bottom + scrollY <= 0)) return false;
  }
  return true;
}

const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const colors = new Map();

/** Returns a CSS color in any notation as red, green, blue (0 to 255) and alpha (0 to 1). */
function rgba(color) {
  if (!colors.has(color)) {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = "#000";
    paint.fillStyle = color;
    paint.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = paint.getImageData(0, 0, 1, 1).data;
    colors.set(color, [red, green, blue, alpha / 255]);
  }
  return colors.get(color);
}

/** Returns a color painted over an opaque color. */
function over(top, below, opacity = 1) {
  const alpha = top[3] * opacity;
  return [0, 1, 2].map((index) => top[index] * alpha + below[index] * (1 - alpha)).concat(1);
}

/** WCAG 2.2, "relative luminance". */
function luminance(color) {
  const [red, green, blue] = color.slice(0, 3).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, "contrast ratio": 1 to 21. */
function ratio(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (light + 0.05) / (dark + 0.05);
}

function hex(color) {
  return "#" + color.slice(0, 3).map((value) => Math.round(value).toString(16).padStart(2, "0")).join("");
}

/** Returns the color of the canvas behind the whole page. */
function canvas() {
  const probe = document.createElement("span");
  probe.style.cssText = "display: none; background: Canvas";
  document.documentElement.append(probe);
  const color = rgba(getComputedStyle(probe).backgroundColor);
  probe.remove();
  return color;
}

/** Returns the colors of an element's own background: one, or each stop of a gradient. */
function fills(element) {
  const style = getComputedStyle(element);
  const color = rgba(style.backgroundColor);
  if (style.backgroundImage === "none" || element instanceof SVGElement) return [color];
  const stops = style.backgroundImage.match(/(?:rgba?|hsla?|oklch|oklab|lab|lch|color)\([^()]*\)|#[0-9a-f]{3,8}/gi);
  return stops ? stops.map((stop) => (color[3] === 1 ? over(rgba(stop), color) : rgba(stop))) : [color];
}

function ancestors(element) {
  const chain = [];
  for (let at = element; at; at = at.parentElement || (at.getRootNode() instanceof ShadowRoot ? at.getRootNode().host : null)) chain.unshift(at);
  return chain;
}

/** Returns the fills of the shapes in a drawing that are painted beneath the middle of `element`, the lowest first. */
function shapesBeneath(element) {
  const surface = element.ownerSVGElement;
  if (!surface || surface === element) return [];
  const box = element.getBoundingClientRect();
  const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
  const fills = [];
  for (const shape of surface.querySelectorAll("rect, circle, ellipse, path, polygon")) {
    if (!(shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) || shape.closest("defs, symbol, clipPath, mask")) continue;
    const style = getComputedStyle(shape);
    if (style.fill === "none" || style.visibility !== "visible" || style.display === "none") continue;
    const place = shape.getScreenCTM()?.inverse();
    if (!place || !shape.isPointInFill(new DOMPoint(x, y).matrixTransform(place))) continue;
    const [red, green, blue, alpha] = rgba(style.fill);
    fills.push([red, green, blue, alpha * Number(style.fillOpacity) * Number(style.opacity)]);
  }
  return fills;
}

/**
 * Returns pairs of the seen `color` inside `element` and the seen background beside it, composited from the root: one pair
 * for each combination of gradient stops.
 */
function composites(element, color) {
  const chain = ancestors(element);
  const shapes = element.matches("text, tspan") ? shapesBeneath(element) : [];
  const step = (index, below) => {
    if (index === chain.length) {
      const ground = shapes.reduce((below, fill) => over(fill, below), below);
      return [[over(color, ground), ground]];
    }
    const opacity = Number(getComputedStyle(chain[index]).opacity);
    return fills(chain[index]).flatMap((fill) =>
      step(index + 1, over(fill, below)).map((pair) =>
        pair.map((seen) => over([...seen.slice(0, 3), 1], below, opacity))));
  };
  return step(0, canvas());
}

/** Returns the worst ratio of `color` to its background in `element`, and the two colors. */
function contrast(element, color) {
  return composites(element, color)
    .map(([seen, beside]) => ({ ratio: ratio(seen, beside), seen: hex(seen), beside: hex(beside) }))
    .reduce((worst, pair) => (pair.ratio < worst.ratio ? pair : worst));
}

/** Returns all elements, including those in the top layer or out of the normal flow. */
function everything() {
  return [...document.querySelectorAll("*")];
}

const controls = [
  "a[href]", "button", "input:not([type=hidden])", "select", "textarea", "summary", "[tabindex]",
  "[role=button]", "[role=switch]", "[role=checkbox]", "[role=radio]", "[role=tab]", "[role=link]", "[role=slider]",
].join(",");

function isDisabled(element) {
  return element.closest(":disabled, [aria-disabled=true], [inert]") !== null;
}
