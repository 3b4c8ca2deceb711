// @ts-check
// The programs and commands in our documents. Each one runs, or says why not in a comment of the line above: <!-- not run: reason -->.
// <!-- run: … --> says what a block needs, or how it runs.
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './build-steps.mjs'

/** Languages of what a reader runs; blocks of others show text. */
const RUN = new Set(['ts', 'js', 'sh', 'bash', ''])
const NEEDS = ['ai 6', 'ai 7', 'Claude Agent SDK']
const WAYS = ['until it is stopped', 'each line']
const FENCE = /^(?:<!-- (not run|run): ([^\n]*) -->\n+)?```([\w-]*)\n([\s\S]*?)^```$/gm

/**
 * @typedef {object} Block
 * @property {string} file relative to the root
 * @property {string} language
 * @property {string} text
 * @property {number} index among all blocks
 * @property {string} where file and line
 * @property {string | null} notRun the reason
 * @property {string | null} needs one of NEEDS
 * @property {string | null} way one of WAYS; null: all at once
 * @property {string | null} output what the document says that it prints
 */

/** @returns {readonly string[]} */
function documents() {
  const markdown = (/** @type {string} */ folder) =>
    fs
      .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !/(^|\/)(node_modules|dist)\//.test(name))
      .map((name) => path.join(folder, name))
  const packages = fs
    .readdirSync(path.join(ROOT, 'packages'))
    .map((name) => `packages/${name}/README.md`)
    .filter((file) => fs.existsSync(path.join(ROOT, file)))
  const folders = ['examples', 'specs/adapters', 'docs/agents']
  return ['README.md', ...packages, ...folders.flatMap(markdown)]
}

/** @returns {readonly Block[]} */
export function listDocumentBlocks() {
  return documents()
    .flatMap(parseBlocks)
    .map((block, index) => ({ ...block, index }))
}

/** @param {string} file @returns {Omit<Block, 'index'>[]} */
function parseBlocks(file) {
  const whole = fs.readFileSync(path.join(ROOT, file), 'utf8')
  const found = [...whole.matchAll(FENCE)]
  return found.flatMap(([all, mark, told = '', language = '', text = ''], i) => {
    if (!RUN.has(language)) return []
    const start = found[i]?.index ?? 0
    const line = whole.slice(0, start + all.indexOf('```')).split('\n').length
    const next = found[i + 1]
    const isOutput =
      next?.[3] === 'text' && whole.slice(start + all.length, next.index).trim() === ''
    return [
      {
        file,
        where: `${file}:${line}`,
        language,
        text,
        ...parseMark(mark, told, file),
        output: isOutput ? (next?.[4] ?? '') : null,
      },
    ]
  })
}

/** @param {string | undefined} mark @param {string} told @param {string} file */
function parseMark(mark, told, file) {
  if (mark === 'run' && ![...NEEDS, ...WAYS].includes(told))
    throw new Error(`${file}: nothing runs as "${told}"`)
  return {
    notRun: mark === 'not run' ? told : null,
    needs: NEEDS.includes(told) ? told : null,
    way: WAYS.includes(told) ? told : null,
  }
}
