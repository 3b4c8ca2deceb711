// @ts-check
// The programs and commands in our documents. Each one runs, or says why not in a comment of the line above: <!-- not run: reason -->.
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './build-steps.mjs'

/** Languages of what a reader runs; blocks of others show text. */
const RUN = new Set(['ts', 'js', 'sh', 'bash', ''])
const FENCE = /^(?:<!-- (not run|run): ([^\n]*) -->\n+)?```([\w-]*)\n([\s\S]*?)^```$/gm

/**
 * @typedef {object} Block
 * @property {string} file relative to the root
 * @property {number} line of the fence
 * @property {string} language
 * @property {string} text
 * @property {string | null} notRun the reason
 * @property {string | null} needs what runs it must have, named by `<!-- run: … -->`: Node.js 22, for example
 * @property {string | null} output what the document says that it prints
 */

/** @returns {readonly string[]} */
function documents() {
  const markdown = (/** @type {string} */ folder) =>
    fs
      .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !/(^|\/)(node_modules|dist)\//.test(name))
      .map((name) => path.join(folder, name))
  const packages = ['core', 'wire', 'runtime', 'cli'].map((name) => `packages/${name}/README.md`)
  return ['README.md', ...packages, ...markdown('examples'), ...markdown('specs/adapters')]
}

/** @returns {readonly Block[]} */
export function blocksOfDocuments() {
  return documents().flatMap(blocksOf)
}

/** @param {string} file @returns {Block[]} */
function blocksOf(file) {
  const whole = fs.readFileSync(path.join(ROOT, file), 'utf8')
  const found = [...whole.matchAll(FENCE)]
  return found.flatMap(([all, mark, told, language = '', text = ''], i) => {
    if (!RUN.has(language)) return []
    const start = found[i]?.index ?? 0
    const line = whole.slice(0, start + all.indexOf('```')).split('\n').length
    const next = found[i + 1]
    const isOutput =
      next?.[3] === 'text' && whole.slice(start + all.length, next.index).trim() === ''
    return [
      {
        ...{ file, line, language, text },
        notRun: mark === 'not run' ? (told ?? '') : null,
        needs: mark === 'run' ? (told ?? '') : null,
        output: isOutput ? (next?.[4] ?? '') : null,
      },
    ]
  })
}
