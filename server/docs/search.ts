// Searches the sections of all pages of the navigation, in this process: no other service, no index in the browser.
import { setImmediate } from 'node:timers/promises'
import MiniSearch from 'minisearch'
import { registerReset } from '@/server/platform/base/process-memory.ts'
import { findPage, readNavigation } from './pages.ts'

export interface DocsHit {
  readonly address: string
  readonly page: string
  /** Equal to `page` for the text before the first heading. */
  readonly heading: string
  readonly excerpt: string
}

interface Entry extends Omit<DocsHit, 'excerpt'> {
  readonly id: number
  readonly text: string
}

const MOST_HITS = 20
const EXCERPT_LENGTH = 160
/** The glossary answers such a question. */
const ASKS_FOR_MEANING = /^\s*what (is|are) /i
/** Enough to rank a term of the glossary above a page that only uses the word. */
const DEFINITION_BOOST = 4
/** Words that every page has. */
const STOP_WORDS = new Set(
  'a an and are as at be by can do does for from get how i if in is it my of on or our that the this to use was we what when where which why with you your'.split(
    ' ',
  ),
)

let index: Promise<MiniSearch<Entry>> | null = null
registerReset(() => {
  index = null
})

/** Without a plural, so that "approvals" finds "approval". Null: not searched. */
function readTerm(term: string): string | null {
  const word = term.toLowerCase()
  if (STOP_WORDS.has(word)) return null
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

function readIndex(): Promise<MiniSearch<Entry>> {
  index ??= buildIndex().catch((error: unknown) => {
    index = null
    throw error
  })
  return index
}

/** Builds the index, which takes seconds, before a reader of a page asks for it. A search reports the failure. */
export function prepareSearch(): void {
  readIndex().catch(() => undefined)
}

/** Best first; one hit for each page. */
export async function searchDocs(question: string): Promise<readonly DocsHit[]> {
  const needsDefinition = ASKS_FOR_MEANING.test(question)
  const found = (await readIndex()).search(question, {
    boostDocument: (_id, _term, stored) =>
      needsDefinition && stored?.['page'] === 'Glossary' ? DEFINITION_BOOST : 1,
  })
  const pages = new Set<string>()
  const hits: DocsHit[] = []
  for (const hit of found) {
    if (pages.has(hit['page'])) continue
    pages.add(hit['page'])
    const text: string = hit['text']
    hits.push({
      address: hit['address'],
      page: hit['page'],
      heading: hit['heading'],
      excerpt: cutExcerpt(text, hit.terms),
    })
    if (hits.length === MOST_HITS) break
  }
  return hits
}

async function listEntries(address: string): Promise<readonly Omit<Entry, 'id'>[]> {
  const found = await findPage(address.split('/').slice(2))
  const page = found?.title ?? ''
  return (found?.sections ?? []).map(({ anchor, heading, level, text }) => ({
    address: level === 1 ? address : `${address}#${anchor}`,
    page,
    heading: level === 1 ? page : heading,
    text,
  }))
}

async function buildIndex(): Promise<MiniSearch<Entry>> {
  const pages = (await readNavigation()).flatMap((group) => group.pages)
  const found: Omit<Entry, 'id'>[] = []
  for (const { address } of pages) {
    found.push(...(await listEntries(address)))
    // Other requests are answered between two pages.
    await setImmediate()
  }
  const entries = found.map((entry, id) => ({ ...entry, id }))
  const built = new MiniSearch<Entry>({
    fields: ['page', 'heading', 'text'],
    storeFields: ['address', 'page', 'heading', 'text'],
    processTerm: readTerm,
    searchOptions: { boost: { page: 4, heading: 3 }, prefix: true, fuzzy: 0.15 },
  })
  await built.addAllAsync(entries, { chunkSize: 50 })
  return built
}

function cutExcerpt(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase()
  const at = Math.max(
    0,
    Math.min(...terms.map((term) => lower.indexOf(term)).filter((i) => i >= 0)),
  )
  const from = Number.isFinite(at) && at > 60 ? lower.lastIndexOf(' ', at - 40) + 1 : 0
  const cut = text.slice(from, from + EXCERPT_LENGTH).trim()
  const isWhole = from + EXCERPT_LENGTH >= text.length
  return `${from > 0 ? '… ' : ''}${isWhole ? cut : `${cut.replace(/\s+\S*$/, '')} …`}`
}
