// Where layers and edges lie. dagre takes time by the square of a graph's depth, and networks are deep: the graph is cut where
// one layer joins all that is before it to what is after, and its pieces stand below one another, in columns.
const nodeWidth = 168, nodeHeight = 34, rankGap = 18, columnGap = 48, largestPiece = 100;

/** Runs of nodes, each from one cut to the next, both included. */
function pieces(count, edges) {
  const reach = new Array(count).fill(0);  // how far the edges of a node go
  for (const [a, b] of edges) reach[Math.min(a, b)] = Math.max(reach[Math.min(a, b)], a, b);
  const found = [];
  for (let node = 1, first = 0, furthest = reach[0]; node < count; ++node) {
    if (furthest <= node || node === count - 1 || node - first >= largestPiece) {
      found.push([first, node]);
      first = node;
    }
    furthest = Math.max(furthest, reach[node]);
  }
  return count === 1 ? [[0, 0]] : found;
}

/** A piece as dagre lays it out; places are relative to the first node, which is at the top. */
function layOutPiece([first, last], edges) {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({nodesep: 14, edgesep: 10, ranksep: rankGap});
  graph.setDefaultEdgeLabel(() => ({}));
  for (let node = first; node <= last; ++node) graph.setNode(node, {width: nodeWidth, height: nodeHeight});
  let mine = edges.filter(([a, b]) => Math.min(a, b) >= first && Math.max(a, b) <= last);
  // dagre takes time for the length of every edge: beyond so many, the longest are drawn straight.
  const most = 4 * (last - first + 1);
  if (mine.length > most) mine = mine.sort(([a, b], [c, d]) => Math.abs(b - a) - Math.abs(d - c)).slice(0, most);
  for (const [a, b] of mine) graph.setEdge(a, b);
  const real = new Set(graph.edges().map(e => e.v + ">" + e.w));
  for (let node = first + 1; node <= last; ++node) if (!graph.inEdges(node).length) graph.setEdge(first, node);
  dagre.layout(graph);
  const origin = graph.node(first), move = ({x, y}) => ({x: x - origin.x, y: y - origin.y});
  const piece = {first, nodes: new Map(), lines: []};
  for (let node = first; node <= last; ++node) piece.nodes.set(node, move(graph.node(node)));
  for (const e of graph.edges())
    if (real.has(e.v + ">" + e.w)) piece.lines.push({from: +e.v, to: +e.w, inner: graph.edge(e).points.slice(1, -1).map(move)});
  piece.drift = piece.nodes.get(last).x;
  piece.height = Math.max(...[...piece.nodes.values()].map(p => p.y));
  return piece;
}

/** Pieces in as many columns as fill a canvas best: places of nodes and lines, and the size of it all. */
function placePieces(laid, edges, aspect) {
  const total = laid.reduce((sum, p) => sum + p.height, 0) + nodeHeight;
  const widest = Math.max(...laid.map(p => { const xs = [...p.nodes.values()].map(n => n.x); return Math.max(...xs) - Math.min(...xs); })) + nodeWidth;
  const scale = n => Math.min(aspect / (n * (widest + columnGap)), 1 / (total / n + nodeHeight));
  let wanted = 1;
  while (wanted < laid.length && scale(wanted + 1) > scale(wanted)) ++wanted;

  const places = [], lines = [], extents = [[0, 0]];
  let x = 0, y = 0, column = 0, height = 0;
  for (const piece of laid) {
    const breaks = y > 0 && y + piece.height / 2 > total / wanted;
    if (breaks) {
      extents[++column] = [0, 0];
      [x, y] = [0, -nodeHeight - rankGap];  // the first node stays where it is
    }
    const mirror = x * piece.drift > 0 ? -1 : 1;  // so that columns do not lean
    const at = (p, owner) => {
      const place = {column, x: x + mirror * p.x, y: y + p.y};
      if (owner === undefined || !places[owner]) {
        extents[column][0] = Math.min(extents[column][0], place.x);
        extents[column][1] = Math.max(extents[column][1], place.x);
      }
      return place;
    };
    for (const [node, p] of piece.nodes) if (!places[node]) places[node] = at(p, node);
    for (const {from, to, inner} of piece.lines) lines.push({from, to, inner: breaks && from === piece.first ? [] : inner.map(p => at(p))});
    x += mirror * piece.drift;
    y += piece.height;
    height = Math.max(height, y);
  }
  const offsets = [];
  let width = 0;
  for (const [left, right] of extents) {
    offsets.push(width - left + nodeWidth / 2);
    width += right - left + nodeWidth + columnGap;
  }
  const shift = p => { p.x += offsets[p.column]; p.y += nodeHeight / 2; };
  places.forEach(shift);
  for (const line of lines) line.inner.forEach(shift);
  const drawn = new Set(lines.map(l => l.from + ">" + l.to));
  for (const [from, to] of edges) if (!drawn.has(from + ">" + to)) lines.push({from, to, inner: []});
  return {places, lines, width: width - columnGap, height: height + nodeHeight};
}
