// @ts-check
// dependency-cruiser's own rule for folders compares only full paths, so `server/a/x` → `server/b` and `server/b/y` → `server/a` pass.

import path from 'node:path'

/** The level of the folders that hold files; no path contains it. */
const HOLDERS = '*'

/** @typedef {{ source: string, imports: readonly string[] }} Module */
/** @typedef {{ from: string, to: string, example: string }} Edge */

/**
 * Cycles as edges with an example import each: between the entries of one folder, for every folder of the tree, and between the folders that
 * hold the files, because a folder whose files import from its own subfolder must not be imported from there.
 * @param {readonly Module[]} modules paths with slashes, relative to the root
 * @returns {readonly (readonly Edge[])[]} empty: imports run one way everywhere
 */
export function folderCycles(modules) {
  /** @type {Map<string, Map<string, Map<string, Edge>>>} by folder, importing entry, imported entry */
  const levels = new Map()
  for (const { source, imports } of modules) {
    for (const target of imports) {
      for (const { level, from, to } of pairs(source, target)) {
        const edges = levels.get(level) ?? new Map()
        const targets = edges.get(from) ?? new Map()
        if (!targets.has(to)) targets.set(to, { from, to, example: `${source} -> ${target}` })
        levels.set(level, edges.set(from, targets))
      }
    }
  }
  return [...levels.values()].flatMap((edges) => findCycles(edges))
}

/** @param {string} source @param {string} target @returns {readonly { level: string, from: string, to: string }[]} */
function pairs(source, target) {
  const [from, to] = [source.split('/'), target.split('/')]
  const depth = from.findIndex((name, index) => name !== to[index])
  if (depth === -1 || to[depth] === undefined) return []
  const [importing = '', imported = ''] = [from, to].map((names) =>
    names.slice(0, depth + 1).join('/'),
  )
  const entries = { level: from.slice(0, depth).join('/'), from: importing, to: imported }
  const holders = { level: HOLDERS, from: path.dirname(source), to: path.dirname(target) }
  return holders.from === holders.to ? [entries] : [entries, holders]
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
