// In the address of a page, relative ranges such as "last 24 h" become fixed times (fixed-address.ts).
'use client'

import { serverAddress, withoutPrefix } from '@/components/paths/prefix.ts'
import type { PageKey } from '@/components/shell/page-keys.ts'
import { writeToClipboard } from '@/components/ui/clipboard.ts'
import { toast } from '@/components/ui/toast.tsx'
import { fixedAddress } from './fixed-address.ts'

export interface Linked {
  readonly title: string
  readonly link: string
}

/** `path`: path of a page, without the prefix of the deployment. */
export function linkedAt(path: string, title: string): Linked {
  return { title, link: `${serverAddress()}${path}` }
}

/** The open page in its current view; the title is its heading. */
export function openPage(): Linked {
  const { pathname, search } = window.location
  const ranged = document.querySelector<HTMLElement>('main [data-range]')
  const heading = document.querySelector<HTMLElement>('main h1')
  return linkedAt(
    fixedAddress(withoutPrefix(pathname), search, { ...ranged?.dataset, now: Date.now() }),
    readElementLine(heading) || document.title,
  )
}

export function readElementLine(element: HTMLElement | null): string {
  return (element?.innerText ?? '').replace(/\s+/g, ' ').trim()
}

function formatMarkdownLink({ title, link }: Linked): string {
  return `[${title.replace(/[[\]\\]/g, '\\$&')}](${link})`
}

export function copyText(text: string, done: string): void {
  void writeToClipboard(text).then((isCopied) =>
    toast(isCopied ? done : `The browser does not allow copying here: ${text}`),
  )
}

export function copyLink({ link }: Linked): void {
  copyText(link, 'Link copied')
}

export function copyMarkdown(linked: Linked): void {
  copyText(formatMarkdownLink(linked), 'Copied as Markdown')
}

const isNoTextField = (focused: Element): boolean => focused.closest('input, textarea') === null

/** Keys `c` and `Alt+C`. `what`: text for the help, such as "the stop, or the list". */
export function linkKeys(what: string, linked: () => Linked): readonly PageKey[] {
  return [
    { keys: 'c', shown: 'c', does: `copy a link to ${what}`, run: () => copyLink(linked()) },
    {
      keys: 'Alt+KeyC',
      shown: '⌥C',
      does: `copy a link to ${what} as Markdown`,
      run: () => copyMarkdown(linked()),
      isFor: isNoTextField,
    },
  ]
}
