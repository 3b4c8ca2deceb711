import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { listPageFiles, pageAddress, parseMarkdown } from './markdown.ts'
import { findPage, readNavigation } from './pages.ts'
import { searchDocs } from './search.ts'

const markdownIn = (folder: string) =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join(folder, name))
const docs = markdownIn('docs')
const all = [...docs, ...markdownIn('specs')]

const anchors = new Map(
  all.map((file) => {
    const { sections } = parseMarkdown(fs.readFileSync(file, 'utf8'), file)
    return [file, new Set(sections.map(({ anchor }) => anchor))]
  }),
)

function listBroken(file: string): readonly string[] {
  const text = fs.readFileSync(file, 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [target = '', anchor] = link.split('#')
      const to = target === '' ? file : path.posix.join(path.posix.dirname(file), target)
      if (!fs.existsSync(to) || !isServed(to)) return true
      return anchor !== undefined && anchors.get(to)?.has(anchor) === false
    })
}

/** Files outside of the documentation have no address, so a link to one is text under /docs. */
function isServed(file: string): boolean {
  const address = pageAddress(file)
  if (address === null) return true
  return listPageFiles(address.split('/').slice(2)).find(fs.existsSync) === file
}

describe('pages of the documentation', () => {
  test.each(all)('no link of %s is broken', (file) => {
    expect(listBroken(file)).toEqual([])
  })

  test('all are in the table of contents', async () => {
    const listed = (await readNavigation()).flatMap(({ pages }) => pages.map((one) => one.address))
    const missing = docs
      .map(pageAddress)
      .filter((address) => address !== '/docs' && !listed.includes(address ?? ''))
    expect(missing).toEqual([])
    expect(listed.length).toBeGreaterThan(50)
  })

  test.each(all)('the address of %s leads back to it', (file) => {
    expect(isServed(file)).toBe(true)
  })

  test('an address that leaves the folders is not found', async () => {
    expect(await findPage(['..', 'package'])).toBeNull()
    expect(await findPage(['missing'])).toBeNull()
  })
})

const QUESTIONS: readonly (readonly [string, string])[] = [
  ['block rm -rf', '/docs/how-to/block-a-command'],
  ['allow only some commands', '/docs/how-to/allow-listed-commands'],
  ['tests before commit', '/docs/how-to/run-tests-before-commit'],
  ['read a file before writing', '/docs/how-to/read-before-write'],
  ['protect .env files', '/docs/how-to/protect-files'],
  ['approve a deploy', '/docs/how-to/approve-a-deploy'],
  ['wait until tests pass', '/docs/how-to/wait-for-tests'],
  ['finish the plan', '/docs/how-to/finish-the-plan'],
  ['agent repeats itself', '/docs/how-to/limit-retries'],
  ['calls per minute', '/docs/how-to/limit-calls'],
  ['remind deadline', '/docs/how-to/remind-of-the-deadline'],
  ['keep secrets out of the log', '/docs/how-to/hide-secrets'],
  ['secret in a tool result', '/docs/how-to/mask-secrets'],
  ['guard MCP server', '/docs/how-to/guard-an-mcp-server'],
  ['agent in CI', '/docs/how-to/guard-ci'],
  ['agent in Python', '/docs/how-to/guard-python'],
  ['alert bypassed', '/docs/how-to/alert-on-bypass'],
  ['roll out in stages', '/docs/how-to/roll-out-in-stages'],
  ['pause a session', '/docs/how-to/stop-a-session'],
  ['pull request', '/docs/how-to/review-changes'],
  ['environment variables', '/docs/reference/environment'],
  ['why was a stop blocked', '/docs/how-to/see-why-a-stop-was-blocked'],
  ['could not be evaluated', '/docs/troubleshooting'],
  ['undo hooks', '/docs/how-to/uninstall'],
  ['what is a prompt', '/docs/specs/glossary'],
  ['templates', '/docs/how-to/start-from-a-template'],
  ['rotate api key', '/docs/how-to/manage-api-keys'],
  ['uninstall', '/docs/how-to/uninstall'],
]

test('a dot separates the cells and rows of a table in the text of a section', () => {
  const table =
    '# Names\n\n| Name | Where | Note |\n|---|---|---|\n| `a` | checkers | |\n| `b` | stops | last |\n'
  const { sections } = parseMarkdown(table, 'docs/names.md')
  expect(sections.map(({ text }) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
    'Name · Where · Note · a · checkers · b · stops · last ·',
    'checkers',
    'stops · last',
  ])
})

describe('search', () => {
  test.each(QUESTIONS)('"%s" finds %s first', async (question, address) => {
    const [first] = await searchDocs(question)
    expect(first?.address.split('#')[0]).toBe(address)
  })

  test('an excerpt that is cut ends with a whole word', async () => {
    const words = new Set(all.flatMap((file) => fs.readFileSync(file, 'utf8').match(/\w+/g) ?? []))
    const hits = (await Promise.all(QUESTIONS.map(([question]) => searchDocs(question)))).flat()
    const ends = hits.flatMap(({ excerpt }) => /(\w+)\W* …$/.exec(excerpt)?.[1] ?? [])
    expect(ends.length).toBeGreaterThan(20)
    expect(ends.filter((word) => !words.has(word))).toEqual([])
  })
})
