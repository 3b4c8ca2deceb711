// Where the first rules of a config come from (`?from=`).
import {
  Braces,
  Copy,
  FileKey,
  History,
  LayoutTemplate,
  type LucideIcon,
  Radio,
} from 'lucide-react'

export const SOURCE_NAMES = ['template', 'running', 'sessions', 'claude', 'copy', 'json'] as const
export type SourceName = (typeof SOURCE_NAMES)[number]

export interface Source {
  readonly value: SourceName
  readonly title: string
  readonly hint: string
  readonly icon: LucideIcon
}

export const SOURCES: readonly Source[] = [
  { value: 'template', title: 'Template', hint: 'Tested rule sets', icon: LayoutTemplate },
  { value: 'running', title: 'Running prompt', hint: 'Tools that it reported', icon: Radio },
  {
    value: 'sessions',
    title: 'Recorded sessions',
    hint: 'Rules that good sessions followed',
    icon: History,
  },
  { value: 'claude', title: 'Agent permissions', hint: 'Claude Code or Codex', icon: FileKey },
  { value: 'copy', title: 'Another config', hint: 'Copy its rules', icon: Copy },
  { value: 'json', title: 'Blank or JSON', hint: 'Paste or upload', icon: Braces },
]

/** Address of the page; `prompt` and `source` are `ns/key`. */
export function newConfigPath(
  more: {
    readonly from?: SourceName
    readonly template?: string
    readonly prompt?: string
    readonly source?: string
  } = {},
): string {
  const query = new URLSearchParams(Object.entries(more)).toString()
  return query === '' ? '/configs/new' : `/configs/new?${query}`
}
