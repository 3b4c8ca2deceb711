// @ts-check
// dependency-cruiser's own rule for folders compares only full paths, so `server/a/x` → `server/b` and `server/b/y` → `server/a` pass.

/** @typedef {{ source: string, imports: readonly string[] }} Module */
/** @typedef {{ from: string, to: string, example: string }} Edge */

/**
 * Cycles between the entries of one folder, for every folder of the tree, as edges with an example import each.
 * @param {readonly Module[]} modules paths with slashes, relative to the root
 * @returns {readonly (readonly Edge[])[]} empty: imports run one way everywhere
 */
export function folderCycles(modules) {
  /** @type {Map<string, Map<string, Map<string, Edge>>>} by folder, importing entry, imported entry */
  const levels = new Map()
  for (const { source, imports } of modules) {
    for (const target of imports) addEdge(levels, source, target)
  }
  return [...levels.values()].flatMap((edges) => findCycles(edges))
}

/** @param {Map<string, Map<string, Map<string, Edge>>>} levels @param {string} source @param {string} target */
function addEdge(levels, source, target) {
  const from = source.split('/')
  const to = target.split('/')
  const depth = from.findIndex((name, index) => name !== to[index])
  if (depth === -1 || to[depth] === undefined) return
  const folder = from.slice(0, depth).join('/')
  const [importing, imported] = [from, to].map((names) => names.slice(0, depth + 1).join('/'))
  if (importing === undefined || imported === undefined) return
  const edges = levels.get(folder) ?? new Map()
  const targets = edges.get(importing) ?? new Map()
  if (!targets.has(imported)) {
    targets.set(imported, { from: importing, to: imported, example: `${source} -> ${target}` })
  }
  levels.set(folder, edges.set(importing, targets))
}

/**
 * Finds at least one cycle per strongly connected group.
 * @param {Map<string, Map<string, Edge>>} edges
 * @returns {readonly (readonly Edge[])[]}
 */
function findCycles(edges) {
  /** @type {(readonly Edge[])[]} */
  const cycles = []
  const done = new Set()
  /** @param {string} entry @param {readonly Edge[]} path */
  const visit = (entry, path) => {
    const begin = path.findIndex(({ from }) => from === entry)
    if (begin !== -1) return void cycles.push(path.slice(begin))
    if (done.has(entry)) return
    for (const edge of edges.get(entry)?.values() ?? []) visit(edge.to, [...path, edge])
    done.add(entry)
  }
  for (const entry of edges.keys()) visit(entry, [])
  return cycles
}
