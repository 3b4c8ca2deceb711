// Markdown to a tree of elements. Links between files become addresses below /docs, so that the same files are readable in the repository.
import path from 'node:path'
import type { Element, ElementContent, Root, RootContent } from 'hast'
import { toString as textOf } from 'hast-util-to-string'
import rehypeSlug from 'rehype-slug'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'

export interface Section {
  /** Without `#`; empty: the text before the first heading. */
  readonly anchor: string
  readonly heading: string
  /** 1 to 6; null: a row of a table, whose text the section above it has, too. */
  readonly level: number | null
  readonly text: string
}

export interface Markdown {
  readonly title: string
  readonly tree: Root
  readonly sections: readonly Section[]
}

const processor = unified().use(remarkParse).use(remarkGfm).use(remarkRehype).use(rehypeSlug)
const HEADING = /^h([1-6])$/

/** Raw HTML, such as comments, is left out. @param file relative to the root of the repository */
export function parseMarkdown(source: string, file: string): Markdown {
  const tree = processor.runSync(processor.parse(source))
  rewrite(tree.children, file)
  const sections = splitSections(tree.children)
  return { title: sections.find(({ level }) => level === 1)?.heading ?? file, tree, sections }
}

function splitSections(nodes: readonly RootContent[]): readonly Section[] {
  let current = { anchor: '', heading: '', level: 1, text: '' }
  const sections: Section[] = [current]
  for (const node of nodes) {
    if (node.type !== 'element') continue
    const level = Number(HEADING.exec(node.tagName)?.[1] ?? 0)
    if (level > 0) {
      current = { anchor: `${node.properties['id']}`, heading: textOf(node), level, text: '' }
      sections.push(current)
    } else {
      current.text += ` ${spacedText(node)}`
      if (node.tagName === 'table') sections.push(...listNamedRows(node, current.anchor))
    }
  }
  return sections.filter(({ heading, text }) => heading !== '' || text !== '')
}

/** Rows that begin with a name in bold or code, such as a term of the glossary or the text of an error. */
function listNamedRows(node: ElementContent, anchor: string): readonly Section[] {
  if (node.type !== 'element') return []
  if (node.tagName !== 'tr') return node.children.flatMap((part) => listNamedRows(part, anchor))
  const [name, ...cells] = node.children.filter((cell) => cell.type === 'element')
  const parts = name?.children ?? []
  const isNamed = parts.every((part) => part.type !== 'text' || part.value === ', ')
  if (name === undefined || parts.length === 0 || !isNamed) return []
  return [{ anchor, heading: textOf(name), level: null, text: joinCells(cells) }]
}

function joinCells(cells: readonly ElementContent[]): string {
  return cells
    .map((cell) => spacedText(cell).trim())
    .filter((text) => text !== '')
    .join(' · ')
}

/** Items are separate words; a dot separates cells and rows. */
function spacedText(node: ElementContent): string {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return ''
  if (node.tagName === 'tr') return `${joinCells(node.children)} · `
  const isBlock = /^(td|th|li|p|br)$/.test(node.tagName)
  return `${node.children.map(spacedText).join('')}${isBlock ? ' ' : ''}`
}

function rewrite(nodes: readonly (RootContent | ElementContent)[], file: string): void {
  for (const node of nodes) {
    if (node.type !== 'element') continue
    if (node.tagName === 'a') rewriteLink(node, file)
    if (node.tagName === 'img')
      node.properties['src'] = `/docs/images/${path.posix.basename(`${node.properties['src']}`)}`
    rewrite(node.children, file)
  }
}

/** A file that is not served keeps its text, without a link. */
function rewriteLink(node: Element, file: string): void {
  const href = `${node.properties['href'] ?? ''}`
  if (/^([a-z]+:|#)/.test(href)) return
  const [target = '', anchor] = href.split('#')
  const address = pageAddress(path.posix.join(path.posix.dirname(file), target))
  if (address === null) {
    node.tagName = 'span'
    node.properties = {}
  } else {
    node.properties['href'] = anchor === undefined ? address : `${address}#${anchor}`
  }
}

/** Null: the file is not served. @param file relative to the root of the repository */
export function pageAddress(file: string): string | null {
  const [, folder = '', name = ''] = /^(docs|specs)\/(.+)\.md$/.exec(file) ?? []
  if (name === '') return null
  const place = folder === 'docs' ? name : `specs/${name}`
  return `/docs/${place}`.replace(/\/README$/, '')
}

/** The first of them that exists has this address. */
export function listPageFiles(segments: readonly string[]): readonly string[] {
  if (segments.some((segment) => !/^[a-z0-9][a-z0-9.-]*$/.test(segment))) return []
  const place = segments[0] === 'specs' ? segments.join('/') : ['docs', ...segments].join('/')
  return [`${place}.md`, `${place}/README.md`]
}
