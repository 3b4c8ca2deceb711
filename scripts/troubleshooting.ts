// Rows of docs/troubleshooting.md by error text.
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './product-process.ts'

const HEAD = '| Text | Cause | What to do |'

export interface DocumentedText {
  readonly section: string
  readonly text: string
  /** Matches the text with any values in place of each `…`, within a line. */
  readonly pattern: RegExp
}

export function listDocumentedTexts(): readonly DocumentedText[] {
  const page = fs.readFileSync(path.join(ROOT, 'docs/troubleshooting.md'), 'utf8')
  return page.split(/^## /m).flatMap((part) => {
    const [section = ''] = part.split('\n')
    const [, rows = ''] = part.split(`${HEAD}\n|---|---|---|\n`)
    return rows.split('\n').flatMap((row) => {
      const [, cell = ''] = row.split('|')
      return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => ({
        section,
        text,
        pattern: new RegExp(text.split('…').map(escapePattern).join('.+?'), 'm'),
      }))
    })
  })
}

const escapePattern = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
