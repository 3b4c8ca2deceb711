// docs/README.md is the table of contents: its headings are the groups of the navigation, its links the pages, in that order.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Element, RootContent } from 'hast'
import { toString as textOf } from 'hast-util-to-string'
import { isAbsent } from '@/server/platform/base/errors.ts'
import { registerReset } from '@/server/platform/base/process-memory.ts'
import { listPageFiles, type Markdown, parseMarkdown } from './markdown.ts'

export interface NavigationGroup {
  readonly name: string
  readonly pages: readonly { readonly address: string; readonly name: string }[]
}

const CONTENTS = 'docs/README.md'
const parsed = new Map<string, Promise<Markdown | null>>()
registerReset(() => parsed.clear())

/** Null: there is no such page. A running server never changes its files, so each is parsed once. */
export async function findPage(segments: readonly string[]): Promise<Markdown | null> {
  for (const file of listPageFiles(segments)) {
    const page = await readPage(file)
    if (page !== null) return page
  }
  return null
}

function readPage(file: string): Promise<Markdown | null> {
  const known = parsed.get(file)
  if (known !== undefined) return known
  const reading = readMarkdown(file)
  // An address that does not exist is not kept: there are endlessly many.
  reading.then(
    (found) => found === null && parsed.delete(file),
    () => parsed.delete(file),
  )
  parsed.set(file, reading)
  return reading
}

async function readMarkdown(file: string): Promise<Markdown | null> {
  try {
    // The server runs in the folder of the repository (scripts/start.mjs).
    return parseMarkdown(await readFile(path.join(process.cwd(), file), 'utf8'), file)
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

export async function readNavigation(): Promise<readonly NavigationGroup[]> {
  const contents = await readPage(CONTENTS)
  const groups: { name: string; pages: { address: string; name: string }[] }[] = []
  for (const node of contents?.tree.children ?? []) {
    if (node.type !== 'element') continue
    if (node.tagName === 'h2') groups.push({ name: textOf(node), pages: [] })
    else groups.at(-1)?.pages.push(...listLinks(node))
  }
  return groups.filter(({ pages }) => pages.length > 0)
}

function listLinks(node: RootContent): { address: string; name: string }[] {
  if (node.type !== 'element') return []
  const own = isPageLink(node)
    ? [{ address: `${node.properties['href']}`, name: textOf(node) }]
    : []
  return [...own, ...node.children.flatMap(listLinks)]
}

const isPageLink = ({ tagName, properties }: Element): boolean =>
  tagName === 'a' && `${properties['href']}`.startsWith('/docs/')
