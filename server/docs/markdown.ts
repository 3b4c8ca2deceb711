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
  /** 1 to 6. */
  readonly level: number
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
  const sections: Section[] = [{ anchor: '', heading: '', level: 1, text: '' }]
  for (const node of nodes) {
    if (node.type !== 'element') continue
    const level = Number(HEADING.exec(node.tagName)?.[1] ?? 0)
    if (level > 0) {
      sections.push({ anchor: `${node.properties['id']}`, heading: textOf(node), level, text: '' })
    } else {
      const last = sections.pop()
      if (last !== undefined) sections.push({ ...last, text: `${last.text} ${spacedText(node)}` })
    }
  }
  return sections.filter(({ heading, text }) => heading !== '' || text !== '')
}

/** Cells and items are separate words. */
function spacedText(node: ElementContent): string {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return ''
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
