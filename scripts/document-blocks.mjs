// @ts-check
// The programs and commands in our documents. Each one runs, or says why not in a comment of the line above: <!-- not run: reason -->.
// <!-- run: … --> says what a block needs, how it runs, or which other test runs it, through NamedBlocks. <!-- generated --> marks output of a
// generator, which a test compares.
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './build-steps.mjs'

/** Languages of programs and commands. */
const RUN = new Set(['ts', 'js', 'sh', 'bash', ''])
const NEEDS = ['ai 6', 'ai 7', 'Claude Agent SDK']
/** `until it is stopped`: a command that prints a first line, or a program that opens a port. */
const WAYS = ['until it is stopped', 'each line']
const BY = /^by [\w./-]+$/
const FENCE =
  /^(?: *<!-- (not run|run|generated)(?:: ([^\n]*))? -->\n+)?( *)```([\w-]*)\n([\s\S]*?)^ *```$/gm

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
 * @property {string | null} by the test that runs it, relative to the root; null: the tests of the documents
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
  const folders = ['examples', 'specs/adapters', 'docs']
  return ['README.md', ...packages, ...folders.flatMap(markdown)]
}

/** Programs and commands. @returns {readonly Block[]} */
export function listDocumentBlocks() {
  return listAllBlocks().filter(({ language, isShown }) => RUN.has(language) && !isShown)
}

/** Also configs, transcripts and what is only shown. @returns {readonly (Block & { isShown: boolean })[]} */
export function listAllBlocks() {
  return documents()
    .flatMap(parseBlocks)
    .map((block, index) => ({ ...block, index }))
}

/** Blocks that name a test with `run: by`. The test runs their words, with its own values in place of the examples. */
export class NamedBlocks {
  /** @type {Set<Block>} */
  #left

  /** @param {string} test its file */
  constructor(test) {
    const name = path.relative(ROOT, test)
    this.#left = new Set(listAllBlocks().filter(({ by }) => by === name))
  }

  /**
   * The text of a block. Throws unless exactly one block of the document is left that contains every example.
   * @param {string} file @param {Readonly<Record<string, string>>} values by the example that each replaces
   */
  take(file, values) {
    const examples = Object.entries(values)
    const found = [...this.#left].filter(
      (block) => block.file === file && examples.every(([example]) => block.text.includes(example)),
    )
    const [block] = found
    if (block === undefined || found.length > 1)
      throw new Error(`${found.length} blocks of ${file} contain ${Object.keys(values).join(', ')}`)
    this.#left.delete(block)
    return examples.reduce((text, [example, own]) => text.replaceAll(example, own), block.text)
  }

  listLeft() {
    return [...this.#left].map(({ where }) => where)
  }
}

/** The first program or command of a document. @param {string} file @returns {string} */
export function readFirstBlock(file) {
  const block = parseBlocks(file).find(({ language }) => RUN.has(language))
  if (block === undefined) throw new Error(`${file} has no program.`)
  return block.text
}

/** @param {string} file @returns {Omit<Block & { isShown: boolean }, 'index'>[]} */
function parseBlocks(file) {
  const whole = fs.readFileSync(path.join(ROOT, file), 'utf8')
  const found = [...whole.matchAll(FENCE)]
  const isOutput = (/** @type {number} */ i) => {
    const [one, next] = [found[i], found[i + 1]]
    if (one === undefined || next?.[4] !== 'text') return false
    return RUN.has(one[4] ?? '') && whole.slice(one.index + one[0].length, next.index).trim() === ''
  }
  return found.map(([all, mark, told = '', indent = '', language = '', text = ''], i) => {
    const start = found[i]?.index ?? 0
    return {
      file,
      where: `${file}:${whole.slice(0, start + all.indexOf('```')).split('\n').length}`,
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      ...parseMark(mark, told, file),
      output: isOutput(i) ? (found[i + 1]?.[5] ?? '') : null,
      // Compared with what runs.
      isShown: mark === 'generated' || isOutput(i - 1),
    }
  })
}

/** @param {string | undefined} mark @param {string} told @param {string} file */
function parseMark(mark, told, file) {
  if (mark === 'run' && !BY.test(told) && ![...NEEDS, ...WAYS].includes(told))
    throw new Error(`${file}: nothing runs as "${told}"`)
  return {
    notRun: mark === 'not run' ? told : null,
    needs: NEEDS.includes(told) ? told : null,
    way: WAYS.includes(told) ? told : null,
    by: BY.test(told) ? told.slice('by '.length) : null,
  }
}
